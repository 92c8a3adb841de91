import { EVENT_ID_HORIZON_S } from '#core/lake/model/copies'
import { segmentKeys } from '#core/lake/model/keys'
import { segmentsWithEventIds } from '#core/lake/model/manifest'
import type { SqlQuery } from '#core/ports'
import { bigint, inFiles, integer, join, name, sql, timestamp } from '#core/sql/sql'
import type { ColumnOf } from '#schemas/columns'
import { ARRIVAL, ARRIVAL_COLUMNS, ARRIVAL_MS, mayHaveErasedHot, withoutErasedHot } from './erased-events.ts'
import type { LakeRead } from './lake-read.ts'

/** Hot files have the keys of user and session; the files of segments have them in the rollups only. */
export type HotField = ColumnOf<'events_hot'> | 'date'

type HotRead = Pick<LakeRead, 'snapshot' | 'project' | 'copiedKeys'>

/**
 * The hot events with from <= timestamp < to (Unix ms), each once, as statements for UNION ALL. `filter` may
 * use the given fields only. Finding copies takes longer than reading, so only the events that may have
 * copies are searched for them.
 */
export function hotEvents(
  read: HotRead,
  fields: readonly HotField[],
  { from, to }: { from: number; to: number },
  filter: SqlQuery = sql`true`,
): SqlQuery[] {
  const selection = sql`timestamp >= ${timestamp(from)} AND timestamp < ${timestamp(to)} AND ${filter}`
  if (!mayHaveErasedHot(read)) return firstHotEvents(read, selectList(fields), fields, selection)
  const withArrival = sql`${selectList(fields)}, user_key AS erased_key, ${ARRIVAL_MS} AS erased_arrival`
  const needed = [...new Set([...fields, 'user_key', ...ARRIVAL_COLUMNS] as const)]
  return firstHotEvents(read, withArrival, needed, selection).map(rows =>
    withoutErasedHot(read, rows, columnNames(fields)),
  )
}

/** The same with erased events, with these columns, which use the fields. */
function firstHotEvents(
  read: HotRead,
  columns: SqlQuery,
  fields: readonly HotField[],
  selection: SqlQuery,
): SqlQuery[] {
  const { copiedKeys } = read
  const rows = sql`SELECT ${columns} FROM events_hot WHERE ${hotWhere(read)}`
  if (!mayHaveCopies(read) || copiedKeys?.length === 0) return [sql`${rows} AND ${selection}`]
  const hasNoCopy =
    copiedKeys === undefined
      ? sql`event_key IS NULL`
      : sql`(event_key IS NULL OR NOT ${isOneOfPairs(copiedKeys)})`
  const hasKey = copiedKeys === undefined ? sql`event_key IS NOT NULL` : isOneOfPairs(copiedKeys)
  return [
    sql`${rows} AND ${hasNoCopy} AND ${selection}`,
    firstEvents(read, columns, fields, hasKey, selection),
  ]
}

/** Whether the hot events may have copies. */
export function mayHaveCopies({ snapshot, project }: HotRead): boolean {
  return project.has_event_ids && snapshot.hot.length > 0
}

/** The event_key without its last bit: equal for all copies of an event. */
const PAIR = sql`event_key - event_key % 2`
const IS_CREDENTIALED = sql`event_key % 2 = 1`

/**
 * The event_keys that hot events share with each other, or with an event in a segment that arrived within the
 * horizon: rows (copied_key), without their last bit, as text because they have 63 bits, at most `limit`. One
 * statement finds them for all statements of a report. `replaced` names a stored event that a hot one
 * replaces (core/lake/compact/replaced-events.ts); null without one. Rows that have it come first.
 */
export function copiedKeysSql(read: HotRead, limit: number): SqlQuery {
  return sql`${copiedKeys(read)} ORDER BY replaced NULLS LAST, copied_key LIMIT ${integer(limit)}`
}

/** All values of `replaced`. */
export function replacedSql(read: HotRead): SqlQuery {
  return sql`SELECT replaced FROM (${copiedKeys(read)}) AS copied_keys WHERE replaced IS NOT NULL`
}

function copiedKeys(read: HotRead): SqlQuery {
  const horizon = integer(EVENT_ID_HORIZON_S)
  const storedIds = recentEventIds(read, sql`true`)
  const hot = sql`(SELECT ${PAIR} AS pair_key, count(*) AS events, min(${ARRIVAL}) AS first_arrival,
        max(${ARRIVAL}) AS last_arrival, max(CASE WHEN ${IS_CREDENTIALED} THEN event_id END) AS winner_id,
        min(CASE WHEN ${IS_CREDENTIALED} THEN ${ARRIVAL} END) AS first_winner,
        max(CASE WHEN ${IS_CREDENTIALED} THEN ${ARRIVAL} END) AS last_winner
      FROM events_hot WHERE ${hotWhere(read)} AND event_key IS NOT NULL GROUP BY ${PAIR}) AS hot_ids`
  if (storedIds === null) {
    return sql`SELECT CAST(pair_key AS varchar) AS copied_key, CAST(NULL AS varchar) AS replaced FROM ${hot}
    WHERE events > 1`
  }
  const replaced = sql`CASE WHEN stored_last_bit = 0 AND stored_arrival >= first_winner - ${horizon} THEN concat(winner_id, ' ', CAST(stored_arrival AS varchar)) END`
  return sql`SELECT DISTINCT CAST(pair_key AS varchar) AS copied_key, ${replaced} AS replaced
    FROM ${hot}
    LEFT JOIN (SELECT ${PAIR} AS stored_pair, event_key % 2 AS stored_last_bit, arrival AS stored_arrival FROM (${storedIds}) AS stored_id)
        AS stored_ids
      ON stored_pair = pair_key AND stored_arrival >= first_arrival - ${horizon}
    WHERE events > 1 OR stored_pair IS NOT NULL`
}

/**
 * Hot events with an event_id, without copies (core/lake/model/copies.ts). Copies may differ in everything
 * else, so
 * `selection` is applied after they are found.
 */
function firstEvents(
  read: HotRead,
  columns: SqlQuery,
  fields: readonly HotField[],
  hasKey: SqlQuery,
  selection: SqlQuery,
): SqlQuery {
  const horizon = integer(EVENT_ID_HORIZON_S)
  const storedIds = recentEventIds(read, hasKey)
  // A stored event makes those with the same credential or less copies, a hot one with a credential those
  // without one.
  const hotIds = sql`SELECT event_key - 1 AS other_pair, 0 AS other_last_bit, ${ARRIVAL} - ${horizon} AS from_arrival, ${ARRIVAL} AS other_arrival
          FROM events_hot
          WHERE ${hotWhere(read)} AND ${hasKey} AND ${IS_CREDENTIALED}`
  const otherIds =
    storedIds === null
      ? hotIds
      : sql`${hotIds} UNION ALL
          SELECT ${PAIR} AS other_pair, event_key % 2 AS other_last_bit, 0 AS from_arrival, arrival AS other_arrival FROM (${storedIds}) AS stored_id`
  // Two comparisons, not abs(arrival - stored_arrival): DuckDB plans a hash join only if each condition
  // compares a value of one side with a value of the other. Otherwise an outer join is a nested loop over all
  // pairs.
  return sql`SELECT ${columns} FROM (
        SELECT *, lag(arrival) OVER (PARTITION BY event_key ORDER BY epoch, arrival, seq) AS previous_arrival
        FROM (SELECT ${selectDedupeColumns(fields)}, ${ARRIVAL} AS arrival FROM events_hot
          WHERE ${hotWhere(read)} AND ${hasKey}) AS hot_events) AS ordered_events
        LEFT JOIN (${otherIds}) AS other_ids
          ON other_pair = ${PAIR} AND other_last_bit >= event_key % 2
            AND other_arrival >= arrival - ${horizon} AND from_arrival <= arrival
      WHERE (previous_arrival IS NULL OR arrival - previous_arrival > ${horizon}) AND other_pair IS NULL AND ${selection}`
}

/** The newest event_ids that are in segments: (event_key, arrival); null if there are none. */
function recentEventIds({ snapshot, project }: HotRead, hasKey: SqlQuery): SqlQuery | null {
  const files = segmentsWithEventIds(snapshot).flatMap(segment =>
    segmentKeys('segment_event_ids', project.bucket, segment),
  )
  if (files.length === 0) return null
  return sql`SELECT event_key, arrival FROM segment_event_ids
          WHERE ${inFiles('segment_event_ids', files)} AND bucket = ${integer(project.bucket)} AND ${hasKey}`
}

/**
 * Whether an event has one of the keys, with or without a credential. The bounds let engines skip parts of
 * files, which are sorted.
 */
function isOneOfPairs(keys: readonly string[]): SqlQuery {
  const sorted = keys.map(BigInt).toSorted((a, b) => (a < b ? -1 : 1))
  const [first = 0n, last = 0n] = [sorted[0], sorted.at(-1)]
  return sql`(event_key >= ${bigint(String(first))} AND event_key <= ${bigint(String(last + 1n))}
          AND ${PAIR} IN (${join(keys.map(bigint), ', ')}))`
}

function hotWhere({
  snapshot: { compacted, epoch, hot },
  project: { id, bucket },
}: Pick<LakeRead, 'snapshot' | 'project'>) {
  return sql`${inFiles('events_hot', hot, bucket)} AND epoch >= ${integer(compacted)} AND epoch <= ${integer(epoch)}
        AND bucket = ${integer(bucket)} AND project_id = ${id}`
}

/** No file has a `date`, so it is computed from the timestamp. */
export function selectList(fields: readonly HotField[]): SqlQuery {
  return join(
    fields.map(field => (field === 'date' ? sql`CAST(timestamp AS date) AS date` : name(field))),
    ', ',
  )
}

/** The names of the fields, for rows that selectList has made. */
export function columnNames(fields: readonly HotField[]): SqlQuery {
  return join(fields.map(name), ', ')
}

/** The stored columns among the fields and those that finding copies needs, each once. */
function selectDedupeColumns(fields: readonly HotField[]): SqlQuery {
  const storedColumns = fields.filter(field => field !== 'date')
  const columns = new Set([...storedColumns, 'event_key', 'epoch', 'seq', 'timestamp', 'lag_s'] as const)
  return join([...columns].map(name), ', ')
}
