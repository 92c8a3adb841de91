import { EVENT_ID_HORIZON_S } from '#core/lake/relations'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'
import { list, text } from './tables.ts'

/** The statements of duckdb/compactor.ts. They run on DuckDB only, and make the tables copies, kept and session_start. */

/** Unix second of arrival. */
const ARRIVED_AT = 'epoch_ms(timestamp) // 1000 + lag_s'

type Part = { part: number; parts: number }

/** Buckets in which a sender gave an event_id: only their warm files can hold a first copy. */
export function bucketsWithEventIds(hot: readonly string[], part: Part): string {
  return `SELECT DISTINCT bucket FROM ${hotRows(hot)} WHERE event_id IS NOT NULL AND ${ofPart(part)}`
}

/**
 * copies: the rows of the hot files that repeat an event_id of their project: of one in the same files that came
 * before by (arrival, seq), or of one in the `lookback` warm files, within the horizon. The same rule stands in
 * core/lake/relations.ts for what is still hot.
 */
export function copiesTable(hot: readonly string[], lookback: readonly string[], part: Part): string {
  const stored =
    lookback.length === 0
      ? "SELECT '' AS project_id, '' AS event_id, 0 AS stored_at WHERE false"
      : `SELECT project_id, event_id, ${ARRIVED_AT} AS stored_at
         FROM read_parquet(${list(lookback)}, union_by_name = true) WHERE event_id IS NOT NULL`
  return `
    CREATE TABLE copies AS
    WITH sent AS (
      SELECT filename, file_row_number, project_id, event_id, ${ARRIVED_AT} AS arrived_at, seq
      FROM ${hotRows(hot)} WHERE event_id IS NOT NULL AND ${ofPart(part)}),
    placed AS (
      SELECT *, lag(arrived_at) OVER (
        PARTITION BY project_id, event_id ORDER BY arrived_at, seq, filename, file_row_number) AS copy_at
      FROM sent),
    stored AS (${stored})
    SELECT filename, file_row_number, project_id, arrived_at FROM placed
    WHERE (copy_at IS NOT NULL AND abs(arrived_at - copy_at) <= ${EVENT_ID_HORIZON_S})
      OR EXISTS (SELECT 1 FROM stored WHERE stored.project_id = placed.project_id
        AND stored.event_id = placed.event_id
        AND abs(placed.arrived_at - stored_at) <= ${EVENT_ID_HORIZON_S})`
}

/** kept: the rows of the hot files without the copies. */
export function keptTable(hot: readonly string[], part: Part): string {
  return `
    CREATE TABLE kept AS
    SELECT * EXCLUDE (filename, file_row_number)
    FROM ${hotRows(hot)} AS hot
    WHERE ${ofPart(part)} AND NOT EXISTS (SELECT 1 FROM copies
      WHERE copies.filename = hot.filename AND copies.file_row_number = hot.file_row_number)`
}

/** kept: the rows of the warm files, with the UTC date of each and, from its path, the epoch. */
export function rolledTable(warm: readonly string[]): string {
  return `
    CREATE TABLE kept AS
    SELECT *, CAST(timestamp AS date) AS date
    FROM read_parquet(${list(warm)}, union_by_name = true, hive_partitioning = true,
      hive_types = {epoch: BIGINT, bucket: BIGINT})`
}

/** session_start: when each session of kept had its first event. */
export const sessionStarts = `
    CREATE TABLE session_start AS
    SELECT project_id, session_key, min(timestamp) AS first_at FROM kept
    WHERE session_key IS NOT NULL GROUP BY project_id, session_key`

/** Rows of sessions_cold. */
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
      FROM kept WHERE session_key IS NOT NULL AND ${where}
      GROUP BY project_id, session_key)`
}

/** Rows of activity_cold. */
export function activityRows(where: string, epoch: number): string {
  return `
    SELECT ${epoch} AS epoch, project_id, user_key, event, country, count(*) AS event_count
    FROM kept WHERE ${where} GROUP BY project_id, user_key, event, country`
}

function hotRows(hot: readonly string[]): string {
  return `read_parquet(${list(hot)}, union_by_name = true, filename = true, file_row_number = true)`
}

function ofPart({ part, parts }: Part): string {
  return `bucket % ${parts} = ${part}`
}
