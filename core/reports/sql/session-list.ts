import type { LakeRead } from '#core/lake/read/lake-read'
import type { Row, SqlQuery } from '#core/ports'
import type { SessionPlace } from '#core/reports/run/session-cursor'
import type { ReadRows } from '#core/reports/run/statements'
import { integer, sql, timestamp } from '#core/sql/sql'
import { cutTies, sessionsOfStart } from './tied-sessions.ts'

/** A page of the newest sessions. */
export type SessionList = {
  read: LakeRead
  limit: number
  /** Whether session_key is the id itself. */
  areKeysIds: boolean
  /** The page begins after this session; null: with the newest one. */
  after: SessionPlace | null
  /**
   * Selects the columns of the sessions for which a condition on start_at and session_key holds, also
   * start_time, Unix ms.
   */
  selectSessions(condition: SqlQuery): SqlQuery
}

/** The sessions of a page, newest start first and then by id, and whether there are more. */
export async function listSessions(
  rows: ReadRows,
  list: SessionList,
): Promise<{ sessions: Row[]; hasMore: boolean }> {
  const { after, limit, areKeysIds } = list
  if (areKeysIds || after === null) return listAfter(rows, list, isAfter(after))
  // The rollup has no ids. So the sessions that start at the time of the cursor are read with those of their
  // events.
  const tied = await rows(
    sessionsOfStart({ ...list, direction: 'ASC' }, after.start, {
      isListed: sql`session_id > ${after.id}`,
      count: limit + 1,
    }),
  )
  if (tied.length > limit) return { sessions: tied.slice(0, limit), hasMore: true }
  const older = await listAfter(
    rows,
    { ...list, limit: limit - tied.length },
    sql`start_at < ${timestamp(after.start)}`,
  )
  return { sessions: [...tied, ...older.sessions], hasMore: older.hasMore }
}

async function listAfter(
  rows: ReadRows,
  { read, limit, areKeysIds, selectSessions }: SessionList,
  condition: SqlQuery,
): Promise<{ sessions: Row[]; hasMore: boolean }> {
  const newest = await rows(
    sql`${selectSessions(condition)} ORDER BY start_time DESC, session_key LIMIT ${integer(limit + 1)}`,
  )
  const hasMore = newest.length > limit
  if (areKeysIds) return { sessions: newest.slice(0, limit), hasMore }
  return {
    sessions: await cutTies(rows, { read, newest, limit, direction: 'ASC', selectSessions }),
    hasMore,
  }
}

/** For keys that are ids. */
function isAfter(place: SessionPlace | null): SqlQuery {
  if (place === null) return sql`true`
  const at = timestamp(place.start)
  return sql`(start_at < ${at} OR (start_at = ${at} AND session_key > ${place.id}))`
}
