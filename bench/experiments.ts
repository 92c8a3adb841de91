import { parseArgs } from 'node:util'
import { createRandom } from '#core/demo/random'
import {
  type End,
  type Outcome,
  type SimulatedExperiment,
  simulateExperiment,
} from '#test/support/simulated-experiment'
import { median } from './percentile.ts'

/**
 * `npm run bench -- experiments`: the error rates and the power of the rule of experiments
 * (docs/decisions/2026-11-29-experiments.md), by simulation with a look every day. Seeded, so every run
 * prints the same figures.
 *
 * - `--count 1000`: experiments of each row
 */

const { values } = parseArgs({ options: { count: { type: 'string', default: '1000' } } })
const count = Number(values.count)
const WEEKS = 7

type Case = SimulatedExperiment & { name: string }

const flat = (rate: number, variants = 2) => Array<number>(variants).fill(rate)
const weeks = (number: number) => number * WEEKS

const FLAT: Case[] = [
  { name: '2 variants, 10 %, size at day 7', rates: flat(0.1), usersPerDay: 2_800, days: weeks(8) },
  { name: 'the same for a year', rates: flat(0.1), usersPerDay: 2_800, days: 364 },
  { name: '3 variants', rates: flat(0.1, 3), usersPerDay: 4_200, days: weeks(8) },
  { name: '4 variants', rates: flat(0.1, 4), usersPerDay: 5_600, days: weeks(8) },
  { name: '2 variants, 1 %', rates: flat(0.01), usersPerDay: 27_000, days: weeks(8) },
  { name: '2 variants, 60 %', rates: flat(0.6), usersPerDay: 200, days: weeks(8) },
  { name: 'size of 100 asked, 2 %', rates: flat(0.02), usersPerDay: 30, days: weeks(8), plannedSize: 100 },
  { name: 'size of 100 asked, 30 %', rates: flat(0.3), usersPerDay: 30, days: weeks(8), plannedSize: 100 },
  {
    ...{
      name: 'weights 90 and 10',
      rates: flat(0.1),
      weights: [90, 10],
      usersPerDay: 12_500,
      days: weeks(8),
    },
  },
  { name: 'size at day 28', rates: flat(0.1), usersPerDay: 500, days: weeks(8) },
]

const EFFECTS: Case[] = [0.1, 0.2, 0.3, 0.5].map(lift => ({
  ...{ name: `lift ${lift * 100} %, size for 20 %`, rates: [0.1, 0.1 * (1 + lift)], usersPerDay: 500 },
  ...{ days: weeks(12) },
}))
EFFECTS.push(
  { name: 'no lift, size for 20 %', rates: flat(0.1), usersPerDay: 500, days: weeks(12) },
  {
    ...{ name: '4 variants, one with 20 %', rates: [0.1, 0.1, 0.12, 0.1], usersPerDay: 1_200 },
    ...{ days: weeks(12) },
  },
)

/** Percent of the outcomes, with one decimal. */
function part(outcomes: readonly Outcome[], is: (outcome: Outcome) => boolean): string {
  return `${((outcomes.filter(is).length / outcomes.length) * 100).toFixed(1)} %`
}

function run({ name, ...experiment }: Case, end: End, experiments: number) {
  const outcomes = Array.from({ length: experiments }, (_, i) =>
    simulateExperiment(experiment, createRandom(i + 1), end),
  )
  const ends = outcomes.flatMap(({ shipped, equal }) => shipped?.day ?? equal ?? [])
  return {
    case: name,
    'size reached, day': median(outcomes.flatMap(({ planned }) => planned ?? [])),
    'ships then': part(outcomes, ({ shipped, planned }) => shipped !== null && shipped.day === planned),
    ships: part(outcomes, ({ shipped }) => shipped !== null),
    'ships a worse one': part(outcomes, ({ shipped }) => isWorse(experiment, shipped?.key)),
    ...(end === 'decided' && {
      'no difference': part(outcomes, ({ equal }) => equal !== null),
      'decided, day': median(ends),
    }),
    check_assignment: part(outcomes, ({ misfit }) => misfit !== null),
    'one look of 95 %': part(outcomes, ({ naive }) => naive !== null),
  }
}

function isWorse({ rates }: SimulatedExperiment, key = ''): boolean {
  return key !== '' && (rates[Number(key.slice(1))] ?? 1) < Math.max(...rates)
}

console.table(FLAT.map(each => run(each, 'shipped', count)))
// Every look after the planned size computes all results here, so these rows have fewer experiments.
console.table(EFFECTS.map(each => run(each, 'decided', Math.ceil(count / 5))))
