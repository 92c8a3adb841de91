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
import { segmentKeys } from '#core/lake/model/keys'
import { segmentsWithEventIds } from '#core/lake/model/manifest'
import type { SqlQuery } from '#core/ports'
import { bigint, inFiles, integer, join, name, sql, timestamp } from '#core/sql/sql'
import type { ColumnOf } from '#schemas/columns'
import { ARRIVAL, ARRIVAL_COLUMNS, mayHaveErasedHot } from './erased-events.ts'
import type { LakeRead } from './lake-read.ts'
import { inRawFiles, type Raw, raw, visible, visibleKeys } from './raw.ts'

/** Hot files have the keys of user and session; the files of segments have them in the rollups only. */
export type HotField = ColumnOf<'events_hot'> | 'date'

/** False for what a hot file keeps of an erased event, so that copies of it are known. */
const HAS_NAME = sql`event IS NOT NULL`

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
  const selection = sql`${HAS_NAME} AND timestamp >= ${timestamp(from)} AND timestamp < ${timestamp(to)} AND ${filter}`
  return firstEvents(read, fields, selection).map(events =>
    visible(read, { from: events, persons: 'hotEvent', segments: null }, fields),
  )
}

/** The hot events without copies: FROM … WHERE …. */
function firstEvents(read: HotRead, fields: readonly HotField[], selection: SqlQuery): Raw[] {
  const { copiedKeys } = read
  const all = hotRows(read)
  if (!mayHaveCopies(read) || copiedKeys?.length === 0) return [raw`${all} AND ${selection}`]
  const hasKey = copiedKeys === undefined ? sql`event_key IS NOT NULL` : isOneOfPairs(copiedKeys)
  const hasNoCopy =
    copiedKeys === undefined ? sql`event_key IS NULL` : sql`(event_key IS NULL OR NOT ${hasKey})`
  return [raw`${all} AND ${hasNoCopy} AND ${selection}`, withoutCopies(read, fields, hasKey, selection)]
}

/** Whether the hot events may have copies. */
export function mayHaveCopies({ snapshot, project }: HotRead): boolean {
  return project.has_event_ids && snapshot.hot.length > 0
}

/**
 * The event_keys that hot events share with each other, or with an event in a segment: rows (copied_key),
 * without their last bit, as text because they have 63 bits, at most `limit`. One statement finds them for
 * all statements of a report. `replaced` names a stored event that a hot one replaces
 * (core/lake/compact/replaced-events.ts); null without one. Rows that have it come first.
 */
export function copiedKeysSql(read: HotRead, limit: number): SqlQuery {
  return sql`${copiedKeys(read)} ORDER BY replaced NULLS LAST, copied_key LIMIT ${integer(limit)}`
}

/** All values of `replaced`. */
export function replacedSql(read: HotRead): SqlQuery {
  return sql`SELECT replaced FROM (${copiedKeys(read)}) AS replaced_events WHERE replaced IS NOT NULL`
}

function copiedKeys(read: HotRead): SqlQuery {
  const storedIds = recentEventIds(read, sql`true`)
  const hot = raw`(SELECT ${PAIR} AS pair_key, count(*) AS events,
        max(CASE WHEN ${IS_CREDENTIALED} THEN event_id END) AS winner_id, ${WINNERS}
      FROM (SELECT event_key, event_id, ${ARRIVAL} AS arrival ${hotRows(read)} AND event_key IS NOT NULL) AS hot_id
      GROUP BY ${PAIR}) AS hot_ids`
  if (storedIds === null)
    return visibleKeys(
      raw`SELECT CAST(pair_key AS varchar) AS copied_key, CAST(NULL AS varchar) AS replaced FROM ${hot} WHERE events > 1`,
    )
  return visibleKeys(raw`SELECT DISTINCT CAST(pair_key AS varchar) AS copied_key,
      CASE WHEN ${IS_REPLACED} THEN concat(winner_id, ' ', CAST(stored_arrival AS varchar)) END AS replaced
    FROM ${hot} LEFT JOIN (${storedRows(storedIds)}) AS stored_ids ON stored_pair = pair_key
    WHERE events > 1 OR stored_pair IS NOT NULL`)
}

/**
 * Hot events with an event_id, without copies (core/lake/model/copies.ts): FROM … WHERE …. Copies may differ
 * in everything else, so `selection` is applied after they are found.
 */
function withoutCopies(
  read: HotRead,
  fields: readonly HotField[],
  hasKey: SqlQuery,
  selection: SqlQuery,
): Raw {
  const stored = fields.filter(field => field !== 'date')
  const ofPersons = mayHaveErasedHot(read) ? (['user_key', ...ARRIVAL_COLUMNS] as const) : []
  const columns = new Set([
    ...stored,
    ...ofPersons,
    'event',
    'event_key',
    'epoch',
    'seq',
    'timestamp',
  ] as const)
  const events = raw`SELECT ${join([...columns].map(name), ', ')}, ${ARRIVAL} AS arrival ${hotRows(read)} AND ${hasKey}`
  const ids = raw`SELECT event_key, ${ARRIVAL} AS arrival ${hotRows(read)} AND ${hasKey}`
  return raw`FROM (
        SELECT *, ${previousArrival(sql`epoch, arrival, seq`)} FROM (${events}) AS hot_events) AS ordered_events
        LEFT JOIN (${otherRows(raw, ids, recentEventIds(read, hasKey))}) AS other_ids
          ON ${IS_COPY_OF_OTHER}
      WHERE (previous_arrival IS NULL OR NOT ${IS_COPY_OF_PREVIOUS}) AND other_pair IS NULL AND ${selection}`
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

/** FROM … WHERE … of all hot events of the project. */
function hotRows({ snapshot: { compacted, epoch, hot }, project: { id, bucket } }: HotRead): Raw {
  return raw`FROM events_hot WHERE ${inRawFiles('events_hot', hot, bucket)} AND epoch >= ${integer(compacted)}
        AND epoch <= ${integer(epoch)} AND bucket = ${integer(bucket)} AND project_id = ${id}`
}
