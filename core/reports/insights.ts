import type { z } from 'zod'
import { activity, sessions } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import { date, sql, timestamp, trustedSql } from '#core/sql/sql'
import type { insightsQuery, insightsResponse } from '#schemas/sessions'
import { toDelta } from './run/delta.ts'
import { toLabelledPeriods } from './run/range.ts'
import { ratio } from './run/rounding.ts'
import { defineReport } from './run/run.ts'

export type InsightsParams = Omit<z.output<typeof insightsQuery>, 'project'>

/** Percentage of change in events above which traffic grows, and below whose negative it declines. */
const TREND_PCT = 10

/** GET /insights (docs/api/insights.md): the totals of a period beside those of the period before it. */
export const insights = defineReport<InsightsParams, z.input<typeof insightsResponse>>({
  range: ({ period }, context) => toLabelledPeriods(period, context).range,
  async compute(rows, request) {
    const { project, params, now, zone, range, read } = request
    const { current, previous, currentFrom } = toLabelledPeriods(params.period, { now, zone })
    const localTimestamp = zone.isUtc ? null : zone.localTimestamp(range)
    const isCurrentDate = sql`date >= ${date(current.from)}`
    const isCurrentStart = sql`start_at >= ${timestamp(currentFrom)}`
    const [dataFrom, [eventRow = {}], [sessionRow = {}]] = await Promise.all([
      request.readDataFrom(),
      rows(sql`SELECT ${sumOf('events', isCurrentDate, sql`event_count`)},
          count(DISTINCT CASE WHEN ${isCurrentDate} THEN user_ref END) AS current_users,
          count(DISTINCT CASE WHEN ${isCurrentDate} THEN NULL ELSE user_ref END) AS previous_users
        FROM ${activity(read, localTimestamp)} AS activity`),
      rows(sql`SELECT ${sumOf('sessions', isCurrentStart, sql`1`)}, ${sumOf('bounces', isCurrentStart, sql`is_bounce`)},
          ${sumOf('duration', isCurrentStart, sql`date_diff('millisecond', start_at, end_at)`)}
        FROM ${sessions(read, ['start_at', 'end_at', 'is_bounce'])} AS session`),
    ])
    const row = { ...eventRow, ...sessionRow }
    const delta = (metric: string) =>
      toDelta(Number(row[`current_${metric}`] ?? 0), Number(row[`previous_${metric}`] ?? 0), 0)
    const perSession = (metric: string, decimals: number) => {
      const [now, before] = (['current', 'previous'] as const).map(period =>
        ratio(Number(row[`${period}_${metric}`] ?? 0), Number(row[`${period}_sessions`] ?? 0), decimals),
      )
      return toDelta(now ?? 0, before ?? 0, decimals)
    }
    const tz = params.tz === undefined ? {} : { tz: params.tz }
    const totalEvents = delta('events')
    return {
      project: project.name,
      current_period: { ...current, ...tz },
      previous_period: { ...previous, ...tz },
      metrics: {
        total_events: totalEvents,
        unique_users: delta('users'),
        total_sessions: delta('sessions'),
        bounce_rate: perSession('bounces', 3),
        avg_duration: perSession('duration', 0),
      },
      // Against a part of a period every project grows (U68).
      trend: dataFrom === null || previous.from < dataFrom ? 'stable' : toTrend(totalEvents.change_pct),
    }
  },
})

/** The sums `current_<metric>` and `previous_<metric>` of an expression. */
function sumOf(
  metric: 'events' | 'sessions' | 'bounces' | 'duration',
  isCurrent: SqlQuery,
  value: SqlQuery,
): SqlQuery {
  return sql`CAST(sum(CASE WHEN ${isCurrent} THEN ${value} ELSE 0 END) AS bigint) AS ${trustedSql(`current_${metric}`)},
          CAST(sum(CASE WHEN ${isCurrent} THEN 0 ELSE ${value} END) AS bigint) AS ${trustedSql(`previous_${metric}`)}`
}

/** Growth from zero counts as growing. */
function toTrend(changePct: number | null): 'growing' | 'stable' | 'declining' {
  if (changePct === null || changePct > TREND_PCT) return 'growing'
  return changePct < -TREND_PCT ? 'declining' : 'stable'
}
