import type { SqlQuery } from '#core/ports'
import { sql } from '#core/sql'
import { hotEvents } from './hot-events.ts'
import type { LakeRead } from './lake-read.ts'
import { searchStart } from './relations.ts'
import { betweenDates, hasRollups, segmentsBetween, splitRollups, unionAll } from './segment-rows.ts'
import { NON_INTERACTIVE_NAMES } from './session-fragments.ts'
import { sessionRollup } from './session-rollup.ts'
import { keyedEvents } from './stored-events.ts'

/**
 * On which UTC dates of the range sessions have events: (date, session_key, is_bounce, duration_ms), one row
 * for each date of a session. `is_bounce` and `duration_ms` are of the whole session: all its events before
 * `end`, Unix ms, also those before the range. Null if `from` or `to` cuts a date of a segment, or larger
 * segments cannot leave out erased events. Then only the events can tell.
 */
export function sessionDates(read: LakeRead, end: number): SqlQuery | null {
  const { from, to } = read
  const searchFrom = searchStart(read)
  const segments = segmentsBetween(read, searchFrom, end)
  const hasWholeDates =
    hasRollups(read, segments, searchFrom, end) && hasRollups(read, segmentsBetween(read, from, to), from, to)
  if (!hasWholeDates) return null
  const columns = ['date', 'session_key', 'start_at', 'end_at', 'interactive_count'] as const
  const rollup = sessionRollup(read, segments, columns, betweenDates(searchFrom, end))
  const searched = { ...read, from: searchFrom, to: end }
  const fields = ['date', 'session_key', 'timestamp', 'event'] as const
  const { rest } = splitRollups(read, segments)
  const toRow = (rows: SqlQuery) => sql`SELECT date, session_key, timestamp AS start_at, timestamp AS end_at,
        CAST(CASE WHEN event IN (${NON_INTERACTIVE_NAMES}) THEN 0 ELSE 1 END AS bigint) AS interactive_count
      FROM (${rows}) AS event_rows`
  const unrolled = keyedEvents(searched, rest, fields).map(toRow)
  const hot = hotEvents(read, fields, searched, sql`session_key IS NOT NULL`).map(toRow)
  return sql`(SELECT date, session_key, is_bounce, duration_ms
      FROM (SELECT date, session_key,
          CASE WHEN max(interactive_count) OVER (PARTITION BY session_key) = 0 THEN 1 ELSE 0 END AS is_bounce,
          date_diff('millisecond', min(start_at) OVER (PARTITION BY session_key),
            max(end_at) OVER (PARTITION BY session_key)) AS duration_ms
        FROM (SELECT date, session_key, min(start_at) AS start_at, max(end_at) AS end_at,
            max(interactive_count) AS interactive_count
          FROM ${unionAll(read, [...rollup, ...unrolled], hot)} AS fragment GROUP BY date, session_key) AS dated_fragment) AS session_date
      WHERE true${betweenDates(from, to)})`
}
