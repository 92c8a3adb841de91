import { type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { Row, SqlQuery } from '#core/ports'
import type { ReadRows } from '#core/reports/run/statements'
import { integer, sql, timestamp, trustedSql } from '#core/sql/sql'
import { hashOfId, hashOfKey } from './session-ids.ts'

/** A list of the newest sessions that a limit cuts. */
export type NewestSessions = {
  read: LakeRead
  /** The sessions of the list, newest first, one more than the limit: with start_time, Unix ms. */
  newest: readonly Row[]
  limit: number
  /** The order of sessions with an equal start, by their ids. */
  direction: 'ASC' | 'DESC'
  /**
   * Selects the columns of `newest`, of the sessions of the list that a condition on start_at selects. They
   * have a session_key.
   */
  selectSessions(condition: SqlQuery): SqlQuery
}

/**
 * The first `limit` sessions of the list. Sessions with an equal start are in the order of their ids, which
 * the rollup does not know. So if the limit cuts among such sessions, one more statement chooses between them
 * by their ids, however many there are.
 */
export async function cutTies(rows: ReadRows, list: NewestSessions): Promise<Row[]> {
  const { newest, limit } = list
  const [last, next] = [newest[limit - 1], newest[limit]]
  if (last === undefined || next === undefined || last.start_time !== next.start_time) {
    return newest.slice(0, limit)
  }
  const startAt = Number(last.start_time)
  const newer = newest.filter(({ start_time }) => Number(start_time) > startAt)
  const count = limit - newer.length
  return [...newer, ...(await rows(sessionsOfStart(list, startAt, { isListed: sql`true`, count })))]
}

/**
 * The first `count` sessions by id among those that start at one time, Unix ms, with their session_id.
 * `isListed`: a condition on session_id.
 */
export function sessionsOfStart(
  { read, selectSessions, direction }: Pick<NewestSessions, 'read' | 'selectSessions' | 'direction'>,
  startAt: number,
  { isListed, count }: { isListed: SqlQuery; count: number },
): SqlQuery {
  const ofStart = events({ ...withoutWhere(read), from: startAt, to: startAt + 1 }, ['session_id'])
  const ids = sql`SELECT session_id, ${hashOfId(sql`session_id`)} AS id_hash
      FROM (SELECT DISTINCT session_id FROM ${ofStart} AS each_event WHERE session_id IS NOT NULL AND ${isListed}) AS started_id`
  const started = sql`SELECT *, ${hashOfKey(sql`session_key`)} AS key_hash
      FROM (${selectSessions(sql`start_at = ${timestamp(startAt)}`)}) AS session_of_start`
  return sql`SELECT * FROM (${started}) AS started_session JOIN (${ids}) AS started_event ON id_hash = key_hash
    ORDER BY session_id ${trustedSql(direction)} LIMIT ${integer(count)}`
}
