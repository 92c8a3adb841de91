import * as z from 'zod'
import { defineTool, type ToolContext } from '#lambdas/mcp/tool'
import { NEW, shownChange } from '#schemas/shown-change'
import { compare, project, sinceOr, tz, until, where } from './arguments.ts'
import { type Before, beforeOf, changesTable } from './changes-table.ts'
import { dated } from './query-report.ts'
import { count, EVERYBODY, notesOf, type Read, range, tableOf } from './words.ts'

/** What is looked through for what moved. Each costs one read. */
const DIMENSIONS = ['event', 'country', 'properties.path', 'properties.utm_source']
/** Values that are compared in each dimension, the most frequent ones. */
const VALUES = 200
const MAX_MOVERS = 50

/** What moved against the period before, or another range. */
export const changes = defineTool({
  name: 'changes',
  title: 'Changes',
  description:
    'What moved against another range, by default the days before: totals, and the events, countries, pages and campaign sources (utm_source) with the largest change. by: other fields, such as properties.plan or properties.referrer.',
  input: z.object({
    project,
    since: sinceOr('7d'),
    until,
    tz,
    where,
    compare: compare.optional(),
    by: z.array(z.string()).max(6).optional().describe('Fields to look through'),
  }),
  renames: { date_from: 'since', date_to: 'until', group_by: 'by' },
  effect: 'reads',
  isDrawn: true,
  async run({ by = DIMENSIONS, since = '7d', compare = 'previous', ...asked }, { call }) {
    const question = { ...dated({ since, ...asked }), compare }
    // At once, so that all of them see the same events and end at the same moment.
    const [totals, ...found] = await Promise.all([
      call('stats', { query: question }),
      ...by.map(field => comparedBy(field, question, call)),
    ])
    const before = beforeOf(totals)
    const reads: Read[] = [
      totals,
      ...found.map(({ receipt, truncated, previous }) => ({ receipt, truncated, previous })),
    ]
    const movers = found.flatMap(({ rows, previous }, i) =>
      moversOf(by[i] ?? '', rows, previous?.rows ?? [], before),
    )
    const sums = found.map(({ rows, previous }, i) => sumsOf(by[i] ?? '', rows, previous?.rows ?? []))
    const largest = movers.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change))
    const { unique_users: people, total_events: events } = totals.changes ?? {}
    return {
      summary: `People ${delta(people, before)}, events ${delta(events, before)}: ${range(totals.period)} against ${totals.previous === undefined ? 'nothing' : cutRange(totals.previous.period)}; ${count(largest.length, 'value')} moved.`,
      counted: `${EVERYBODY}; movers by events, of the ${VALUES} most frequent values of ${count(by.length, 'field')}`,
      totals: {
        moved: largest.length,
        ...(events !== undefined && { events: events.current, events_before: events.previous }),
      },
      tables: [
        ...(totals.changes === undefined ? [] : [changesTable(totals.changes, before)]),
        tableOf(
          'movers',
          largest.slice(0, MAX_MOVERS),
          ['field', 'value', 'current', 'previous', 'change', 'change_pct'],
          largest.length,
        ),
        tableOf('all rows of each field', sums, ['field', 'current', 'previous', 'change']),
      ],
      ...notesOf(...reads),
      next: 'query(filters=[the mover], group_by=["date"]) for when it moved; overview for notes of the owner.',
    }
  },
})

type Row = Record<string, unknown>

function comparedBy(
  field: string,
  question: ReturnType<typeof dated> & { compare: string },
  call: ToolContext['call'],
) {
  return call('query', {
    body: {
      ...{ ...question, metrics: ['event_count'], group_by: [field], count_mode: 'raw' },
      limit: VALUES,
    },
  })
}

function moversOf(field: string, rows: readonly Row[], rowsBefore: readonly Row[], before: Before) {
  const previous = new Map(rowsBefore.filter(isValue).map(row => [row[field], Number(row.event_count)]))
  const current = new Map(rows.filter(isValue).map(row => [row[field], Number(row.event_count)]))
  const values = [...new Set([...current.keys(), ...previous.keys()])]
  return values
    .map(value => moverOf(field, value, current.get(value) ?? 0, previous.get(value) ?? 0))
    .filter(({ change }) => change !== 0)
    .map(mover => ({ ...mover, change_pct: shownChange(mover.change_pct, before) }))
}

/** The events of all rows of a field, also of those that did not move, and of the rest. */
function sumsOf(field: string, rows: readonly Row[], rowsBefore: readonly Row[]) {
  const sumOf = (all: readonly Row[]) => all.reduce((sum, row) => sum + Number(row.event_count ?? 0), 0)
  const [current, previous] = [sumOf(rows), sumOf(rowsBefore)]
  return { field, current, previous, change: current - previous }
}

/** The last row may hold the rest of the values. */
function isValue(row: Row): boolean {
  return row.other !== true
}

function moverOf(field: string, value: unknown, current: number, previous: number) {
  const change = current - previous
  const change_pct = previous === 0 ? null : Math.round((change / previous) * 100)
  return { field, value, current, previous, change, change_pct }
}

/**
 * If today is not over, the last day of the compared range is cut at the same time of day.
 */
function cutRange(period: { from: string; to: string; tz?: string | undefined; until?: string | undefined }) {
  return `${range(period)}${period.until === undefined ? '' : `, whose last day ends at ${period.until}, as today is not over`}`
}

function delta(
  metric: { current: number; previous: number; change_pct: number | null } | undefined,
  before: Before,
): string {
  if (metric === undefined) return 'are unknown'
  const sign = metric.current >= metric.previous ? '+' : ''
  const pct = shownChange(metric.change_pct, before)
  const words = pct === null ? '' : pct === NEW ? ` (${NEW})` : ` (${sign}${pct}%)`
  return `${metric.previous} → ${metric.current}${words}`
}
