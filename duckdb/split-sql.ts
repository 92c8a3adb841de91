import { readFiles } from './compaction-sql.ts'

/**
 * The statements that find split sessions (core/lake/compact/split-sessions.ts), over the tables of
 * duckdb/compaction-sql.ts.
 */

/** The UTC dates on which sessions have events, from the events of a bucket. */
export function sessionDatesOfEvents(bucket: number): string {
  return `SELECT DISTINCT session_key, date FROM event_rows WHERE session_key IS NOT NULL AND bucket = ${bucket}`
}

/** The same, from the rows of segment_sessions of segments. */
export function sessionDatesOfSegments(files: readonly string[]): string {
  return `SELECT DISTINCT session_key, date FROM ${readFiles(files)}`
}

/**
 * Creates the table session_dates_<bucket>, and split_sessions_<bucket> with the keys of the sessions that
 * have events on several dates.
 */
export function createSplitSessions(bucket: number, sessionDates: string): string {
  return `
    CREATE OR REPLACE TABLE session_dates_${bucket} AS ${sessionDates};
    CREATE OR REPLACE TABLE split_sessions_${bucket} AS
    SELECT session_key FROM session_dates_${bucket} GROUP BY session_key HAVING count(*) > 1`
}

/**
 * Adds the keys of the sessions that older segments have too. Two projects of a bucket may have the same
 * session_id. Then the table may have a key that it need not have, which does no harm.
 */
export function addSplitSessions(bucket: number, olderFiles: readonly string[]): string {
  return `
    INSERT INTO split_sessions_${bucket}
    SELECT DISTINCT session_key FROM ${readFiles(olderFiles)}
    SEMI JOIN session_dates_${bucket} USING (session_key) ANTI JOIN split_sessions_${bucket} USING (session_key)`
}

/**
 * Creates split_sessions_<bucket> from the files of segment_sessions of a segment that knows which sessions
 * are split.
 */
export function copySplitSessions(bucket: number, files: readonly string[]): string {
  return `
    CREATE OR REPLACE TABLE split_sessions_${bucket} AS
    SELECT DISTINCT session_key FROM ${readFiles(files)} WHERE coalesce(may_be_split, 1) = 1`
}

/**
 * The rows of segment_sessions with may_be_split. `knowsSplit`: whether there is a table
 * split_sessions_<bucket>.
 */
export function withSplit(sessions: string, bucket: number, knowsSplit: boolean): string {
  if (!knowsSplit) return `SELECT *, CAST(NULL AS bigint) AS may_be_split FROM (${sessions})`
  const split = `split_sessions_${bucket}`
  return `
    SELECT session_rows.*, CASE WHEN ${split}.session_key IS NULL THEN 0 ELSE 1 END AS may_be_split
    FROM (${sessions}) AS session_rows LEFT JOIN ${split} USING (session_key)`
}

/** The rows in files of segment_sessions of which it is not known whether the session is split. */
export function rowsOfUnknownSplit(files: readonly string[]): string {
  return `SELECT 1 FROM ${readFiles(files)} WHERE may_be_split IS NULL`
}
