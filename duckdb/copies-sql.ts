import type { ReplacedEvent } from '#core/lake/model/compactor'
import { EVENT_ID_HORIZON_S } from '#core/lake/model/copies'
import { ARRIVAL, countEventRows, PUBLIC_EVENT_KEY, readFiles } from './compaction-sql.ts'

/**
 * The statements that find copies and replaced events (core/lake/model/copies.ts), over the tables of
 * duckdb/compaction-sql.ts.
 */

/**
 * Finds the copies of a bucket, by the rule of core/lake/model/copies.ts: a hot row is earlier by (arrival,
 * seq), and stored events are in the files of segment_event_ids. core/lake/read/hot-events.ts applies the
 * same rule to hot events.
 */
export function addCopies(bucket: number, eventIdFiles: readonly string[]): string {
  return `
    INSERT INTO copies
    SELECT file, row FROM (
      SELECT file, row, arrival,
        lag(arrival) OVER (PARTITION BY copy_key ORDER BY arrival, seq, file, row) AS previous_arrival
      FROM identities WHERE bucket = ${bucket})
    WHERE arrival - previous_arrival <= ${EVENT_ID_HORIZON_S}
    UNION
    SELECT file, row FROM identities
    SEMI JOIN (
        SELECT event_key, 0 AS from_arrival, arrival AS other_arrival FROM ${readFiles(eventIdFiles)}
        UNION ALL
        SELECT event_key - 1, 0, arrival FROM ${readFiles(eventIdFiles)} WHERE ${isCredentialed('event_key')}
        UNION ALL
        SELECT copy_key - 1, arrival - ${EVENT_ID_HORIZON_S}, arrival
        FROM identities WHERE bucket = ${bucket} AND ${isCredentialed('copy_key')})
      ON event_key = copy_key AND other_arrival >= arrival - ${EVENT_ID_HORIZON_S} AND from_arrival <= arrival
    WHERE bucket = ${bucket}`
}

/**
 * The stored events of a bucket that a hot one replaces (core/lake/model/copies.ts), after addCopies: rows of
 * ReplacedEvent.
 */
export function selectReplaced(bucket: number, eventIdFiles: readonly string[]): string {
  return `
    SELECT event_key::varchar AS key, arrival FROM ${readFiles(eventIdFiles)}
    SEMI JOIN (SELECT copy_key, arrival AS hot_arrival FROM identities ANTI JOIN copies USING (file, row)
        WHERE bucket = ${bucket} AND ${isCredentialed('copy_key')})
      ON event_key = copy_key - 1 AND hot_arrival <= arrival + ${EVENT_ID_HORIZON_S}
    ORDER BY ALL`
}

/** Never true for the negative keys of events without an event_id. */
function isCredentialed(key: string): string {
  return `${key} % 2 = 1`
}

/** replaced_events: the given events; no others. */
export function createReplacedEvents(replaced: readonly ReplacedEvent[]): string {
  const rows = replaced.map(({ key, arrival }) => `(${BigInt(key)}, ${arrival})`)
  return `
    CREATE OR REPLACE TABLE replaced_events (event_key bigint, arrival bigint);
    ${rows.length === 0 ? '' : `INSERT INTO replaced_events VALUES ${rows.join(', ')}`}`
}

/** The events of event_rows that are in replaced_events. */
const isReplaced = `event_id IS NOT NULL AND (${PUBLIC_EVENT_KEY}, ${ARRIVAL}) IN (SELECT (event_key, arrival) FROM replaced_events)`
export const countReplacedRows = countEventRows(isReplaced)
export const deleteReplacedRows = `DELETE FROM event_rows WHERE ${isReplaced}`

/** The rows of segment_event_ids in the files that are in replaced_events, and the others. */
export function replacedIds(files: readonly string[]): string {
  return `SELECT * FROM ${readFiles(files)} SEMI JOIN replaced_events USING (event_key, arrival)`
}
export function idsWithoutReplaced(files: readonly string[]): string {
  return `SELECT * FROM ${readFiles(files)} ANTI JOIN replaced_events USING (event_key, arrival)`
}
