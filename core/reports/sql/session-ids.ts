import { shortKey } from '#core/lake/consume/id-keys'
import { type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import type { ReadRows } from '#core/reports/run/statements'
import { integer, join, sql, timestamp, trustedSql } from '#core/sql/sql'

/** What finds the ids of a session: its keys, and when the events happened that have the ids. Unix ms. */
export type SessionKeys = { key: number; userKey: number | null; startAt: number; userAt: number | null }

export type SessionIds = { session_id: string; user_id: string | null }

/** Hexadecimal digits of a hash that SQL compares: 52 of the 53 bits of a key. */
const DIGITS = 13

/**
 * Reads the ids of sessions from the events at which the sessions start and get their user. The rollup has
 * only their keys, because ids are long and reports that only count do not need them.
 */
export async function readSessionIds(
  rows: ReadRows,
  read: LakeRead,
  sessions: readonly SessionKeys[],
): Promise<Map<number, SessionIds>> {
  const times = [
    ...new Set(sessions.flatMap(({ startAt, userAt }) => [startAt, userAt ?? startAt])),
  ].toSorted((a, b) => a - b)
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const relation = events({ ...withoutWhere(read), from: first, to: last + 1 }, [
    'timestamp',
    'session_id',
    'user_id',
  ])
  // HAVING with max, not WHERE: so the hash is computed only for the few events that have one of the
  // timestamps.
  const found = await rows(sql`SELECT session_id, user_id FROM ${relation} AS each_event
    WHERE timestamp IN (${join(times.map(timestamp), ', ')}) AND session_id IS NOT NULL
    GROUP BY session_id, user_id
    HAVING ${hasSessionKey(
      sql`max(session_id)`,
      sessions.map(({ key }) => key),
    )}
    ORDER BY session_id, user_id`)
  const userKeys = new Map(sessions.map(({ key, userKey }) => [key, userKey]))
  const ids = new Map<number, SessionIds>()
  for (const row of found) {
    const session_id = String(row.session_id)
    const user_id = row.user_id === null ? null : String(row.user_id)
    const key = shortKey(session_id)
    if (key === null || !userKeys.has(key)) continue
    const isUser = user_id !== null && shortKey(user_id) === userKeys.get(key)
    ids.set(key, { session_id, user_id: isUser ? user_id : (ids.get(key)?.user_id ?? null) })
  }
  return ids
}

/** Whether `sessionId` has one of the keys. A hash is expensive, so ask only for few events. */
export function hasSessionKey(sessionId: SqlQuery, keys: readonly number[]): SqlQuery {
  // One piece of text: ten thousand parameters would take longer to write than the statement takes to run.
  const hashes = trustedSql(keys.map(key => `'${hashOf(key)}'`).join(', '))
  return sql`${hashOfId(sessionId)} IN (${hashes})`
}

/**
 * The first digits of the hash of a session_id. For the key of the same session, `hashOfKey` gives the same
 * digits.
 */
export function hashOfId(sessionId: SqlQuery): SqlQuery {
  return sql`substr(to_hex(sha256(to_utf8(${sessionId}))), 1, ${integer(DIGITS)})`
}

/** The digits of hashOfId for a session_key of the rollup. */
export function hashOfKey(sessionKey: SqlQuery): SqlQuery {
  return sql`lpad(upper(to_base(${sessionKey} / 2, 16)), ${integer(DIGITS)}, '0')`
}

/**
 * The first digits of the SHA-256 that begins with the 53 bits of the key (core/lake/consume/id-keys.ts), as
 * `to_hex` writes them.
 */
function hashOf(key: number): string {
  return Math.floor(key / 2)
    .toString(16)
    .toUpperCase()
    .padStart(DIGITS, '0')
}
