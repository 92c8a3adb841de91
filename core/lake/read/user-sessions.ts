import type { SqlQuery } from '#core/ports'
import { isOneOf, sql } from '#core/sql/sql'
import { hotEvents } from './hot-events.ts'
import type { LakeRead } from './lake-read.ts'
import { segmentsBetween, unionAll, visibleRows } from './segment-rows.ts'

/**
 * The session_keys of sessions of users, by their user_keys, from rollups alone. In each segment a session is
 * that of its last user. A session may have several rows.
 */
export function userSessions(read: LakeRead, userKeys: readonly number[]): SqlQuery {
  const isOfUser = isOneOf(sql`user_key`, userKeys)
  const segments = segmentsBetween(read, read.from, read.to)
  const stored = visibleRows(read, 'segment_sessions', segments, ['session_key'], sql` AND ${isOfUser}`)
  const isInSession = sql`session_key IS NOT NULL AND ${isOfUser}`
  const hot = hotEvents(read, ['session_key', 'user_key'], read, isInSession).map(
    rows => sql`SELECT session_key FROM (${rows}) AS hot_events`,
  )
  return unionAll(read, stored, hot)
}
