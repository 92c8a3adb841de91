import { activity, sessionEvents } from '#core/lake/read/relations'
import { FREE_SCANS } from '#core/lake/read/scan-strategy'
import type { Row, SqlQuery } from '#core/ports'
import { compareCodePoints } from '#core/reports/run/code-points'
import type { ReadRows } from '#core/reports/run/statements'
import { addDays } from '#core/reports/run/zone'
import {
  countDistinct,
  type DistinctCounts,
  type GroupSet,
  MAX_GROUPS,
  textKey,
} from '#core/reports/sql/distinct'
import { integer, join, sql } from '#core/sql'
import { EVENT_LIMITS } from '#schemas/event'
import { type NumberedGroup, type NumberedGroups, numberGroups, toText } from './group-numbers.ts'
import type { QueryParams, QueryRequest } from './params.ts'
import { filteredEvents, groupBy, type Plan, selectGroups } from './plan.ts'

/** Metrics of docs/api/numbers.md#count-modes-of-query that count distinct sessions and users. */
const COUNTS = ['event_count', 'session_count', 'unique_users'] as const
type Counts = Record<(typeof COUNTS)[number], number>

/**
 * The rows of groupsSql (core/reports/query/query.ts) for a query that counts events, sessions and users in
 * at most MAX_GROUPS groups, or whose shown groups are surely among the MAX_GROUPS with the most events; null
 * for other queries. A first statement finds the groups, others count the sessions and users of all groups in
 * one pass (core/reports/sql/distinct.ts). Grouping by (group, session) takes three times as long.
 */
export async function readFewGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
): Promise<Row[] | null> {
  const isCounted = plan.metrics.every(({ name }) => COUNTS.some(count => count === name))
  const hasManyGroups = plan.groups.some(({ field }) => field === 'user_id' || field === 'session_id')
  if (!isCounted || hasManyGroups) return null
  const { largest, others } = await findGroups(rows, request, plan)
  if (largest.length === 0) return []
  const numbered = numberGroups(plan.groups, largest)
  if (numbered === null) return null
  const all = await countGroups(rows, request, plan, numbered)
  const { limit } = request.params
  const sorted = all.toSorted(groupOrder(request.params, plan))
  const last = sorted[limit - 1]
  // None of the other groups has more users or sessions than its events.
  if (
    others.count > 0 &&
    (last === undefined || last.counts[orderMetric(request.params, plan)] <= others.mostEvents)
  )
    return null
  const shown = sorted.slice(0, limit).map(({ values, counts }) => ({
    ...Object.fromEntries(values.map((value, i) => [`group_${i}`, value])),
    ...Object.fromEntries(plan.metrics.map(({ name }, i) => [`metric_${i}_0`, counts[name as keyof Counts]])),
  }))
  const hidden = sorted.slice(limit)
  const hiddenCount = hidden.length + others.count
  if (hiddenCount === 0) return shown
  const rest = hidden.reduce((events, { counts }) => events + counts.event_count, others.events)
  const rests = plan.metrics.flatMap(({ name }, i) => (name === 'event_count' ? [[`rest_${i}`, rest]] : []))
  return [...shown, { shown_rank: null, group_count: hiddenCount, ...Object.fromEntries(rests) }]
}

/** The groups that a statement left out: how many, their events together, and those of the largest. */
type OtherGroups = { count: number; events: number; mostEvents: number }

const NO_OTHERS: OtherGroups = { count: 0, events: 0, mostEvents: 0 }

/** The groups of a query, or those with the most events; more than MAX_GROUPS if they cannot be counted. */
async function findGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
): Promise<{ largest: Row[]; others: OtherGroups }> {
  const dates = possibleDates(request, plan)
  if (dates !== null) return { largest: dates, others: NO_OTHERS }
  if (!isLargestFirst(request, plan)) {
    return { largest: await rows(eventsOfGroupsSql(request, plan)), others: NO_OTHERS }
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
function rollupOf({ read, zone, range }: QueryRequest, { groups, filters }: Plan): SqlQuery | null {
  const isInRollup = groups.every(({ field }) => ['date', 'event', 'country'].includes(field))
  if (filters.length > 0 || !isInRollup) return null
  const columns = groups.map(({ field, alias }) => sql`${{ text: field, params: [] }} AS ${alias}, `)
  return sql`(SELECT ${join(columns, '')}user_ref, event_count
    FROM ${activity(read, zone.isUtc ? null : zone.localTimestamp(range))} AS activity)`
}

/** A group of the response. */
type CountedGroup = { values: (string | null)[]; counts: Counts }

/**
 * The groups that have events, with their counts. Without `group_by` the group of all events is there in any
 * case.
 */
async function countGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  { groups, set, indexOf }: NumberedGroups,
): Promise<CountedGroup[]> {
  const isAsked = (name: keyof Counts) => plan.metrics.some(metric => metric.name === name)
  const isRaw = request.params.count_mode === 'raw' || !isAsked('event_count')
  const groupSets = [set]
  const planOfRows = { ...plan, metrics: [] }
  const [sessions, users] = await Promise.all([
    isRaw && !isAsked('session_count') ? null : countSessions(rows, request, planOfRows, groups, set),
    isAsked('unique_users') ? countUsers(rows, request, planOfRows, groupSets) : null,
  ])
  const others =
    isRaw || sessions?.hasRowsWithoutEntity !== true
      ? null
      : await countOthers(rows, request, planOfRows, { groupSets, indexOf })
  const present = (sessions ?? users)?.present[0]
  return groups
    .filter(({ index, events }) => plan.groups.length === 0 || events > 0 || present?.[index] === true)
    .map(({ values, index, events }) => {
      const session_count = sessions?.groups[0]?.[index] ?? 0
      return {
        values,
        counts: {
          event_count: isRaw ? events : session_count + (others?.(index) ?? 0),
          session_count,
          unique_users: users?.groups[0]?.[index] ?? 0,
        },
      }
    })
}

/** The sessions of each group. The rollup knows them by UTC date and in all, the events in any group. */
async function countSessions(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  groups: readonly NumberedGroup[],
  set: GroupSet,
): Promise<Pick<DistinctCounts, 'groups' | 'present' | 'hasRowsWithoutEntity'>> {
  const isByDate = plan.groups.every(({ field }) => field === 'date')
  const relation =
    request.zone.isUtc && plan.filters.length === 0 && isByDate ? sessionEvents(request.read) : null
  if (relation === null) {
    return countDistinct(rows, {
      relation: sql`(${filteredEvents(request, plan, ['session_id'])})`,
      entity: textKey(sql`session_id`),
      groupSets: [set],
    })
  }
  const dates = plan.groups.map(() => sql`date, `)
  const groupBy = plan.groups.length === 0 ? sql`` : sql`GROUP BY date`
  const counted = await rows(sql`SELECT ${join(
    dates.map(() => sql`CAST(date AS varchar) AS date, `),
    '',
  )}count(*) AS sessions,
      CAST(sum(events) AS bigint) AS events
    FROM (SELECT ${join(dates, '')}session_key, sum(event_count) AS events FROM ${relation} AS session_event
      GROUP BY ${join(dates, '')}session_key) AS dated_session ${groupBy}`)
  const byDate = new Map(counted.map(row => [toText(row.date), row]))
  const counts = groups.map(({ values }) => Number(byDate.get(values[0] ?? null)?.sessions ?? 0))
  const sumOf = (list: readonly { events?: Row[string] }[]) =>
    list.reduce((sum, { events }) => sum + Number(events ?? 0), 0)
  const byIndex: number[] = []
  for (const [i, { index }] of groups.entries()) byIndex[index] = counts[i] ?? 0
  return { groups: [byIndex], present: [], hasRowsWithoutEntity: sumOf(counted) < sumOf(groups) }
}

function countUsers(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  groupSets: readonly GroupSet[],
): Promise<DistinctCounts> {
  const rollup = rollupOf(request, plan)
  if (rollup !== null) return countDistinct(rows, { relation: rollup, entity: sql`user_ref`, groupSets })
  const relation = sql`(${filteredEvents(request, plan, ['user_id'])})`
  return countDistinct(rows, { relation, entity: textKey(sql`user_id`), groupSets })
}

/**
 * What `session_then_user` counts beside the sessions of a group: users without a session in the group, and
 * events with neither.
 */
async function countOthers(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  { groupSets, indexOf }: { groupSets: readonly GroupSet[] } & Pick<NumberedGroups, 'indexOf'>,
): Promise<(index: number) => number> {
  const relation = sql`(${filteredEvents(request, plan, ['user_id', 'session_id'])})`
  const [users, anonymous] = await Promise.all([
    countDistinct(rows, {
      relation,
      entity: textKey(sql`user_id`),
      groupSets,
      unless: sql`session_id IS NOT NULL`,
    }),
    rows(anonymousEventsSql(relation, plan)),
  ])
  const events = new Map(anonymous.map(row => [indexOf(row), Number(row.events)]))
  return index => (users.groups[0]?.[index] ?? 0) + (events.get(index) ?? 0)
}

/** The events of each group that have neither a session nor a user. */
function anonymousEventsSql(relation: SqlQuery, { groups }: Plan): SqlQuery {
  return sql`SELECT ${join([...selectGroups(groups), sql`count(*) AS events`], ', ')} FROM ${relation} AS group_row
    WHERE session_id IS NULL AND user_id IS NULL ${groupBy(groups)}`
}

/** The metric by which the groups are ordered, if no field does. */
function orderMetric({ order_by }: Pick<QueryParams, 'order_by'>, { metrics }: Pick<Plan, 'metrics'>) {
  const asked = metrics.find(({ name }) => name === order_by) ?? metrics[0]
  return asked?.name as keyof Counts
}

/** The order of orderSql (core/reports/query/query.ts). */
function groupOrder({ order_by, order }: QueryParams, { groups, metrics }: Plan) {
  const direction = order === 'asc' ? 1 : -1
  const groupAt = (field: string | undefined) => groups.findIndex(group => group.field === field)
  const isByMetric = metrics.some(({ name }) => name === order_by)
  const first = groupAt(order_by) >= 0 ? groupAt(order_by) : isByMetric ? -1 : groupAt('date')
  const metric = orderMetric({ order_by }, { metrics })
  const others = groups.map((_, i) => i).filter(i => i !== first)
  return (a: CountedGroup, b: CountedGroup): number => {
    const byFirst =
      first >= 0
        ? compareValues(a.values[first], b.values[first], direction)
        : direction * ((a.counts[metric] ?? 0) - (b.counts[metric] ?? 0))
    return others.reduce((result, i) => result || compareValues(a.values[i], b.values[i], 1), byFirst)
  }
}

/** Texts by code point, null last in both directions. */
function compareValues(a: string | null = null, b: string | null = null, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return direction * compareCodePoints(a, b)
}
