import { sessionDates } from '#core/lake/read/session-dates'
import type { Row, SqlQuery } from '#core/ports'
import { ratio } from '#core/reports/run/rounding'
import type { ReportRequest } from '#core/reports/run/run'
import { sql } from '#core/sql'
import { EVENT_LIMITS } from '#schemas/event'
import type { QueryParams } from './params.ts'

/**
 * The session metrics of POST /query: what is added up over the sessions of a group, and the decimals of the
 * mean.
 */
export const SESSION_METRICS = {
  bounce_rate: { sum: 'bounces', decimals: 3 },
  avg_duration: { sum: 'duration', decimals: 0 },
} as const

export type SessionMetric = keyof typeof SESSION_METRICS

export function isSessionMetric(name: string): name is SessionMetric {
  return name in SESSION_METRICS
}

/**
 * The totals of the whole sessions, in all or by UTC date, from the rollup: (group_0, sessions, bounces,
 * duration). Null for a query whose groups or filters only the events have. Then the query joins the sessions
 * to its events (core/lake/read/session-rows.ts).
 */
export function sessionTotalsSql({ params, read, zone, now }: ReportRequest<QueryParams>): SqlQuery | null {
  const { metrics, group_by, filters, email } = params
  const isByDate = group_by.length === 1 && group_by[0] === 'date'
  const isOfRollup = zone.isUtc && filters.length === 0 && email === undefined
  if (!metrics.some(isSessionMetric) || !isOfRollup || (group_by.length > 0 && !isByDate)) return null
  const dates = sessionDates(read, now + EVENT_LIMITS.futureMs + 1)
  if (dates === null) return null
  const totals = sql`count(*) AS sessions, CAST(sum(is_bounce) AS bigint) AS bounces, CAST(sum(duration_ms) AS bigint) AS duration`
  if (isByDate) {
    return sql`SELECT CAST(date AS varchar) AS group_0, ${totals} FROM ${dates} AS session_date GROUP BY date`
  }
  return sql`SELECT ${totals} FROM (SELECT max(is_bounce) AS is_bounce, max(duration_ms) AS duration_ms
      FROM ${dates} AS session_date GROUP BY session_key) AS whole_session`
}

/**
 * Reads a session metric of a group from its row of sessionTotalsSql; undefined: the group has no sessions.
 */
export function readSessionMetric(name: SessionMetric, totals: Row | undefined): number {
  const { sum, decimals } = SESSION_METRICS[name]
  return ratio(Number(totals?.[sum] ?? 0), Number(totals?.sessions ?? 0), decimals)
}
