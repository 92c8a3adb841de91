import { APPEND_RETRY_S, JUMP_S, LOOKBACK_S } from '#core/lake/model/copies'
import { list, text } from './tables.ts'

/**
 * The statements of duckdb/compactor.ts, for DuckDB only. Every list of files begins with an empty file that
 * has all columns of its table, so files that were written before a column was added have null in it. The
 * tables:
 * - hot_files: the hot files of a whole epoch; `slice`: the slice that has the file; `file`: its number in
 *   the epoch
 * - identities: what finds the copies among the hot rows of a whole epoch, few bytes a row
 * - copies: the hot rows that are copies
 * - retry_starts: see createRetryStarts
 * - stored_events: counts of the other hot rows
 * - event_rows: the rows to write, of one slice of the hot files or of the segments to merge
 * - session_starts: the time of the first event of each session in event_rows
 */

/** A row of hot_files. `filename`: the path of the copy on disk. */
export type HotFile = { slice: number; file: number; filename: string; shard: string }

/** Unix second of arrival. */
export const ARRIVAL = 'epoch_ms(timestamp) // 1000 + lag_s'
/** Unix ms of arrival: ARRIVAL_MS of core/lake/read/erased-events.ts. */
export const ARRIVAL_MS = `((${ARRIVAL}) * 1000 + coalesce((epoch_ms(timestamp) + lag_ms) % 1000, 0))`
/** Unix ms of the last arrival that a row of `tombstones` erases. Older files have the second only. */
export const ERASED_UNTIL = 'coalesce(erased_until_ms, erased_until * 1000 + 999)'

/**
 * A merged segment knows events without an event_id for these seconds before its newest event. One shard may
 * be that far behind the others. More would cost 7 bytes an event.
 */
const MERGED_RETRY_S = 2 * 3_600

/**
 * The first bits of the SHA-256 of a text: 62 as eventKey of core/lake/consume/id-keys.ts computes them, 53
 * as shortKey does.
 */
const hashKey = (value: string, bits: 63 | 62 | 53 = 63) =>
  `CAST(CAST('0x' || substr(sha256(${value}), 1, 16) AS ubigint) >> ${64 - bits} AS bigint)`

/** The event_key of an event without a credential. */
export const PUBLIC_EVENT_KEY = `(${hashKey("project_id || ' ' || event_id", 62)} * 2)`

/**
 * The event_key of identities, equal for the copies of an event: for an event without event_id it is a
 * negative hash of what makes its id, because the service may store one event twice.
 */
const COPY_KEY = `coalesce(event_key,
  -1 - ${hashKey("concat_ws(' ', project_id, epoch_ms(timestamp), lag_s, seq)")})`

/**
 * What a segment of one epoch knows: all ids, because nobody can tell which of its arrivals are of a clock
 * that was ahead, and what finds copies of the service.
 */
const IS_KNOWN = '(event_key >= 0 OR arrival >= retry_start)'

export function createEpochTables(hotFiles: readonly HotFile[]): string {
  const rows = hotFiles.map(
    ({ slice, file, filename, shard }) => `(${slice}, ${file}, ${text(filename)}, ${text(shard)})`,
  )
  return `
    CREATE TABLE hot_files (slice integer, file integer, filename varchar, shard varchar);
    INSERT INTO hot_files VALUES ${rows.join(', ')};
    CREATE TABLE identities (bucket smallint, event_key bigint, arrival bigint, seq bigint, file integer, row bigint);
    CREATE TABLE copies (file integer, row bigint);
    CREATE TABLE stored_events (bucket smallint, project_id varchar, day varchar, events bigint)`
}

export function addIdentities(hotFiles: readonly string[], buckets: readonly number[]): string {
  return `
    INSERT INTO identities SELECT bucket, ${COPY_KEY}, ${ARRIVAL}, seq, file, row
    FROM ${hotRows(hotFiles)} WHERE bucket IN (${buckets.join(', ')})`
}

/**
 * retry_starts: from which arrival on the events of a hot file that have no event_id get a row in
 * segment_event_ids.
 */
export const createRetryStarts = `
    CREATE TABLE retry_starts AS
    SELECT slice, file, max(max(arrival)) OVER (PARTITION BY shard) - ${APPEND_RETRY_S} AS retry_start
    FROM identities JOIN hot_files USING (file) GROUP BY slice, file, shard`

/** The newest arrival of each bucket, and the number of its rows of segment_event_ids. */
export const selectBuckets = `
    WITH stored_rows AS (SELECT * FROM identities ANTI JOIN copies USING (file, row))
    SELECT bucket, max(arrival) AS last_arrival, count(*) FILTER (WHERE ${IS_KNOWN}) AS event_ids
    FROM stored_rows JOIN retry_starts USING (file) GROUP BY bucket`

/** The rows of segment_event_ids of a bucket, from a slice. */
export function eventIdsOfHot(bucket: number, slice: number): string {
  return `
    SELECT event_key, arrival
    FROM identities JOIN retry_starts USING (file) ANTI JOIN copies USING (file, row)
    WHERE bucket = ${bucket} AND slice = ${slice} AND ${IS_KNOWN}`
}

/** event_rows: the rows of hot files without the copies. */
export function createEventRowsFromHot(hotFiles: readonly string[], buckets: readonly number[]): string {
  return `
    CREATE OR REPLACE TABLE event_rows AS
    SELECT * EXCLUDE (filename, file_row_number, slice, file, row, shard), CAST(timestamp AS date) AS date
    FROM ${hotRows(hotFiles)} AS hot ANTI JOIN copies USING (file, row) WHERE bucket IN (${buckets.join(', ')})`
}

/** event_rows: the events of the segments of one bucket. */
export function createEventRowsFromSegments(bucket: number, files: readonly string[]): string {
  return `CREATE TABLE event_rows AS SELECT *, ${bucket} AS bucket FROM ${readFiles(files)}`
}

/** event_rows: events of one bucket from the files of a segment, which have no keys of users and sessions. */
export function createEventRowsWithKeys(bucket: number, files: readonly string[]): string {
  return `
    CREATE OR REPLACE TABLE event_rows AS
    SELECT COLUMNS(name -> name NOT IN ('bucket', 'date', 'user_key', 'session_key', 'event_key')),
      ${bucket} AS bucket, CAST(timestamp AS date) AS date,
      ${hashKey('user_id', 53)} AS user_key, ${hashKey('session_id', 53)} AS session_key, CAST(NULL AS bigint) AS event_key
    FROM ${readFiles(files)}`
}

export const createSessionStarts = `
    CREATE OR REPLACE TABLE session_starts AS
    SELECT project_id, session_id, min(timestamp) AS first_at FROM event_rows
    WHERE session_id IS NOT NULL GROUP BY project_id, session_id`

/**
 * What a manifest says of the events of each bucket in event_rows: EventsDescription of
 * duckdb/segment-files.ts.
 */
export const describeEvents = `
    SELECT bucket, count(*) AS rows, epoch_ms(min(timestamp)) AS first_at, epoch_ms(max(timestamp)) AS last_at,
      max(${ARRIVAL}) AS last_arrival, CAST(coalesce(sum(strlen(properties)), 0) AS bigint) AS json_bytes
    FROM event_rows GROUP BY bucket ORDER BY bucket`

/** Adds the events in event_rows to the counts of stored events. */
export const addStoredEvents = `
    INSERT INTO stored_events ${countEventRows()}`

/**
 * Counts the rows of event_rows for which the condition holds, by bucket, project and UTC date of arrival.
 */
export function countEventRows(condition = 'true'): string {
  return `
    SELECT bucket, project_id, strftime(epoch_ms((${ARRIVAL}) * 1000), '%Y-%m-%d') AS day, count(*) AS events
    FROM event_rows WHERE ${condition} GROUP BY ALL ORDER BY ALL`
}

export const selectStoredEvents = `
    SELECT bucket, project_id, day, sum(events)::bigint AS events FROM stored_events
    GROUP BY bucket, project_id, day ORDER BY bucket, project_id, day`

/** The rows of segment_activity, from the events of a bucket. */
export function activityOfEvents(bucket: number): string {
  return withTotals(`
    SELECT project_id, date, user_key, event, country, count(*) AS event_count
    FROM event_rows WHERE bucket = ${bucket} GROUP BY ALL`)
}

/** The rows of segment_activity, from those of segments. */
export function activityOfSegments(files: readonly string[]): string {
  return withTotals(`
    SELECT project_id, date, user_key, event, country, sum(event_count) AS event_count
    FROM ${readFiles(files)} GROUP BY ALL`)
}

/**
 * Adds total_count to rows of segment_activity. Most rows that have it are among the first ones of their
 * date, so a read of the totals skips most of the others.
 */
function withTotals(activity: string): string {
  return `
    SELECT *, CASE WHEN row_number() OVER same_name = 1 THEN sum(event_count) OVER same_name END AS total_count
    FROM (${activity})
    WINDOW same_name AS (PARTITION BY project_id, date, event, country ORDER BY user_key NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`
}

/** The last arrival before the newest jump in rows of segment_event_ids; null without a jump. */
export function selectBeforeJump(files: readonly string[]): string {
  return `
    WITH hours AS (
      SELECT min(arrival) AS first_arrival, max(arrival) AS last_arrival FROM ${readFiles(files)}
      WHERE event_key >= 0 GROUP BY arrival // 3600),
    pauses AS (SELECT last_arrival, lead(first_arrival) OVER (ORDER BY last_arrival) AS next_arrival FROM hours)
    SELECT max(last_arrival) AS before_jump FROM pauses WHERE next_arrival - last_arrival > ${JUMP_S}`
}

/**
 * The rows of segment_event_ids, from those of segments: the newest ones, and those before the newest jump,
 * because what came after it may be of a clock that was ahead. `lastArrival`: newest arrival of all segments.
 */
export function eventIdsOfSegments(
  files: readonly string[],
  lastArrival: number,
  beforeJump: number | null,
): string {
  const isBeforeJump =
    beforeJump === null ? 'false' : `arrival BETWEEN ${beforeJump - LOOKBACK_S} AND ${beforeJump}`
  return `
    SELECT * FROM ${readFiles(files)}
    WHERE arrival >= ${lastArrival} - CASE WHEN event_key < 0 THEN ${MERGED_RETRY_S} ELSE ${LOOKBACK_S} END
      OR (event_key >= 0 AND ${isBeforeJump})`
}

export function readFiles(files: readonly string[]): string {
  return `read_parquet(${list(files)}, union_by_name = true, hive_partitioning = false)`
}

/** Hot rows with the number of their file, and their number in it. */
function hotRows(hotFiles: readonly string[]): string {
  return `(SELECT *, file_row_number AS row
      FROM read_parquet(${list(hotFiles)}, union_by_name = true, hive_partitioning = false,
        filename = true, file_row_number = true)
      JOIN hot_files USING (filename))`
}
