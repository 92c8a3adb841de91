import { sessionEvents } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import { compareCodePoints } from '#core/reports/run/code-points'
import type { ReadRows } from '#core/reports/run/statements'
import { countDistinct, type DistinctCounts, type GroupSet } from '#core/reports/sql/distinct'
import { join, sql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import { isDerivedGroup } from '#schemas/query'
import { findGroups, rollupOf } from './find-groups.ts'
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
 * one pass (core/reports/sql/distinct.ts). Grouping by (group, session) takes three times as long. Of visits
 * and events the first row has those of all groups.
 */
export async function readFewGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
): Promise<Row[] | null> {
  const isCounted = plan.metrics.every(({ name }) => COUNTS.some(count => count === name))
  const hasManyGroups = plan.groups.some(({ field }) => field === 'user_id' || field === 'session_id')
  const isDerived = plan.groups.some(({ field }) => isDerivedGroup(field))
  if (!isCounted || hasManyGroups || isDerived) return null
  const { largest, others, areCounted } = await findGroups(rows, request, plan)
  if (largest.length === 0) return []
  const numbered = numberGroups(plan.groups, largest)
  if (numbered === null) return null
  const { groups: all, events } = await countGroups(rows, request, plan, numbered, areCounted)
  const { limit } = request.params
  const sorted = all.toSorted(groupOrder(request.params, plan))
  const last = sorted[limit - 1]
  // None of the other groups has more users or sessions than its events.
  if (
    others.count > 0 &&
    (last === undefined || last.counts[orderMetric(request.params, plan)] <= others.mostEvents)
  )
    return null
  const visits = all.reduce((sum, { counts }) => sum + counts.event_count, 0)
  const shown = sorted.slice(0, limit).map(({ values, counts }, i) => ({
    ...(i === 0 && { visits, events }),
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

/** A group of the response. */
type CountedGroup = { values: (string | null)[]; counts: Counts }

/**
 * The groups that have events, with their counts, and the events of all of them where visits are counted.
 * Without `group_by` the group of all events is there in any case.
 */
async function countGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  { groups, set, indexOf }: NumberedGroups,
  areCounted: boolean,
): Promise<{ groups: CountedGroup[]; events: number }> {
  const isAsked = (name: keyof Counts) => plan.metrics.some(metric => metric.name === name)
  const isRaw = request.params.count_mode === 'raw' || !isAsked('event_count')
  const groupSets = [set]
  const planOfRows = { ...plan, metrics: [] }
  const [sessions, users] = await Promise.all([
    isRaw && !isAsked('session_count')
      ? null
      : countSessions(rows, request, planOfRows, { groups, set, countsRows: !isRaw && !areCounted }),
    isAsked('unique_users') ? countUsers(rows, request, planOfRows, groupSets) : null,
  ])
  const others =
    isRaw || sessions?.hasRowsWithoutEntity !== true
      ? null
      : await countOthers(rows, request, planOfRows, { groupSets, indexOf })
  const present = (sessions ?? users)?.present[0]
  const counted = groups
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
  const events = areCounted ? groups.reduce((sum, group) => sum + group.events, 0) : (sessions?.rows ?? 0)
  return { groups: counted, events }
}

/** The sessions of each group. The rollup knows them by UTC date and in all, the events in any group. */
async function countSessions(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  { groups, set, countsRows }: { groups: readonly NumberedGroup[]; set: GroupSet; countsRows: boolean },
): Promise<Pick<DistinctCounts, 'rows' | 'groups' | 'present' | 'hasRowsWithoutEntity'>> {
  const isByDate = plan.groups.every(({ field }) => field === 'date')
  const relation =
    request.zone.isUtc && plan.filters.length === 0 && isByDate ? sessionEvents(request.read) : null
  if (relation === null) {
    return countDistinct(rows, {
      relation: sql`(${filteredEvents(request, plan, ['session_id'])})`,
      entity: textKey(sql`session_id`),
      groupSets: [set],
      countsRows,
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
  return {
    rows: sumOf(groups),
    groups: [byIndex],
    present: [],
    hasRowsWithoutEntity: sumOf(counted) < sumOf(groups),
  }
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
