import type { EventField } from '#core/lake/relations'
import type { Row, SqlQuery } from '#core/ports'
import { sql } from '#core/sql'
import { propertyValue } from '../property-value.ts'
import { ratio } from '../rounding.ts'
import { SESSION_METRICS } from './session-totals.ts'

/** A metric of POST /query over the events of a group. */
export type Metric = {
  name: string
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
  /** Whether it needs the whole sessions beside the events. */
  needsSessions: boolean
}

const NUMERIC = /^(sum|avg|min|max|p50|p95)\(properties\.(\w+)\)$/

/** `index`: the place of the metric in the request; it makes aliases unique. */
export function planMetric(name: string, index: number, countMode: string): Metric {
  const [, statistic, key] = NUMERIC.exec(name) ?? []
  if (statistic !== undefined && key !== undefined) return propertyMetric(name, statistic, key, index)
  const plain = {
    name,
    column: undefined,
    fields: [],
    isAdditive: false,
    needsSessions: false,
    read: toCount,
  }
  switch (name) {
    case 'unique_users':
      return { ...plain, aggregates: [sql`count(DISTINCT user_id)`] }
    case 'session_count':
      return { ...plain, aggregates: [sql`count(DISTINCT session_id)`] }
    case 'bounce_rate':
      return { ...plain, ...perSession(sql`is_bounce`, SESSION_METRICS.bounce_rate) }
    case 'avg_duration':
      return { ...plain, ...perSession(sql`duration_ms`, SESSION_METRICS.avg_duration) }
    default:
      return {
        ...plain,
        aggregates: [countMode === 'raw' ? sql`count(group_event)` : countBySessionThenUser],
        isAdditive: true,
      }
  }
}

/**
 * Contract 2.1: sessions, then users without a session in the group, then events with neither. `group_event` is null in a
 * row that stands for no event.
 */
const countBySessionThenUser = sql`count(DISTINCT session_id)
      + count(DISTINCT CASE WHEN session_id IS NULL AND user_has_session = 0 THEN user_id END)
      + count(CASE WHEN session_id IS NULL AND user_id IS NULL THEN group_event END)`

/** The mean over the sessions of a group, each counted once. */
function perSession(
  value: SqlQuery,
  { decimals }: { decimals: number },
): Partial<Metric> & Pick<Metric, 'aggregates'> {
  const total = sql`sum(CASE WHEN session_row = 1 AND session_id IS NOT NULL THEN ${value} END)`
  const sessions = sql`count(DISTINCT session_id)`
  return {
    aggregates: [
      sql`CASE WHEN ${sessions} = 0 THEN 0e0 ELSE CAST(${total} AS double) / ${sessions} END`,
      sql`CAST(${total} AS bigint)`,
      sessions,
    ],
    read: ([, sum, count]) => ratio(Number(sum ?? 0), Number(count ?? 0), decimals),
    needsSessions: true,
  }
}

function propertyMetric(name: string, statistic: string, key: string, index: number): Metric {
  const { fields, scalar } = propertyValue(key)
  const alias = `number_${index}`
  return {
    name,
    fields,
    column: {
      alias,
      value: sql`CASE WHEN regexp_like(${scalar}, '^-{0,1}(0|[1-9][0-9]*)([.][0-9]+){0,1}([eE][+-]{0,1}[0-9]+){0,1}$')
        THEN try_cast(${scalar} AS double) END`,
    },
    aggregates: [statistics[statistic as keyof typeof statistics](written(alias))],
    read: ([value]) => (value === null || value === undefined ? null : Number(value)),
    isAdditive: statistic === 'sum',
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
