import { tombstoneKey } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import type { TombstoneBatch } from '#core/lake/model/tombstone-batch'
import type { SqlQuery } from '#core/ports'
import { inFiles, integer, name, sql } from '#core/sql/sql'
import type { LakeRead } from './lake-read.ts'

/**
 * What hides erased events from reads until no file has them any more (core/lake/read/raw.ts): one join with
 * the tombstones of the project, however many these are. Only a project with an erasure in force pays for it.
 * Projects that were erased as a whole are hidden by the look-up of projects, and events that retention
 * deletes by the range of the read.
 */

export type ErasureRead = Pick<LakeRead, 'snapshot' | 'project'>
type OfSegment = Pick<Segment, 'erased' | 'lastArrival'>

/** Unix second of arrival. */
export const ARRIVAL = sql`(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000', timestamp) + lag_s)`

/**
 * Unix ms of arrival, which tombstones compare. Files from before `lag_ms` know the second only, and an
 * arrival counts from its start (docs/decisions/2026-11-29-arrival-in-milliseconds.md).
 */
export const ARRIVAL_MS = sql`(${ARRIVAL} * 1000 + coalesce((date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', timestamp) + lag_ms) % 1000, 0))`

/** The columns that ARRIVAL_MS uses. */
export const ARRIVAL_COLUMNS = ['timestamp', 'lag_s', 'lag_ms'] as const

/** Unix ms of the last arrival that a row of `tombstones` erases. Older files have the second only. */
const ERASED_UNTIL = sql`coalesce(erased_until_ms, erased_until * 1000 + 999)`

/**
 * The batches that may have tombstones of persons of the project whose events these segments may have.
 * Null: all in force, for hot files.
 */
export function batchesOf(
  { snapshot, project }: ErasureRead,
  segments: readonly OfSegment[] | null,
): TombstoneBatch[] {
  return snapshot.tombstones.filter(
    ({ number, oldestUntil, projects }) =>
      oldestUntil !== null &&
      (projects === null || projects.includes(project.id)) &&
      (segments === null || segments.some(({ erased }) => erased < number)),
  )
}

/** Whether hot files, and files of links, may have something erased of the project. */
export function mayHaveErasedHot(read: ErasureRead): boolean {
  return batchesOf(read, null).length > 0
}

/** Whether the segments may have erased events of the project. */
export function mayHaveErased(read: ErasureRead, segments: readonly OfSegment[]): boolean {
  return batchesOf(read, segments).length > 0
}

/**
 * The second up to whose end all events of erased users are erased, whichever of these segments they are in.
 * A segment without later arrivals has nothing of an erased user that stays.
 */
export function erasedUntil(read: ErasureRead, segments: readonly OfSegment[]): number {
  return Math.min(...batchesOf(read, segments).map(({ oldestUntil }) => Number(oldestUntil)))
}

/**
 * Leaves out links that arrived before the erasure of their person, which the fold removes from the files
 * minutes later: an erasure names all ids of the person. `rows`: a SELECT of `columns`, previous_key and
 * linked_at.
 */
export function withoutErasedLinks(read: ErasureRead, rows: SqlQuery, columns: SqlQuery): SqlQuery {
  return sql`SELECT ${columns} FROM (${rows}) AS each_link
      LEFT JOIN (${tombstonesOf(read, batchesOf(read, null), 'user_key')}) AS tombstone ON tombstone_key = previous_key
      WHERE tombstone_key IS NULL OR linked_at > tombstone_until`
}

/** What tombstones have of the user of a stored event, which has no user_key. */
export const ERASED_HASH = sql`substr(to_hex(sha256(to_utf8(user_id))), 1, 16)`

/** Rows of (tombstone_key, tombstone_until): one for each erased user, so that a join adds no rows. */
export function tombstonesOf(
  { project: { id, bucket } }: ErasureRead,
  batches: readonly TombstoneBatch[],
  key: 'user_key' | 'user_hash',
): SqlQuery {
  const files = batches.map(batch => tombstoneKey(bucket, batch))
  const column = name(key)
  return sql`SELECT ${column} AS tombstone_key, max(${ERASED_UNTIL}) AS tombstone_until
        FROM tombstones WHERE ${inFiles('tombstones', files)} AND bucket = ${integer(bucket)} AND project_id = ${id} AND ${column} IS NOT NULL
        GROUP BY ${column}`
}
