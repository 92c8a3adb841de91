import type { Segment } from '#core/lake/model/segment'
import type { SqlQuery } from '#core/ports'
import { isOneOf, sql } from '#core/sql/sql'
import { withoutErasedUsers } from './erased-events.ts'
import { hotEvents } from './hot-events.ts'
import type { LakeRead } from './lake-read.ts'
import { segmentRows, segmentsBetween, splitErased, unionAll } from './segment-rows.ts'

/**
 * The session_keys of sessions of users, by their user_keys, from rollups alone. In each segment a session is
 * that of its last user. A session may have several rows.
 */
export function userSessions(read: LakeRead, userKeys: readonly number[]): SqlQuery {
  const isOfUser = isOneOf(sql`user_key`, userKeys)
  const { cleared, open } = splitErased(read, segmentsBetween(read, read.from, read.to))
  const rowsOf = (segments: readonly Segment[]) =>
    segmentRows(read, 'segment_sessions', segments, sql`session_key, user_key`, sql` AND ${isOfUser}`)
  const stored = [
    ...rowsOf(cleared).map(rows => sql`SELECT session_key FROM (${rows}) AS session_row`),
    ...rowsOf(open).map(rows => withoutErasedUsers(read, open, rows, sql`session_key`)),
  ]
  const isInSession = sql`session_key IS NOT NULL AND ${isOfUser}`
  const hot = hotEvents(read, ['session_key', 'user_key'], read, isInSession).map(
    rows => sql`SELECT session_key FROM (${rows}) AS hot_events`,
  )
  return unionAll(read, stored, hot)
}
