import type { SqlQuery } from '#core/ports'
import { bigint, inFiles, integer, join, name, sql, timestamp } from '#core/sql'
import type { ColumnOf } from '#schemas/columns'
import { EVENT_ID_HORIZON_S } from './copies.ts'
import { ARRIVAL, mayHaveErasedHot, withoutErasedHot } from './erased-events.ts'
import { segmentKeys } from './keys.ts'
import { segmentsWithEventIds } from './manifest.ts'
import type { LakeRead } from './relations.ts'

/** Hot files have the keys of user and session; the files of segments have them in the rollups only. */
export type HotField = ColumnOf<'events_hot'> | 'date'

type HotRead = Pick<LakeRead, 'snapshot' | 'project' | 'copiedKeys'>

/**
 * The hot events with from <= timestamp < to (Unix ms), each once, as statements for UNION ALL. `filter` may use the given
 * fields only. Finding copies takes longer than reading, so only the events that may have copies are searched for them.
 */
export function hotEvents(
  read: HotRead,
  fields: readonly HotField[],
  { from, to }: { from: number; to: number },
  filter: SqlQuery = sql`true`,
): SqlQuery[] {
  const selection = sql`timestamp >= ${timestamp(from)} AND timestamp < ${timestamp(to)} AND ${filter}`
  if (!mayHaveErasedHot(read)) return firstHotEvents(read, selectList(fields), fields, selection)
  const withArrival = sql`${selectList(fields)}, user_key AS erased_key, ${ARRIVAL} AS erased_arrival`
  const needed = [...new Set([...fields, 'user_key', 'timestamp', 'lag_s'] as const)]
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
      : sql`(event_key IS NULL OR event_key NOT IN (${keyList(copiedKeys)}))`
  const hasKey =
    copiedKeys === undefined ? sql`event_key IS NOT NULL` : sql`event_key IN (${keyList(copiedKeys)})`
  return [
    sql`${rows} AND ${hasNoCopy} AND ${selection}`,
    firstEvents(read, columns, fields, hasKey, selection),
  ]
}

/** Whether the hot events may have copies. */
export function mayHaveCopies({ snapshot, project }: HotRead): boolean {
  return project.has_event_ids && snapshot.hot.length > 0
}

/**
 * The event_keys that hot events share with each other, or with an event in a segment that arrived within the horizon: rows
 * (copied_key), as text because they have 63 bits, at most `limit`. One statement finds them for all statements of a report.
 */
export function copiedKeysSql(read: HotRead, limit: number): SqlQuery {
  const horizon = integer(EVENT_ID_HORIZON_S)
  const storedIds = recentEventIds(read, sql`true`)
  const joinStored =
    storedIds === null
      ? sql``
      : sql`LEFT JOIN (${storedIds}) AS stored_ids
      ON stored_key = event_key AND stored_arrival >= first_arrival - ${horizon} AND stored_arrival <= last_arrival + ${horizon}`
  return sql`SELECT DISTINCT CAST(event_key AS varchar) AS copied_key
    FROM (SELECT event_key, count(*) AS events, min(${ARRIVAL}) AS first_arrival, max(${ARRIVAL}) AS last_arrival
      FROM events_hot WHERE ${hotWhere(read)} AND event_key IS NOT NULL GROUP BY event_key) AS hot_ids
    ${joinStored}
    WHERE events > 1 ${storedIds === null ? sql`` : sql`OR stored_key IS NOT NULL`}
    ORDER BY copied_key LIMIT ${integer(limit)}`
}

/**
 * Hot events with an event_id, without copies. An event is a copy if the same event_id came before it within the
 * horizon: in hot by (epoch, arrival, seq), or in a segment, where compaction has kept one. Copies may differ in everything
 * else, so `selection` is applied after they are found.
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
  // Two comparisons, not abs(arrival - stored_arrival): DuckDB plans a hash join only if each condition compares a value of
  // one side with a value of the other. Otherwise an outer join is a nested loop over all pairs.
  const joinStored =
    storedIds === null
      ? sql``
      : sql`LEFT JOIN (${storedIds}) AS stored_ids
        ON stored_key = event_key AND stored_arrival >= arrival - ${horizon} AND stored_arrival <= arrival + ${horizon}`
  return sql`SELECT ${columns} FROM (
        SELECT *, lag(arrival) OVER (PARTITION BY event_key ORDER BY epoch, arrival, seq) AS previous_arrival
        FROM (SELECT ${selectDedupeColumns(fields)}, ${ARRIVAL} AS arrival FROM events_hot
          WHERE ${hotWhere(read)} AND ${hasKey}) AS hot_events) AS ordered_events
        ${joinStored}
      WHERE (previous_arrival IS NULL OR abs(arrival - previous_arrival) > ${horizon})
        ${storedIds === null ? sql`` : sql`AND stored_key IS NULL`} AND ${selection}`
}

/** The keys of the newest event_ids that are in segments, with their arrivals; null if there are none. */
function recentEventIds({ snapshot, project }: HotRead, hasKey: SqlQuery): SqlQuery | null {
  const files = segmentsWithEventIds(snapshot).flatMap(segment =>
    segmentKeys('segment_event_ids', project.bucket, segment),
  )
  if (files.length === 0) return null
  return sql`SELECT event_key AS stored_key, arrival AS stored_arrival FROM segment_event_ids
          WHERE ${inFiles('segment_event_ids', files)} AND bucket = ${integer(project.bucket)} AND ${hasKey}`
}

function keyList(keys: readonly string[]): SqlQuery {
  return join(keys.map(bigint), ', ')
}

function hotWhere({
  snapshot: { compacted, epoch, hot },
  project: { id, bucket },
}: Pick<LakeRead, 'snapshot' | 'project'>) {
  return sql`${inFiles('events_hot', hot)} AND epoch >= ${integer(compacted)} AND epoch <= ${integer(epoch)}
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
