import { EVENT_ID_HORIZON_S } from '#core/lake/relations'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'
import { list, text } from './tables.ts'

/**
 * The statements of duckdb/compactor.ts, for DuckDB only. They create the tables `copies`, `event_rows` and
 * `session_starts`. Every list of files begins with an empty file that has all columns of its table, so files that were
 * written before a column was added have null in it.
 */

/** Unix second of arrival. */
const ARRIVAL = 'epoch_ms(timestamp) // 1000 + lag_s'

/** Only projects with bucket mod `parts` = `part`. */
type Part = { part: number; parts: number }

/** The buckets that have events with an event_id. Only the warm files of these buckets can hold first copies. */
export function bucketsWithEventIds(hotFiles: readonly string[], part: Part): string {
  return `SELECT DISTINCT bucket FROM ${hotRows(hotFiles)} WHERE event_id IS NOT NULL AND ${isInPart(part)}`
}

/**
 * copies: the rows of the hot files whose event_id arrived before, within the horizon: in a hot row that is earlier by
 * (arrival, seq), or in one of the warm files of the dedupe look-back. core/lake/relations.ts applies the same rule to
 * hot events.
 */
export function createCopies(
  hotFiles: readonly string[],
  lookbackFiles: readonly string[],
  part: Part,
): string {
  return `
    CREATE TABLE copies AS
    WITH hot_events AS (
      SELECT filename, file_row_number, project_id, event_id, ${ARRIVAL} AS arrival, seq
      FROM ${hotRows(hotFiles)} WHERE event_id IS NOT NULL AND ${isInPart(part)}),
    ordered_events AS (
      SELECT *, lag(arrival) OVER (
        PARTITION BY project_id, event_id ORDER BY arrival, seq, filename, file_row_number) AS previous_arrival
      FROM hot_events),
    warm_ids AS (
      SELECT project_id, event_id, ${ARRIVAL} AS warm_arrival
      FROM read_parquet(${list(lookbackFiles)}, union_by_name = true) WHERE event_id IS NOT NULL)
    SELECT filename, file_row_number, project_id, arrival FROM ordered_events
    WHERE (previous_arrival IS NOT NULL AND abs(arrival - previous_arrival) <= ${EVENT_ID_HORIZON_S})
      OR EXISTS (SELECT 1 FROM warm_ids WHERE warm_ids.project_id = ordered_events.project_id
        AND warm_ids.event_id = ordered_events.event_id
        AND warm_arrival >= arrival - ${EVENT_ID_HORIZON_S} AND warm_arrival <= arrival + ${EVENT_ID_HORIZON_S})`
}

/** event_rows: the rows of the hot files without the copies. */
export function createEventRowsFromHot(hotFiles: readonly string[], part: Part): string {
  return `
    CREATE TABLE event_rows AS
    SELECT * EXCLUDE (filename, file_row_number)
    FROM ${hotRows(hotFiles)} AS hot
    WHERE ${isInPart(part)} AND NOT EXISTS (SELECT 1 FROM copies
      WHERE copies.filename = hot.filename AND copies.file_row_number = hot.file_row_number)`
}

/** event_rows: the rows of the warm files. Each also has its UTC date, and the epoch in the path of its file. */
export function createEventRowsFromWarm(warmFiles: readonly string[]): string {
  return `
    CREATE TABLE event_rows AS
    SELECT *, CAST(timestamp AS date) AS date
    FROM read_parquet(${list(warmFiles)}, union_by_name = true, hive_partitioning = true,
      hive_types = {epoch: BIGINT, bucket: BIGINT})`
}

/** session_starts: the time of the first event of each session in event_rows. */
export const createSessionStarts = `
    CREATE TABLE session_starts AS
    SELECT project_id, session_key, min(timestamp) AS first_at FROM event_rows
    WHERE session_key IS NOT NULL GROUP BY project_id, session_key`

/** The rows of sessions_cold. */
export function sessionRows(where: string, epoch: number): string {
  return `
    SELECT ${epoch} AS epoch, project_id, session_key, last_user.user_key,
      nullif(last_user.user_at, end_at) AS user_at,
      last_user.user_lag_s, start_at, end_at, event_count, interactive_count
    FROM (
      SELECT project_id, session_key, min(timestamp) AS start_at, max(timestamp) AS end_at, count(*) AS event_count,
        count(*) FILTER (WHERE event NOT IN (${NON_INTERACTIVE_EVENTS.map(text).join(', ')})) AS interactive_count,
        max({user_at: timestamp, user_lag_s: lag_s, seq: seq, user_key: user_key})
          FILTER (WHERE user_key IS NOT NULL) AS last_user
      FROM event_rows WHERE session_key IS NOT NULL AND ${where}
      GROUP BY project_id, session_key)`
}

/** The rows of activity_cold. */
export function activityRows(where: string, epoch: number): string {
  return `
    SELECT ${epoch} AS epoch, project_id, user_key, event, country, count(*) AS event_count
    FROM event_rows WHERE ${where} GROUP BY project_id, user_key, event, country`
}

function hotRows(hotFiles: readonly string[]): string {
  return `read_parquet(${list(hotFiles)}, union_by_name = true, filename = true, file_row_number = true)`
}

function isInPart({ part, parts }: Part): string {
  return `bucket % ${parts} = ${part}`
}
