import {
  ENTRY_COLUMNS,
  PAGE,
  type Picker,
  partColumns,
  type SessionSource,
  SOURCES,
  selectColumns,
  sessionColumns,
} from '#core/lake/read/session-rule'
import { PART_VALUES, partValue, TEXTS } from '#core/lake/read/user-parts'
import { join, sql, trustedSql } from '#core/sql/sql'
import { readFiles } from './compaction-sql.ts'

/** The rows of segment_sessions, for DuckDB only. Without may_be_split, which withSplit adds. */

/** The rows, from the events of a bucket in event_rows. */
export function sessionsOfEvents(bucket: number): string {
  const events = `(SELECT *, ${PAGE.text} AS page FROM event_rows WHERE session_key IS NOT NULL AND bucket = ${bucket})`
  const parts = partRows(SOURCES.events, events, sharedSessions(events, 'false'))
  return withUserParts(sessionRows(SOURCES.events, events), parts)
}

/**
 * The rows, from those of segments. They are those that sessionsOfEvents makes of all their events, but for
 * two values of one session from different segments with the same millisecond and second of arrival: the
 * order of these values is then that of their texts and keys.
 */
export function sessionsOfSegments(files: readonly string[]): string {
  const rows = readFiles(files)
  // A row without parts has the events of one user, or of none.
  const { entry, exit } = SOURCES.rows
  const ofOne = `
      SELECT project_id, date, session_key, user_key, coalesce(user_lag_s, 0) AS last_lag_s, -1 AS last_seq, start_at, end_at,
        event_count, interactive_count, entry_page, ${entry.time.text} AS entry_at, entry_lag_s, -1 AS entry_seq,
        exit_page, ${exit.time.text} AS exit_at, exit_lag_s, -1 AS exit_seq, page_view_count, ${ENTRY_COLUMNS.join(', ')}
      FROM ${rows} WHERE user_parts IS NULL`
  const ofSeveral = `
      SELECT project_id, date, session_key, ${PART_VALUES.map(value => `${partValue(value).text} AS ${value}`).join(', ')}
      FROM (SELECT project_id, date, session_key, unnest(split(user_parts, ',')) AS part
        FROM ${rows} WHERE user_parts IS NOT NULL)`
  const shared = sharedSessions(rows, 'count(user_parts) > 0')
  const parts = partRows(SOURCES.parts, `(${ofOne} UNION ALL ${ofSeveral})`, shared)
  return withUserParts(sessionRows(SOURCES.rows, rows), parts)
}

/**
 * Picks in DuckDB. It computes equal aggregates once, and with the value in the order the result does not
 * depend on the order of the rows.
 */
const pickByStruct: Picker = (end, picked, wanted) => {
  const { time, lag, seq, value, ...others } = picked
  const fields = Object.entries({ time, lag, seq, value, ...others }).map(
    ([field, each]) => sql`${trustedSql(field)}: ${each}`,
  )
  return sql`(${end === 'first' ? sql`min` : sql`max`}({${join(fields, ', ')}}) FILTER (WHERE ${value} IS NOT NULL)).${trustedSql(wanted)}`
}

/** Times that are those of the start or the end are null: most are, and then they take no bytes. */
function sessionRows(source: SessionSource, pieces: string): string {
  return `
    SELECT * REPLACE (nullif(user_at, end_at) AS user_at, nullif(entry_at, start_at) AS entry_at, nullif(exit_at, end_at) AS exit_at)
    FROM (SELECT project_id, date, session_key, ${selectColumns(sessionColumns(source, pickByStruct)).text}
      FROM ${pieces} GROUP BY project_id, date, session_key)`
}

/** What each user has of each session that several share. */
function partRows(source: SessionSource, pieces: string, shared: string): string {
  return `
        SELECT project_id, date, session_key, user_key, ${selectColumns(partColumns(source, pickByStruct)).text}
        FROM ${pieces} SEMI JOIN (${shared}) AS shared USING (project_id, date, session_key)
        GROUP BY project_id, date, session_key, user_key`
}

/**
 * The sessions with rows of several users. Few sessions are, so finding them first costs less than keeping
 * the parts of all.
 */
function sharedSessions(rows: string, areParts: string): string {
  return `SELECT project_id, date, session_key FROM ${rows} GROUP BY project_id, date, session_key
      HAVING min(coalesce(user_key, -1)) <> max(coalesce(user_key, -1)) OR ${areParts}`
}

/** Adds user_parts to rows of sessions. */
function withUserParts(sessions: string, parts: string): string {
  const written = PART_VALUES.map(value => {
    const text = TEXTS.has(value) ? `url_encode(${value})` : value
    return `coalesce(CAST(${text} AS varchar), '')`
  })
  return `
    SELECT session_rows.*, user_parts
    FROM (${sessions}) AS session_rows
    LEFT JOIN (
      SELECT project_id, date, session_key, string_agg(part, ',' ORDER BY user_key) AS user_parts
      FROM (SELECT project_id, date, session_key, user_key, concat_ws('|', ${written.join(', ')}) AS part FROM (${parts}))
      GROUP BY project_id, date, session_key) AS shared_sessions USING (project_id, date, session_key)`
}

/** The rows in files of segment_sessions that do not know the source of their session. */
export function rowsOfUnknownSources(files: readonly string[]): string {
  return `SELECT 1 FROM ${readFiles(files)} WHERE page_view_count IS NULL`
}
