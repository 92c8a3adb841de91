import { readFileSync } from 'node:fs'
import { COMPARE, callCommand, days, type Flag, type Input, NAME, parametersOf, QUESTION } from '#cli/command'
import { usage } from '#cli/errors'
import { countedWords } from '#cli/option-words'
import { type Block, line } from '#cli/print/blocks'
import { besideCompared } from '#cli/print/compared'
import { peopleTable } from '#cli/print/people-table'
import { reportHeading } from '#cli/print/periods'
import { parseJson } from '#schemas/json-depth'

const FLAGS: readonly Flag[] = [
  { flags: '--steps <events>', as: 'list', help: 'names of events in order: page_view,signup' },
  { flags: '--steps-json <steps>', help: 'steps with filters as JSON, or a file that has them' },
  { flags: '--from-context', as: 'switch', help: 'the activation events of the project context' },
  {
    flags: '--window <hours>',
    parameter: 'conversion_window_hours',
    as: 'number',
    help: 'hours from the first step to the last (default: 168)',
  },
  days(),
  ...QUESTION,
  COMPARE,
  {
    flags: '--count-by <who>',
    parameter: 'count_by',
    choices: ['user_id', 'session_id'],
    help: 'default: user_id',
  },
  {
    flags: '--breakdown <key>',
    parameter: 'breakdown',
    help: 'the same for each value of a property, of country, or of channel, source, referrer_host',
  },
  {
    flags: '--breakdown-limit <n>',
    parameter: 'breakdown_limit',
    as: 'whole',
    help: 'most values (default: 10)',
  },
  {
    flags: '--people-of <step>',
    parameter: 'people_of_step',
    as: 'whole',
    help: 'who passed this step, from 1',
  },
  {
    flags: '--people-dropped',
    parameter: 'people_dropped',
    as: 'switch',
    help: 'with --people-of: who did not pass the next one',
  },
  {
    flags: '--dry-run',
    parameter: 'dry_run',
    as: 'switch',
    help: 'runs nothing, and says what the read would cost',
  },
]

export const funnel = callCommand<'POST /funnel'>({
  name: 'funnel',
  group: 'Reports',
  args: [NAME],
  flags: FLAGS,
  summary: 'How many people pass steps in order, and how long it takes',
  example: '--demo funnel demo --steps page_view,signup_started,signup',
  call: input => ({
    endpoint: 'POST /funnel',
    body: { project: input.args.NAME, ...stepsOf(input), ...parametersOf(FLAGS, input) },
  }),
  print: (compared, { input }) =>
    besideCompared(compared, answer => [
      reportHeading(answer.project, answer.period),
      {
        kind: 'table',
        name: 'steps',
        columns: [
          { key: 'step', title: '#', as: 'count' },
          { key: 'event', title: 'Step' },
          { key: 'users', title: 'Passed', as: 'count' },
          { key: 'conversion_rate', title: 'Of before', as: 'rate' },
          { key: 'from_first', title: 'Of first', as: 'rate' },
          { key: 'avg_time_to_next_ms', title: 'To next', as: 'duration' },
          { key: 'raw', title: 'Raw events', as: 'count' },
        ],
        rows: answer.steps.map(step => ({
          ...step,
          from_first: step.conversion_rates.from_first,
          raw: step.raw_activity.event_count,
        })),
      },
      {
        kind: 'bars',
        name: 'survivors',
        label: { key: 'event', title: 'Step' },
        value: { key: 'users', title: 'Passed', as: 'count' },
        rows: answer.steps,
      },
      { kind: 'facts', facts: [['Overall', answer.overall_conversion_rate, 'rate']] },
      ...(answer.breakdowns === undefined ? [] : [groupTable(answer.breakdowns)]),
      ...(answer.people === undefined ? [] : [peopleTable(answer.people, 'Passed')]),
      ...answer.caveats.map(text => line(`Note: ${countedWords(text, input)}`)),
    ]),
})

type Group = { value: string | null; overall_conversion_rate: number; steps: readonly { users: number }[] }

function groupTable(groups: readonly Group[]): Block {
  const steps = groups[0]?.steps ?? []
  return {
    kind: 'table',
    name: 'breakdown',
    title: 'By value of the first step',
    columns: [
      { key: 'value', title: 'Value' },
      { key: 'overall', title: 'Overall', as: 'rate' },
      ...steps.map((_, i) => ({ key: `step_${i + 1}`, title: `Step ${i + 1}`, as: 'count' as const })),
    ],
    rows: groups.map(group => ({
      value: group.value,
      overall: group.overall_conversion_rate,
      ...Object.fromEntries(group.steps.map(({ users }, i) => [`step_${i + 1}`, users])),
    })),
  }
}

/** Exactly one source of steps, so that no half of a command is ignored. */
function stepsOf({ options }: Input): { steps: unknown } | { from_context: true } {
  const { steps, stepsJson, fromContext } = options
  const sources = [steps, stepsJson, fromContext].filter(source => source !== undefined && source !== false)
  if (sources.length !== 1) {
    throw usage(
      sources.length === 0 ? 'The steps are missing.' : 'The steps come from two sources.',
      'Use exactly one of --steps page_view,signup, --steps-json and --from-context.',
    )
  }
  if (fromContext === true) return { from_context: true }
  return {
    steps: steps === undefined ? jsonSteps(String(stepsJson)) : (steps as string[]).map(event => ({ event })),
  }
}

function jsonSteps(source: string): unknown {
  try {
    return parseJson(/^\s*\[/.test(source) ? source : readFileSync(source, 'utf8'))
  } catch {
    throw usage(
      'The steps cannot be read.',
      `Write them as [{"event":"page_view"},{"event":"signup"}], or name a file that has them.`,
    )
  }
}
