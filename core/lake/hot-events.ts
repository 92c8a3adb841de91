import type { SqlQuery } from '#core/ports'
import { inFiles, integer, join, name, sql, timestamp } from '#core/sql'
import type { ColumnOf } from '#schemas/columns'
import { EVENT_ID_HORIZON_S, LOOKBACK_S } from './copies.ts'
import { segmentKeys } from './keys.ts'
import type { LakeRead } from './relations.ts'

/** Hot files have the keys of user and session; the files of segments have them in the rollups only. */
export type HotField = ColumnOf<'events_hot'> | 'date'

/**
 * The hot events with from <= timestamp < to (Unix ms), each once, as statements for UNION ALL. `filter` may use the given
 * fields only.
 */
export function hotEvents(
  read: Pick<LakeRead, 'snapshot' | 'project'>,
  fields: readonly HotField[],
  { from, to }: { from: number; to: number },
  filter: SqlQuery = sql`true`,
): SqlQuery[] {
  const selection = sql`timestamp >= ${timestamp(from)} AND timestamp < ${timestamp(to)} AND ${filter}`
  const columns = selectList(fields)
  const rows = sql`SELECT ${columns} FROM events_hot WHERE ${hotWhere(read)}`
  if (!read.project.has_event_ids || read.snapshot.hot.length === 0) return [sql`${rows} AND ${selection}`]
  return [
    sql`${rows} AND event_key IS NULL AND ${selection}`,
    hotEventsWithEventId(read, fields, columns, selection),
  ]
}

/**
 * Hot events with an event_id, without copies. An event is a copy if the same event_id came before it within the
 * horizon: in hot by (epoch, arrival, seq), or in a segment, where compaction has kept one. Copies may differ in everything
 * else, so `selection` is applied after they are found.
 */
function hotEventsWithEventId(
  read: Pick<LakeRead, 'snapshot' | 'project'>,
  fields: readonly HotField[],
  columns: SqlQuery,
  selection: SqlQuery,
): SqlQuery {
  const horizon = integer(EVENT_ID_HORIZON_S)
  const storedIds = recentEventIds(read)
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
          WHERE ${hotWhere(read)} AND event_key IS NOT NULL) AS hot_events) AS ordered_events
        ${joinStored}
      WHERE (previous_arrival IS NULL OR abs(arrival - previous_arrival) > ${horizon})
        ${storedIds === null ? sql`` : sql`AND stored_key IS NULL`} AND ${selection}`
}

/** The keys of the newest event_ids that are in segments, with their arrivals; null if there are none. */
function recentEventIds({ snapshot, project }: Pick<LakeRead, 'snapshot' | 'project'>): SqlQuery | null {
  const newest = Math.max(...snapshot.segments.map(({ lastArrival }) => lastArrival))
  const keys = snapshot.segments
    .filter(({ eventIds, lastArrival }) => eventIds > 0 && lastArrival >= newest - LOOKBACK_S)
    .flatMap(segment => segmentKeys('segment_event_ids', project.bucket, segment))
  if (keys.length === 0) return null
  return sql`SELECT event_key AS stored_key, arrival AS stored_arrival FROM segment_event_ids
          WHERE ${inFiles('segment_event_ids', keys)} AND bucket = ${integer(project.bucket)}`
}

function hotWhere({
  snapshot: { compacted, epoch, hot },
  project: { id, bucket },
}: Pick<LakeRead, 'snapshot' | 'project'>) {
  return sql`${inFiles('events_hot', hot)} AND epoch >= ${integer(compacted)} AND epoch <= ${integer(epoch)}
        AND bucket = ${integer(bucket)} AND project_id = ${id}`
}

/** Unix second of arrival. */
const ARRIVAL = sql`(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000', timestamp) + lag_s)`

/** No file has a `date`, so it is computed from the timestamp. */
export function selectList(fields: readonly HotField[]): SqlQuery {
  return join(
    fields.map(field => (field === 'date' ? sql`CAST(timestamp AS date) AS date` : name(field))),
    ', ',
  )
}

/** The stored columns among the fields and those that finding copies needs, each once. */
function selectDedupeColumns(fields: readonly HotField[]): SqlQuery {
  const storedColumns = fields.filter(field => field !== 'date')
  const columns = new Set([...storedColumns, 'event_key', 'epoch', 'seq', 'timestamp', 'lag_s'] as const)
  return join([...columns].map(name), ', ')
}
