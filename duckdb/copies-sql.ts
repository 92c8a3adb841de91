import type { ReplacedEvent } from '#core/lake/model/compactor'
import {
  IS_COPY_OF_OTHER,
  IS_COPY_OF_PREVIOUS,
  IS_CREDENTIALED,
  IS_REPLACED,
  otherRows,
  PAIR,
  previousArrival,
  storedRows,
  WINNERS,
} from '#core/lake/model/copy-rule'
import type { SqlQuery } from '#core/ports'
import { integer, sql, trustedSql } from '#core/sql/sql'
import { ARRIVAL, countEventRows, PUBLIC_EVENT_KEY, readFiles } from './compaction-sql.ts'

/**
 * The statements that find copies and replaced events by the rule of core/lake/model/copy-rule.ts, over the
 * tables of duckdb/compaction-sql.ts. Stored events are in the files of segment_event_ids.
 */

/** Finds the copies of a bucket: of the hot rows, a row is earlier by (arrival, seq). */
export function addCopies(bucket: number, eventIdFiles: readonly string[]): string {
  const hot = sql`SELECT event_key, arrival FROM identities WHERE bucket = ${integer(bucket)}`
  return `
    INSERT INTO copies
    SELECT file, row FROM (
      SELECT file, row, arrival, ${previousArrival(sql`arrival, seq, file, row`).text}
      FROM identities WHERE bucket = ${bucket})
    WHERE ${IS_COPY_OF_PREVIOUS.text}
    UNION
    SELECT file, row FROM identities SEMI JOIN (${otherRows(sql, hot, storedIds(eventIdFiles)).text})
      ON ${IS_COPY_OF_OTHER.text}
    WHERE bucket = ${bucket}`
}

/** The stored events of a bucket that a hot one replaces, after addCopies: rows of ReplacedEvent. */
export function selectReplaced(bucket: number, eventIdFiles: readonly string[]): string {
  return `
    SELECT stored_pair::varchar AS key, stored_arrival AS arrival FROM (${storedRows(storedIds(eventIdFiles)).text})
    JOIN (SELECT ${PAIR.text} AS pair_key, ${WINNERS.text}
        FROM identities ANTI JOIN copies USING (file, row)
        WHERE bucket = ${bucket} AND ${IS_CREDENTIALED.text} GROUP BY ${PAIR.text})
      ON stored_pair = pair_key
    WHERE ${IS_REPLACED.text} ORDER BY ALL`
}

function storedIds(files: readonly string[]): SqlQuery {
  return trustedSql(`SELECT event_key, arrival FROM ${readFiles(files)}`)
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
