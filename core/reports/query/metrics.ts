import type { EventField } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { sql } from '#core/sql'
import { numberOf } from '../filters.ts'
import { propertyValue } from '../property-value.ts'
import { ratio } from '../rounding.ts'
import { SESSION_METRICS } from './session-totals.ts'

/**
 * A metric of POST /query over the events of a group. `aggregates` add up the rows of a group in `rowsOf`:
 * - `entities` (entitiesSql of query.ts): one row for each session of the group, and one for each user.
 * - `events`: one row for each event.
 */
export type Metric = {
  name: string
  rowsOf: 'entities' | 'events'
  /** Fields of `events` that it reads. */
  fields: EventField[]
  /** A column that is computed for each event. */
  column?: { alias: string; value: SqlQuery }
  /** The number of a group, and what else `read` needs. The first column is the number, for the order of rows. */
  aggregates: SqlQuery[]
  /** Makes the metric of a response from the columns of a group, whose first field is `group`. */
  read(values: Row[string][], group: Row[string]): number | null
  /** Whether groups add up to the total. */
  isAdditive: boolean
  /** Whether it needs the rows of users. */
  needsUsers: boolean
  /** Whether it needs the whole sessions beside the rows of sessions. */
  needsSessions: boolean
}

const NUMERIC = /^(sum|avg|min|max|p50|p95)\(properties\.(\w+)\)$/

/** `index`: the place of the metric in the request; it makes aliases unique. */
export function planMetric(name: string, index: number, countMode: string): Metric {
  const [, statistic, key] = NUMERIC.exec(name) ?? []
  if (statistic !== undefined && key !== undefined) return propertyMetric(name, statistic, key, index)
  const plain = {
    name,
    rowsOf: 'entities',
    column: undefined,
    fields: [],
    isAdditive: false,
    needsUsers: false,
    needsSessions: false,
    read: toCount,
  } as const
  switch (name) {
    case 'unique_users':
      return { ...plain, fields: [], aggregates: [countUsers(sql`true`)], needsUsers: true }
    case 'session_count':
      return { ...plain, fields: [], aggregates: [countSessions] }
    case 'bounce_rate':
      return { ...plain, fields: [], ...perSession(sql`is_bounce`, SESSION_METRICS.bounce_rate) }
    case 'avg_duration':
      return { ...plain, fields: [], ...perSession(sql`duration_ms`, SESSION_METRICS.avg_duration) }
    default:
      return {
        ...plain,
        fields: [],
        aggregates: [countMode === 'raw' ? sumOfSessionRows(sql`event_count`) : countBySessionThenUser],
        isAdditive: true,
        needsUsers: countMode !== 'raw',
      }
  }
}

const countSessions = sql`count(CASE WHEN is_user_row = 0 AND session_id IS NOT NULL THEN 1 END)`

function countUsers(condition: SqlQuery): SqlQuery {
  return sql`count(CASE WHEN is_user_row = 1 AND user_id IS NOT NULL AND ${condition} THEN 1 END)`
}

/** Adds up all events of a group, those without a session too. */
function sumOfSessionRows(value: SqlQuery): SqlQuery {
  return sql`CAST(coalesce(sum(CASE WHEN is_user_row = 0 THEN ${value} END), 0) AS bigint)`
}

/** Contract 2.1: sessions, then users without a session in the group, then events with neither. */
const countBySessionThenUser = sql`${countSessions} + ${countUsers(sql`has_session = 0`)}
      + ${sumOfSessionRows(sql`anonymous_events`)}`

/** The mean over the sessions of a group. */
function perSession(
  value: SqlQuery,
  { decimals }: { decimals: number },
): Pick<Metric, 'aggregates' | 'read' | 'needsSessions'> {
  const total = sql`sum(CASE WHEN is_user_row = 0 AND session_id IS NOT NULL THEN ${value} END)`
  return {
    aggregates: [
      sql`CASE WHEN ${countSessions} = 0 THEN 0e0 ELSE CAST(${total} AS double) / ${countSessions} END`,
      sql`CAST(${total} AS bigint)`,
      countSessions,
    ],
    read: ([, sum, count]) => ratio(Number(sum ?? 0), Number(count ?? 0), decimals),
    needsSessions: true,
  }
}

function propertyMetric(name: string, statistic: string, key: string, index: number): Metric {
  const { fields, filterField } = propertyValue(key)
  const alias = `number_${index}`
  return {
    name,
    rowsOf: 'events',
    fields,
    column: {
      alias,
      value: numberOf(filterField),
    },
    aggregates: [statistics[statistic as keyof typeof statistics](written(alias))],
    read: ([value]) => (value === null || value === undefined ? null : Number(value)),
    isAdditive: statistic === 'sum',
    needsUsers: false,
    needsSessions: false,
  }
}

const statistics = {
  sum: (column: SqlQuery) => sql`sum(${column})`,
  avg: (column: SqlQuery) => sql`avg(${column})`,
  min: (column: SqlQuery) => sql`min(${column})`,
  max: (column: SqlQuery) => sql`max(${column})`,
  p50: (column: SqlQuery) => percentile(column, 50),
  p95: (column: SqlQuery) => percentile(column, 95),
}

/** The value at the nearest rank, ceil(percent / 100 * n). Both engines compute it exactly. */
function percentile(column: SqlQuery, percent: 50 | 95): SqlQuery {
  const rank = sql`CAST((count(${column}) * ${written(String(percent))} + 99) / 100 AS integer)`
  return sql`CASE WHEN count(${column}) > 0 THEN
        (array_agg(${column} ORDER BY ${column}) FILTER (WHERE ${column} IS NOT NULL))[${rank}] END`
}

function toCount([value]: Row[string][]): number {
  return Number(value ?? 0)
}

/** Names and numbers that the code makes; never values of a request. */
export function written(text: string): SqlQuery {
  return { text, params: [] }
}
