import { activity } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { date, integer, join, sql } from '#core/sql'
import { DAY_MS } from '#core/time'
import { compareCodePoints } from '../code-points.ts'
import {
  canGroupByValue,
  countDistinct,
  type DistinctCounts,
  type GroupSet,
  groupByValue,
  MAX_GROUPS,
  textKey,
} from '../distinct.ts'
import type { ReportRequest } from '../run.ts'
import type { ReadRows } from '../statements.ts'
import { filteredEvents, type Group, type Plan } from './plan.ts'
import type { QueryParams } from './query.ts'
import { isSessionMetric } from './session-totals.ts'

type QueryRequest = ReportRequest<QueryParams>

/** Metrics of contract 2.1 that count distinct sessions and users. */
const COUNTS = ['event_count', 'session_count', 'unique_users'] as const
type Counts = Record<(typeof COUNTS)[number], number>

/** A group of the response: its values in the order of `group_by`, and its number among all groups. */
type FoundGroup = { values: (string | null)[]; index: number; events: number }

/**
 * The rows of groupsSql (core/reports/query/query.ts) for a query that counts events, sessions and users in at most MAX_GROUPS groups; null
 * for other queries. A first statement finds the groups, others count the sessions and users of all groups in one pass
 * (core/reports/distinct.ts). Grouping by (group, session) takes three times as long.
 */
export async function readFewGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
): Promise<Row[] | null> {
  // Another statement counts the session metrics that do not need their sessions here.
  const isCounted = plan.metrics.every(
    ({ name, needsSessions }) => name in ZERO || (isSessionMetric(name) && !needsSessions),
  )
  const hasManyGroups = plan.groups.some(({ field }) => field === 'user_id' || field === 'session_id')
  if (!isCounted || hasManyGroups) return null
  const found = await rows(eventsOfGroupsSql(request, plan))
  if (found.length === 0) return []
  const numbered = numberGroups(plan.groups, found)
  if (numbered === null) return null
  const counts = await countGroups(rows, request, plan, numbered)
  const all = numbered.groups.map(({ values }, i) => ({ values, counts: counts[i] ?? ZERO }))
  const sum = all.reduce((events, { counts }) => events + counts.event_count, 0)
  return all
    .toSorted(groupOrder(request.params, plan))
    .slice(0, request.params.limit)
    .map(({ values, counts }) => ({
      ...Object.fromEntries(values.map((value, i) => [`group_${i}`, value])),
      ...Object.fromEntries(
        plan.metrics.flatMap(({ name }, i) => [
          [`metric_${i}_0`, name in counts ? counts[name as keyof Counts] : 0],
          ...(name === 'event_count' ? [[`all_${i}`, sum]] : []),
        ]),
      ),
      total_rows: all.length,
    }))
}

const ZERO: Counts = { event_count: 0, session_count: 0, unique_users: 0 }

/** The groups and their numbers of events, one more than MAX_GROUPS if there are more. Without `group_by` all events are one group. */
function eventsOfGroupsSql(request: QueryRequest, plan: Plan): SqlQuery {
  const rollup = rollupOf(request, plan)
  const aliases = plan.groups.map(({ alias }) => alias)
  const groupBy = aliases.length === 0 ? sql`` : sql`GROUP BY ${join(aliases, ', ')}`
  const values = plan.groups.map(({ alias, field }) =>
    field === 'date' ? sql`CAST(${alias} AS varchar) AS ${alias}, ` : sql`${alias}, `,
  )
  const [count, relation] =
    rollup === null
      ? [sql`count(*)`, sql`(${filteredEvents(request, { ...plan, metrics: [] }, [])})`]
      : [sql`CAST(sum(event_count) AS bigint)`, rollup]
  return sql`SELECT ${join(values, '')}${count} AS events FROM ${relation} AS group_row ${groupBy} LIMIT ${integer(MAX_GROUPS + 1)}`
}

/** The rollup with the columns of the groups, event_count and user_ref; null if only the events can tell. */
function rollupOf({ read, zone, range }: QueryRequest, { groups, filters }: Plan): SqlQuery | null {
  const isInRollup = groups.every(({ field }) => ['date', 'event', 'country'].includes(field))
  if (filters.length > 0 || !isInRollup) return null
  const columns = groups.map(({ field, alias }) => sql`${{ text: field, params: [] }} AS ${alias}, `)
  return sql`(SELECT ${join(columns, '')}user_ref, event_count
    FROM ${activity(read, zone.isUtc ? null : zone.localTimestamp(range))} AS activity)`
}

/** The groups as one set for countDistinct; null if they are too many. */
function numberGroups(
  groups: readonly Group[],
  found: readonly Row[],
): { groups: FoundGroup[]; set: GroupSet } | null {
  const sets = groups.map((group, i) =>
    numberValues(
      group,
      found.map(row => toText(row[`group_${i}`])),
    ),
  )
  const size = sets.reduce((product, set) => product * (set?.size ?? Number.POSITIVE_INFINITY), 1)
  if (found.length > MAX_GROUPS || size > MAX_GROUPS) return null
  const numberOf = (values: readonly (string | null)[]) =>
    sets.reduceRight(
      (number, set, i) => number * (set?.size ?? 1) + (set?.indexOf(values[i] ?? null) ?? 0),
      0,
    )
  const groupIndex = sets.reduceRight<SqlQuery>(
    (number, set) => sql`(${number}) * ${integer(set?.size ?? 1)} + (${set?.groupIndex ?? sql`1`}) - 1`,
    sql`0`,
  )
  return {
    groups: found.map(row => {
      const values = groups.map((_, i) => toText(row[`group_${i}`]))
      return { values, index: numberOf(values), events: Number(row.events ?? 0) }
    }),
    set: { groupIndex: sql`(${groupIndex}) + 1`, size },
  }
}

/** The values of a field as a set; `indexOf` gives the index of a value from 0. Null if there are too many. */
function numberValues(
  { field, alias }: Group,
  all: readonly (string | null)[],
): (GroupSet & { indexOf(value: string | null): number }) | null {
  const values = [...new Set(all)].toSorted()
  if (values.length === 0) return { groupIndex: sql`1`, size: 1, indexOf: () => 0 }
  if (field !== 'date') {
    return canGroupByValue(values)
      ? { ...groupByValue(alias, values), indexOf: value => values.indexOf(value) }
      : null
  }
  const first = String(values[0])
  const indexOf = (value: string | null) => (Date.parse(String(value)) - Date.parse(first)) / DAY_MS
  const groupIndex = sql`date_diff('day', ${date(first)}, ${alias}) + 1`
  return { groupIndex, size: indexOf(values.at(-1) ?? null) + 1, indexOf }
}

/** The counts of the groups, in the order of `groups`. */
async function countGroups(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  { groups, set }: { groups: FoundGroup[]; set: GroupSet },
): Promise<Counts[]> {
  const isAsked = (name: keyof Counts) => plan.metrics.some(metric => metric.name === name)
  const isRaw = request.params.count_mode === 'raw' || !isAsked('event_count')
  const groupSets = [set]
  const planOfRows = { ...plan, metrics: [] }
  const [sessions, users] = await Promise.all([
    isRaw && !isAsked('session_count')
      ? null
      : countDistinct(rows, {
          relation: sql`(${filteredEvents(request, planOfRows, ['session_id'])})`,
          entity: textKey(sql`session_id`),
          groupSets,
        }),
    isAsked('unique_users') ? countUsers(rows, request, planOfRows, groupSets) : null,
  ])
  const others =
    isRaw || sessions?.hasNobody !== true ? null : await countOthers(rows, request, planOfRows, groupSets)
  return groups.map(({ values, index, events }) => {
    const session_count = sessions?.groups[0]?.[index] ?? 0
    return {
      event_count: isRaw ? events : session_count + (others?.(values, index) ?? 0),
      session_count,
      unique_users: users?.groups[0]?.[index] ?? 0,
    }
  })
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

/** What `session_then_user` counts beside the sessions of a group: users without a session in the group, and events with neither. */
async function countOthers(
  rows: ReadRows,
  request: QueryRequest,
  plan: Plan,
  groupSets: readonly GroupSet[],
): Promise<(values: readonly (string | null)[], index: number) => number> {
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
  const events = new Map(
    anonymous.map(row => [
      JSON.stringify(plan.groups.map((_, i) => toText(row[`group_${i}`]))),
      Number(row.events),
    ]),
  )
  return (values, index) => (users.groups[0]?.[index] ?? 0) + (events.get(JSON.stringify(values)) ?? 0)
}

/** The events of each group that have neither a session nor a user. */
function anonymousEventsSql(relation: SqlQuery, { groups }: Plan): SqlQuery {
  const aliases = groups.map(({ alias }) => alias)
  const values = groups.map(({ alias, field }) =>
    field === 'date' ? sql`CAST(${alias} AS varchar) AS ${alias}, ` : sql`${alias}, `,
  )
  return sql`SELECT ${join(values, '')}count(*) AS events FROM ${relation} AS group_row
    WHERE session_id IS NULL AND user_id IS NULL ${aliases.length === 0 ? sql`` : sql`GROUP BY ${join(aliases, ', ')}`}`
}

/** The order of orderSql (core/reports/query/query.ts). */
function groupOrder({ order_by, order }: QueryParams, { groups, metrics }: Plan) {
  type Counted = { values: (string | null)[]; counts: Counts }
  const direction = order === 'asc' ? 1 : -1
  const groupAt = (field: string | undefined) => groups.findIndex(group => group.field === field)
  const orderMetric = metrics.some(({ name }) => name === order_by) ? order_by : undefined
  const first = groupAt(order_by) >= 0 ? groupAt(order_by) : orderMetric === undefined ? groupAt('date') : -1
  const metric = (orderMetric ?? metrics[0]?.name) as keyof Counts
  const others = groups.map((_, i) => i).filter(i => i !== first)
  return (a: Counted, b: Counted): number => {
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

function toText(value: Row[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}
