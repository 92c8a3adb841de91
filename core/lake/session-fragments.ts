import type { SqlQuery } from '#core/ports'
import { integer, join, sql, timestamp } from '#core/sql'
import { EVENT_LIMITS, NON_INTERACTIVE_EVENTS } from '#schemas/event'

/**
 * A fragment of a session has the columns of segment_sessions (schemas/columns.ts). A report joins the fragments of a session
 * from all segments and hot files.
 */

/** The page of an event: its path, else its url; an empty text counts as absent (U35). */
export const PAGE = sql`coalesce(nullif(path, ''), nullif(url, ''))`

/** These names are our own constants, so they are safe in the text. As parameters they would only make it longer. */
export const NON_INTERACTIVE_NAMES = join(
  NON_INTERACTIVE_EVENTS.map(event => ({ text: `'${event}'`, params: [] })),
  ', ',
)

/** One fragment a session from rows (session_key, user_key, timestamp, lag_s, seq, event, path, url) with a session_key. */
export function sessionFragments(rows: SqlQuery): SqlQuery {
  const ofLastUser = (column: SqlQuery) =>
    sql`max_by(${column}, ${EVENT_ORDER}) FILTER (WHERE user_key IS NOT NULL)`
  const ofFirstPage = (column: SqlQuery) =>
    sql`min_by(${column}, ${EVENT_ORDER}) FILTER (WHERE page IS NOT NULL)`
  const ofLastPage = (column: SqlQuery) =>
    sql`max_by(${column}, ${EVENT_ORDER}) FILTER (WHERE page IS NOT NULL)`
  return sql`SELECT session_key, ${ofLastUser(sql`user_key`)} AS user_key, ${ofLastUser(sql`timestamp`)} AS user_at,
        ${ofLastUser(sql`lag_s`)} AS user_lag_s,
        min(timestamp) AS start_at, max(timestamp) AS end_at, count(*) AS event_count,
        CAST(sum(CASE WHEN event IN (${NON_INTERACTIVE_NAMES}) THEN 0 ELSE 1 END) AS bigint) AS interactive_count,
        ${ofFirstPage(sql`page`)} AS entry_page, ${ofFirstPage(sql`timestamp`)} AS entry_at, ${ofFirstPage(sql`lag_s`)} AS entry_lag_s,
        ${ofLastPage(sql`page`)} AS exit_page, ${ofLastPage(sql`timestamp`)} AS exit_at, ${ofLastPage(sql`lag_s`)} AS exit_lag_s
      FROM (SELECT session_key, user_key, timestamp, lag_s, seq, event, ${PAGE} AS page FROM ${rows} AS session_event) AS page_event
      GROUP BY session_key`
}

/** The order of events, as that of their ids. */
const EVENT_ORDER = sql`ROW(timestamp, lag_s, seq)`

/**
 * Joins fragments to the sessions that start at or after `from`, Unix ms: (session_key, user_key, user_at, start_at, end_at,
 * event_count, is_bounce, entry_page, exit_page). `user_at` is the timestamp of the event that gave the session its user.
 *
 * Nearly all sessions have one fragment, which is the session. Only the keys are grouped for all sessions: grouping with all
 * aggregates takes twice as long.
 */
export function joinFragments(fragments: SqlQuery, from: number): SqlQuery {
  const userAt = sql`coalesce(user_at, end_at)`
  const userOrder = orderOf(sql`user_key`, userAt, sql`user_lag_s`)
  const entryOrder = orderOf(sql`entry_page`, sql`coalesce(entry_at, start_at)`, sql`entry_lag_s`)
  const exitOrder = orderOf(sql`exit_page`, sql`coalesce(exit_at, end_at)`, sql`exit_lag_s`)
  const userTime = sql`CASE WHEN user_key IS NOT NULL THEN ${userAt} END`
  return sql`WITH fragment AS (SELECT * FROM ${fragments} AS each_fragment),
      repeated AS (SELECT session_key AS repeated_key FROM fragment GROUP BY session_key HAVING count(*) > 1)
      SELECT session_key, user_key, ${userTime} AS user_at, start_at, end_at, event_count,
        CASE WHEN interactive_count = 0 THEN 1 ELSE 0 END AS is_bounce, entry_page, exit_page
      FROM fragment LEFT JOIN repeated ON repeated_key = session_key
      WHERE repeated_key IS NULL AND start_at >= ${timestamp(from)}
      UNION ALL
      SELECT session_key, max_by(user_key, ${userOrder}) AS user_key, max(${userTime}) AS user_at,
        min(start_at) AS start_at, max(end_at) AS end_at, CAST(sum(event_count) AS bigint) AS event_count,
        CASE WHEN max(interactive_count) = 0 THEN 1 ELSE 0 END AS is_bounce,
        min_by(entry_page, ${entryOrder}) AS entry_page, max_by(exit_page, ${exitOrder}) AS exit_page
      FROM fragment JOIN repeated ON repeated_key = session_key
      GROUP BY session_key HAVING min(start_at) >= ${timestamp(from)}`
}

/**
 * Orders the fragments of a session by the event that gave the fragment a value: by its timestamp in ms since 2020 (fits
 * until 2089), then by its arrival in seconds; null for a fragment without the value. The order is one number, because ordering
 * by a row of three values takes twice as long. It cannot order two fragments whose events have the same millisecond and
 * arrived in the same second, but are in different segments. Within a fragment the order is exact.
 */
function orderOf(value: SqlQuery, at: SqlQuery, lag: SqlQuery): SqlQuery {
  return sql`CASE WHEN ${value} IS NOT NULL THEN
          date_diff('millisecond', TIMESTAMP '2020-01-01 00:00:00.000', ${at}) * 4194304
          + ${lag} + ${integer(EVENT_LIMITS.futureMs / 1000)} END`
}
