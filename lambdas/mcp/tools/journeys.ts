import * as z from 'zod'
import type { AnswerTable } from '#lambdas/mcp/answer'
import { defineTool, type ToolContext } from '#lambdas/mcp/tool'
import type { PathNode } from '#schemas/paths'
import { sumsByCurrency } from '#schemas/sources'
import { project, sinceOr, step, tz, until, where } from './arguments.ts'
import { dated } from './query-report.ts'
import { refuseUnused } from './refuse-unused.ts'
import { count, EVERYBODY, hasCaveat, notesOf, percent, range, tableOf } from './words.ts'

const input = z.object({
  project,
  kind: z.enum(['funnel', 'paths', 'retention', 'conversion', 'sources']).describe('The question'),
  steps: z.array(step).optional().describe('funnel: 2 to 8; default the activation events'),
  window_hours: z.number().optional().describe('funnel: default 168'),
  count_by: z.enum(['user_id', 'session_id']).optional().describe('funnel: people (default) or sessions'),
  goal: z.string().optional().describe('paths, conversion, sources: event'),
  from: z.string().optional().describe('conversion: event that people start with'),
  by: z
    .string()
    .optional()
    .describe(
      'funnel, conversion: country, source, first_source, entry_page, a property or traits.x; sources: channel, source, referrer, campaign, content or landing_page',
    ),
  period: z.enum(['day', 'week', 'month']).optional().describe('retention'),
  cohorts: z.int().min(1).max(30).optional().describe('retention: how many'),
  event: z.string().optional().describe('retention: first event'),
  returning_event: z.string().optional().describe('retention: later event'),
  since: sinceOr('30d; of retention its first cohort'),
  until,
  tz,
  where,
})
type Args = z.output<typeof input>

/** The arguments that each kind reads beside those of all. */
const TAKES: Record<Args['kind'], readonly string[]> = {
  funnel: ['steps', 'window_hours', 'count_by', 'by'],
  paths: ['goal'],
  retention: ['period', 'cohorts', 'event', 'returning_event'],
  conversion: ['goal', 'from', 'by'],
  sources: ['goal', 'by'],
}

/** What people do one after the other. */
export const journeys = defineTool({
  name: 'journeys',
  title: 'Journeys',
  description:
    'Order and return. funnel: how many pass steps in order, where they drop off. paths: from entry page to a goal. retention: who comes back by cohort. conversion: share of people who reach a goal, by a value. sources: visits by where they came from.',
  input,
  renames: { conversion_window_hours: 'window_hours', goal_event: 'goal', breakdown: 'by' },
  effect: 'reads',
  isDrawn: true,
  run(args, context) {
    refuseUnused(args, `kind=${args.kind}`, [
      'project',
      'kind',
      ...TAKES[args.kind],
      'since',
      'until',
      'tz',
      'where',
    ])
    return kinds[args.kind](args, context)
  },
})

const kinds = {
  async funnel(args: Args, { call }: ToolContext) {
    const { steps, window_hours, count_by, by } = args
    const found = await call('funnel', {
      body: { ...dated(args), steps, conversion_window_hours: window_hours, count_by, breakdown: by },
    })
    const [first] = found.steps
    const last = found.steps.at(-1)
    const worst = found.steps.slice(1).toSorted((a, b) => b.drop_off_rate - a.drop_off_rate)[0]
    const what = found.count_by === 'user_id' ? 'people' : 'sessions'
    return {
      summary: `${count(last?.users ?? 0, 'entity', 'entities').split(' ')[0]} of ${(first?.users ?? 0).toLocaleString('en-US')} ${what} pass all ${found.steps.length} steps (${percent(found.overall_conversion_rate)}), ${range(found.period)}${worst === undefined ? '' : `; the largest drop-off is before step ${worst.step} (${percent(worst.drop_off_rate)})`}.`,
      counted: `${what} that begin with step 1 in the range and finish within ${found.conversion_window_hours} hours; ${EVERYBODY}`,
      totals: {
        entered: first?.users ?? 0,
        finished: last?.users ?? 0,
        overall_conversion_rate: found.overall_conversion_rate,
      },
      tables: [
        tableOf(
          'steps',
          found.steps,
          ['step', 'event', 'users', 'conversion_rate', 'drop_off_rate', 'avg_time_to_next_ms'],
          undefined,
          'funnel',
        ),
        ...(found.breakdowns === undefined
          ? []
          : [
              {
                name: `by ${by === undefined ? 'value' : 'the value of step 1'}`,
                columns: ['value', ...found.steps.map(({ step }) => `step ${step}`), 'overall'],
                rows: found.breakdowns.map(({ value, steps, overall_conversion_rate }) => [
                  value,
                  ...steps.map(({ users }) => users),
                  overall_conversion_rate,
                ]),
                total: found.total_rows,
              },
            ]),
      ],
      ...notesOf(found, { warnings: found.caveats }),
      next: 'journeys(kind="paths", goal=…) for what they did instead; people(project, steps, step=<n>, dropped=true) for who dropped off.',
    }
  },

  async paths(args: Args, { call }: ToolContext) {
    const found = await call('paths', { body: { ...dated(args), goal_event: args.goal } })
    const sessions = found.entry_paths.reduce((total, { sessions }) => total + sessions, 0)
    return {
      summary: `${found.reached.toLocaleString('en-US')} of ${count(sessions, 'session')} reach the goal (${percent(sessions === 0 ? 0 : found.reached / sessions)}), ${range(found.period)}.`,
      counted: `the newest ${found.bounds.candidate_session_cap} sessions at most, of ${EVERYBODY}`,
      totals: { sessions, reached: found.reached },
      tables: [
        tableOf(
          'entry pages',
          found.entry_paths,
          ['entry_page', 'sessions', 'reached', 'conversions', 'conversion_rate'],
          undefined,
          'paths',
        ),
        waysTable(found.entry_paths),
      ],
      ...notesOf(found),
      next: 'journeys(kind="funnel", steps=…) to measure one way.',
    }
  },

  async retention(args: Args, { call }: ToolContext) {
    const { period, cohorts, event, returning_event } = args
    const found = await call('retention', {
      query: { ...dated(args), period, cohorts, event, returning_event },
    })
    const next = found.average_rates[1]
    const width = Math.max(0, ...found.cohorts.map(({ retained }) => retained.length))
    return {
      summary: `${next === undefined ? `No ${hasCaveat(found, 'LEFT_CUT_COHORT') ? 'whole ' : ''}cohort has a next period yet` : `${percent(next)} come back in the next ${found.period}`}; ${count(found.users_analyzed, 'person', 'people')} in ${count(found.cohorts.length, 'cohort')}, ${range(found.range)}.`,
      counted: `people by the ${found.period} of their first ${event === undefined ? 'session' : 'event of that name'}${found.truncated ? `, an even sample of ${found.total_users}` : ''}; ${EVERYBODY}`,
      totals: { users_analyzed: found.users_analyzed, average_rate_of_next_period: next ?? null },
      tables: [
        {
          name: `cohorts; column n: share that was active n ${found.period}s later`,
          columns: ['date', 'users', ...Array.from({ length: width }, (_, i) => String(i))],
          rows: found.cohorts.map(({ date, users, rates }) => [date, users, ...rates]),
          chart: 'retention' as const,
        },
        {
          name: 'average',
          columns: found.average_rates.map((_, i) => String(i)),
          rows: found.average_rates.length === 0 ? [] : [found.average_rates],
        },
      ],
      ...notesOf(found),
      next: 'people(project, cohort=<date>, offset=<n>) for who came back, with dropped=true who did not; journeys(kind="retention", event=…) for people who did one thing first.',
    }
  },

  async conversion(args: Args, { call }: ToolContext) {
    const { goal, from, by = 'country' } = args
    const found = await call('conversion', { query: { ...dated(args), goal, from, by } })
    const columns = ['value', 'users', 'converted', 'rate'] as const
    const rest = [
      ...(found.other === undefined ? [] : [{ value: '(other)', ...found.other }]),
      ...(found.missing === undefined ? [] : [{ value: '(none)', ...found.missing }]),
    ]
    return {
      summary: `${found.converted.toLocaleString('en-US')} of ${count(found.users, 'person', 'people')} reach the goal (${percent(found.rate)}), ${range(found.period)}.`,
      counted: `${from === undefined ? 'all people of the range' : 'people with the first event'}, each once; ${EVERYBODY}`,
      totals: { users: found.users, converted: found.converted, rate: found.rate },
      tables: [tableOf('values', [...found.values, ...rest], columns)],
      ...notesOf(found),
      next: 'journeys(kind="funnel", by=…) for the steps between.',
    }
  },

  async sources(args: Args, { call }: ToolContext) {
    const { goal, by = 'channel' } = args
    const found = await call('sources', { query: { ...dated(args), goal, by } })
    const { by_currency: _, ...totals } = found.total
    const columns = ['value', 'sessions', 'people', 'bounce_rate', 'avg_pages'] as const
    const ofGoal = ['conversions', 'conversion_rate', 'sum_value', 'currency'] as const
    const rows = found.rows.map(row => ({ ...row, value: row.value ?? '(none)' }))
    const table =
      goal === undefined ? tableOf('rows', rows, columns) : tableOf('rows', rows, [...columns, ...ofGoal])
    const sums = sumsByCurrency(found)
    return {
      summary: `${count(totals.sessions, 'visit')} by ${by}, ${range(found.period)}.`,
      counted: `visits that start in the range, by their first page; rules of sources version ${found.rules_version}${goal === undefined ? '' : '; a visit converts with the event in it (last touch)'}`,
      totals,
      tables: [
        table,
        ...(sums.length === 0
          ? []
          : [tableOf('by currency', sums, ['value', 'currency', 'sum_value'] as const)]),
      ],
      ...notesOf(found),
      next: 'where={"field":"channel","op":"eq","value":…} in any read for one channel.',
    }
  },
}

/** Most ways that are listed, the most frequent ones. */
const MAX_WAYS = 100

type Ways = { entry_page: string; tree: PathNode[] }[]

/** The trees as lines: each node with the way to it. A node stands after the one that leads to it. */
function waysTable(entries: Ways): AnswerTable {
  const rows = entries.flatMap(({ entry_page, tree }) => waysOf(tree, [entry_page]))
  const sorted = rows.toSorted((a, b) => b.sessions - a.sessions)
  return {
    name: 'ways',
    columns: ['way', 'sessions', 'conversions', 'conversion_rate'],
    rows: sorted
      .slice(0, MAX_WAYS)
      .map(({ way, sessions, conversions, conversion_rate }) => [
        way,
        sessions,
        conversions,
        conversion_rate,
      ]),
    total: sorted.length,
    chart: 'paths',
  }
}

type Way = { way: readonly string[]; sessions: number; conversions: number; conversion_rate: number }

function waysOf(nodes: readonly PathNode[], before: readonly string[]): Way[] {
  return nodes.flatMap(({ type, value, sessions, conversions, conversion_rate, children }) => {
    const way = [...before, type === 'drop_off' ? '(left)' : type === 'truncated' ? '(goes on)' : value]
    return [{ way, sessions, conversions, conversion_rate }, ...waysOf(children, way)]
  })
}
