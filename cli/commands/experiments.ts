import { callCommand, NAME } from '#cli/command'
import type { Answer } from '#cli/http/endpoint'
import { type Block, line } from '#cli/print/blocks'
import { formatted } from '#cli/print/format'

export const EXPERIMENT = { name: 'ID', help: 'id of the experiment: exp_…' }

type Experiment = Answer<'POST /experiments'>

export const listExperiments = callCommand<'GET /experiments'>({
  name: 'experiments list',
  group: 'Experiments',
  args: [NAME],
  flags: [],
  summary: 'The experiments of a project, newest first',
  example: '--demo experiments list demo',
  call: ({ args }) => ({ endpoint: 'GET /experiments', query: { project: args.NAME } }),
  print: answer => [
    {
      kind: 'table',
      name: 'experiments',
      columns: [
        { key: 'name', title: 'Name' },
        { key: 'status', title: 'Status' },
        { key: 'id', title: 'Id', as: 'id' },
        { key: 'goal_event', title: 'Goal' },
        { key: 'shares', title: 'Variants' },
        { key: 'winner', title: 'Winner' },
      ],
      rows: answer.experiments.map(experiment => ({ ...experiment, shares: sharesOf(experiment) })),
    },
  ],
})

export const getExperiment = callCommand<'GET /experiments/{id}'>({
  name: 'experiments get',
  group: 'Experiments',
  args: [EXPERIMENT],
  flags: [],
  summary: 'One experiment and what it shows',
  example: '--demo experiments get exp_demo_signup_cta',
  call: ({ args }) => ({ endpoint: 'GET /experiments/{id}', path: { id: args.ID as string } }),
  print({ results, ...experiment }) {
    return [
      experimentFacts(experiment),
      {
        kind: 'table',
        name: 'variants',
        columns: [
          { key: 'key', title: 'Variant' },
          { key: 'exposures', title: 'Shown', as: 'count' },
          { key: 'unique_users', title: 'Visitors', as: 'count' },
          { key: 'conversions', title: 'Converted', as: 'count' },
          { key: 'conversion_rate', title: 'Rate', as: 'rate' },
          { key: 'best', title: 'Is best', as: 'rate' },
          { key: 'lift', title: 'Lift' },
          { key: 'interval', title: 'Decision interval' },
        ],
        rows: results.variants.map(variant => ({
          ...variant,
          best: results.probability_best[variant.key],
          lift: liftWords(results.lift[variant.key]),
          interval: intervalWords(results.decision_interval[variant.key]),
        })),
      },
      planFacts(results),
      line(results.recommendation),
      line(results.plan.rule),
      ...(results.sufficient_data ? [] : [line('There is not enough data yet.')]),
    ]
  },
})

/** The record of an experiment, for every command that returns one. */
export function experimentFacts(experiment: Experiment): Block {
  return {
    kind: 'facts',
    facts: [
      ['Name', experiment.name],
      ['Id', experiment.id],
      ['Status', experiment.status],
      ['Variants', sharesOf(experiment)],
      ['Goal', experiment.goal_event],
      ['Winner', experiment.winner],
      ['Started (UTC)', timeOf(experiment.started_at), 'time'],
      ['Ended (UTC)', timeOf(experiment.ended_at), 'time'],
      ['Smallest effect', experiment.smallest_effect, 'rate'],
      ['Planned size', experiment.planned_size, 'count'],
    ],
  }
}

/** What is decided, and what a decision waits for. */
function planFacts({ decision, plan }: Answer<'GET /experiments/{id}'>['results']): Block {
  return {
    kind: 'facts',
    facts: [
      ['Decision', decision],
      ['Decides about (UTC)', timeOf(plan.decides_at), 'time'],
      ['Visitors for each variant', plan.size, 'count'],
      ['Effect that they find', plan.smallest_effect, 'rate'],
      ['First exposure (UTC)', timeOf(plan.first_exposure_at), 'time'],
    ],
  }
}

function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}

function sharesOf({ variants }: Pick<Experiment, 'variants'>): string {
  return variants.map(({ key, weight }) => `${key} ${weight} %`).join(', ')
}

function intervalWords([low = 0, high = 0]: readonly number[] = []): string {
  return `${formatted(low, 'rate')} to ${formatted(high, 'rate')}`
}

function liftWords(lift = 0): string {
  if (lift === 0) return '= same'
  return `${lift > 0 ? '▲ up' : '▼ down'} ${formatted(Math.abs(lift), 'rate')}`
}
