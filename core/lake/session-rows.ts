import type { SqlQuery } from '#core/ports'
import { join, sql, timestamp } from '#core/sql'
import { midnight } from '#core/time'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'
import { events, type LakeRead, oldestEvent, SESSION_PAUSE_MS } from './relations.ts'

/**
 * The sessions that start in [from, to), with what reports on single sessions show: (session_id, user_id, start_at, end_at,
 * duration_ms, event_count, is_bounce, entry_page, exit_page). It counts the same sessions as `sessions` of relations.ts;
 * it reads the events, because the rollup of the first edition of the lake has no ids and no pages.
 */
export function sessionRows(read: LakeRead): SqlQuery {
  const searchFrom = Math.max(midnight(read.from) - SESSION_PAUSE_MS, oldestEvent(read.project))
  const sessionEvents = events({ ...read, from: searchFrom }, [
    'session_id',
    'user_id',
    'timestamp',
    'lag_s',
    'seq',
    'event',
    'path',
    'url',
  ])
  const ofFirst = (column: SqlQuery) =>
    sql`min_by(${column}, ${EVENT_ORDER}) FILTER (WHERE ${column} IS NOT NULL)`
  const ofLast = (column: SqlQuery) =>
    sql`max_by(${column}, ${EVENT_ORDER}) FILTER (WHERE ${column} IS NOT NULL)`
  return sql`(SELECT session_id, ${ofLast(sql`user_id`)} AS user_id,
        min(timestamp) AS start_at, max(timestamp) AS end_at,
        date_diff('millisecond', min(timestamp), max(timestamp)) AS duration_ms, count(*) AS event_count,
        min(CASE WHEN event IN (${nonInteractiveNames}) THEN 1 ELSE 0 END) AS is_bounce,
        ${ofFirst(sql`page`)} AS entry_page, ${ofLast(sql`page`)} AS exit_page
      FROM (SELECT session_id, user_id, timestamp, lag_s, seq, event, ${PAGE} AS page
        FROM ${sessionEvents} AS each_event WHERE session_id IS NOT NULL) AS session_event
      GROUP BY session_id
      HAVING min(timestamp) >= ${timestamp(read.from)})`
}

/**
 * The whole sessions that have an event in the range, and others: (whole_id, is_bounce, duration_ms), from all their events
 * before `end`, Unix ms.
 */
export function wholeSessions(read: LakeRead, end: number): SqlQuery {
  const searchFrom = Math.max(midnight(read.from) - SESSION_PAUSE_MS, oldestEvent(read.project))
  const sessionEvents = events({ ...read, from: searchFrom, to: end }, ['session_id', 'timestamp', 'event'])
  return sql`(SELECT session_id AS whole_id, date_diff('millisecond', min(timestamp), max(timestamp)) AS duration_ms,
        min(CASE WHEN event IN (${nonInteractiveNames}) THEN 1 ELSE 0 END) AS is_bounce
      FROM ${sessionEvents} AS each_event WHERE session_id IS NOT NULL GROUP BY session_id)`
}

/** The page of an event: its path, else its url; an empty text counts as absent (U35). */
export const PAGE = sql`coalesce(nullif(path, ''), nullif(url, ''))`

/** The order of events, as that of their ids. */
const EVENT_ORDER = sql`ROW(timestamp, lag_s, seq)`

const nonInteractiveNames = join(
  NON_INTERACTIVE_EVENTS.map(event => ({ text: `'${event}'`, params: [] })),
  ', ',
)

/** Milliseconds since 1970 of an SQL timestamp that holds UTC. */
export function unixMs(column: SqlQuery): SqlQuery {
  return sql`date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', ${column})`
}
