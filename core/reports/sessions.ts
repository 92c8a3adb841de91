import type { z } from 'zod'
import { sessionRows, unixMs } from '#core/lake/session-rows'
import { integer, join, sql } from '#core/sql'
import type { SessionRow, sessionsQuery, sessionsResponse } from '#schemas/sessions'
import { defineReport, sinceDays } from './run.ts'

export type SessionsParams = Omit<z.output<typeof sessionsQuery>, 'project'>

/** GET /sessions (contract 1.3): the sessions that start in the range, newest start first. */
export const sessions = defineReport<SessionsParams, z.input<typeof sessionsResponse>>({
  range: sinceDays(7),
  sql({ read, params: { user_id, is_bounce, limit } }) {
    const conditions = [
      ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
      ...(is_bounce === undefined ? [] : [sql`is_bounce = ${integer(is_bounce)}`]),
    ]
    const where = conditions.length === 0 ? sql`` : sql`WHERE ${join(conditions, ' AND ')}`
    return sql`SELECT session_id, user_id, ${unixMs(sql`start_at`)} AS start_time, ${unixMs(sql`end_at`)} AS end_time,
        entry_page, exit_page, event_count, is_bounce, count(*) OVER () AS total_rows
      FROM ${sessionRows(read)} AS session ${where}
      ORDER BY start_time DESC, session_id LIMIT ${integer(limit)}`
  },
  shape(rows, { project, zone }) {
    const sessions = rows.map((row): SessionRow => {
      const [start, end] = [Number(row.start_time), Number(row.end_time)]
      return {
        session_id: String(row.session_id),
        user_id: toText(row.user_id),
        project_id: project.id,
        start_time: start,
        end_time: end,
        duration: end - start,
        entry_page: toText(row.entry_page),
        exit_page: toText(row.exit_page),
        event_count: Number(row.event_count),
        is_bounce: Number(row.is_bounce) === 1 ? 1 : 0,
        date: zone.dateOf(start),
        has_replay: false,
        replay_count: 0,
      }
    })
    const total = Number(rows[0]?.total_rows ?? 0)
    return {
      project: project.name,
      sessions,
      ...(total > sessions.length && { truncated: true as const, total_rows: total }),
    }
  },
})

function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}
