import { activity } from '#core/lake/read/relations'
import { FREE_SCANS } from '#core/lake/read/scan-strategy'
import type { Row, SqlQuery } from '#core/ports'
import type { ReadRows } from '#core/reports/run/statements'
import { addDays } from '#core/reports/run/zone'
import { MAX_GROUPS } from '#core/reports/sql/distinct'
import { integer, join, sql, trustedSql } from '#core/sql/sql'
import { EVENT_LIMITS } from '#schemas/event'
import type { QueryRequest } from './params.ts'
import { filteredEvents, groupBy, type Plan, selectGroups } from './plan.ts'

/** The groups that a statement left out: how many, their events together, and those of the largest. */
type OtherGroups = { count: number; events: number; mostEvents: number }

const NO_OTHERS: OtherGroups = { count: 0, events: 0, mostEvents: 0 }

/**
 * The groups of a query, or those with the most events; more than MAX_GROUPS if they cannot be counted.
 * `areCounted`: whether the numbers of their events are known.
 */
export async function findGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
): Promise<{ largest: Row[]; others: OtherGroups; areCounted: boolean }> {
  const dates = possibleDates(request, plan)
  if (dates !== null) return { largest: dates, others: NO_OTHERS, areCounted: false }
  if (!isLargestFirst(request, plan)) {
    const largest = await rows(eventsOfGroupsSql(request, plan))
    return { largest, others: NO_OTHERS, areCounted: true }
  }
  const found = await rows(largestGroupsSql(request, plan))
  const [total = {}] = found.filter(({ group_count }) => group_count !== null)
  const sorted = found
    .filter(({ group_count }) => group_count === null)
    .toSorted((a, b) => Number(b.events) - Number(a.events))
  const largest = sorted.slice(0, MAX_GROUPS)
  const events = largest.reduce((sum, row) => sum + Number(row.events), 0)
  return {
    largest,
    areCounted: true,
    others: {
      count: Number(total.group_count) - largest.length,
      events: Number(total.events) - events,
      mostEvents: Number(sorted[MAX_GROUPS]?.events ?? 0),
    },
  }
}

/**
 * Whether the groups with the most events are likely to be those that the query shows: it has one field,
 * whose values have no order, and shows the largest counts. The two scans of its statement cost time only.
 */
function isLargestFirst({ params, read }: QueryRequest, { groups, metrics }: Plan): boolean {
  const [group] = groups
  const isOfValues = groups.length === 1 && group !== undefined && group.field !== 'date'
  const isByCount = params.order !== 'asc' && params.order_by !== group?.field
  // The rest of other counts than those of events is not known without counting them.
  const isRestKnown = params.count_mode === 'raw' || metrics.every(({ name }) => name !== 'event_count')
  const { countsEventsApart } = read.scans ?? FREE_SCANS
  return isOfValues && isByCount && isRestKnown && countsEventsApart && params.limit < MAX_GROUPS
}

/**
 * The MAX_GROUPS + 1 groups with the most events, and a row with the number of all groups and their events.
 */
function largestGroupsSql(request: QueryRequest, plan: Plan): SqlQuery {
  const { count, relation } = groupRows(request, plan)
  const aliases = plan.groups.map(({ alias }) => alias)
  const group = join(aliases, ', ')
  return sql`WITH event_group AS (SELECT ${group}, ${count} AS events FROM ${relation} AS group_row ${groupBy(plan.groups)})
    SELECT ${group}, events, NULL AS group_count
    FROM (SELECT * FROM event_group ORDER BY events DESC, ${group} LIMIT ${integer(MAX_GROUPS + 1)}) AS largest_group
    UNION ALL SELECT ${join(
      aliases.map(() => sql`NULL`),
      ', ',
    )}, coalesce(CAST(sum(events) AS bigint), 0), count(*) FROM event_group`
}

/**
 * All dates of the range as groups, if the query groups by date only and needs no numbers of events: then no
 * statement has to find the groups. Null for other queries, and if the rollup tells the groups in less time.
 */
function possibleDates(
  { params, read, zone, now }: QueryRequest,
  { groups, metrics, filters }: Plan,
): Row[] | null {
  const needsEvents = params.count_mode === 'raw' && metrics.some(({ name }) => name === 'event_count')
  if (needsEvents || filters.length === 0 || groups.some(({ field }) => field !== 'date')) return null
  if (groups.length === 0) return [{}]
  const last = zone.dateOf(Math.min(read.to - 1, now + EVENT_LIMITS.futureMs))
  const dates: Row[] = []
  for (let date = zone.dateOf(read.from); date <= last; date = addDays(date, 1)) {
    dates.push({ group_0: date })
    if (dates.length > MAX_GROUPS) return null
  }
  return dates
}

/**
 * The groups and their numbers of events, one more than MAX_GROUPS if there are more. Without `group_by` all
 * events are one group.
 */
function eventsOfGroupsSql(request: QueryRequest, plan: Plan): SqlQuery {
  const aliases = plan.groups.map(({ alias }) => alias)
  const { count, relation } = groupRows(request, plan)
  const orderBy = aliases.length === 0 ? sql`` : sql`ORDER BY ${join(aliases, ', ')}`
  return sql`SELECT ${join([...selectGroups(plan.groups), sql`${count} AS events`], ', ')}
    FROM ${relation} AS group_row ${groupBy(plan.groups)} ${orderBy} LIMIT ${integer(MAX_GROUPS + 1)}`
}

/**
 * The rows with the columns of the groups, of events or of the rollup, and the number of events of a group.
 */
function groupRows(request: QueryRequest, plan: Plan): { count: SqlQuery; relation: SqlQuery } {
  const rollup = rollupOf(request, plan)
  return rollup === null
    ? { count: sql`count(*)`, relation: sql`(${filteredEvents(request, { ...plan, metrics: [] }, [])})` }
    : { count: sql`CAST(sum(event_count) AS bigint)`, relation: rollup }
}

/** The rollup with the columns of the groups, event_count and user_ref; null if only the events can tell. */
export function rollupOf({ read, zone, range }: QueryRequest, { groups, filters }: Plan): SqlQuery | null {
  const isInRollup = groups.every(({ field }) => ['date', 'event', 'country'].includes(field))
  if (filters.length > 0 || !isInRollup) return null
  const columns = groups.map(({ field, alias }) => sql`${trustedSql(field)} AS ${alias}, `)
  return sql`(SELECT ${join(columns, '')}user_ref, event_count
    FROM ${activity(read, zone.isUtc ? null : zone.localTimestamp(range))} AS activity)`
}
