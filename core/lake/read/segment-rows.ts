import { type SegmentTable, segmentKeys } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import type { SqlQuery } from '#core/ports'
import { date, integer, join, name, type RawTable, sql } from '#core/sql/sql'
import { DAY_MS, utcDate } from '#core/time'
import { erasedUntil, mayHaveErased } from './erased-events.ts'
import { hasReplaced } from './hidden-events.ts'
import type { LakeRead } from './lake-read.ts'
import { inRawFiles, type Raw, type RawField, raw, visible } from './raw.ts'

/** Which segments a read needs, and their rows. */

/** The segments that have events with from <= timestamp < to. */
export function segmentsBetween({ snapshot }: LakeRead, from: number, to: number): Segment[] {
  return snapshot.segments.filter(({ firstAt, lastAt }) => lastAt >= from && firstAt < to)
}

/** The segments without and with erased events. */
export function splitErased(read: LakeRead, segments: readonly Segment[]) {
  const isOpen = (segment: Segment) => mayHaveErased(read, [segment])
  return { cleared: segments.filter(segment => !isOpen(segment)), open: segments.filter(isOpen) }
}

/**
 * How a rollup of the segments is read. `cleared`: all of it, because no event is erased. `usable`: without
 * the erased users. `rest`: not at all, but the events: a segment that was written while an erasure came may
 * have events of an erased user that stay.
 */
export function splitRollups(read: LakeRead, segments: readonly Segment[]) {
  const { cleared, open } = splitErased(read, segments)
  // Of all segments, so that a segment is read in the same way wherever a statement reads it.
  const until = erasedUntil(read, read.snapshot.segments)
  const isUsable = ({ lastArrival }: Segment) => lastArrival <= until
  return { cleared, usable: open.filter(isUsable), rest: open.filter(segment => !isUsable(segment)) }
}

/**
 * Most events of segments that are read instead of their rollups, beside other rollups. Their ids have to be
 * hashed.
 */
const MAX_REST_EVENTS = 200_000

/** Whether the rollups of the segments can leave out erased and replaced events. */
export function canLeaveOut(read: LakeRead, segments: readonly Segment[]): boolean {
  const { rest } = splitRollups(read, segments)
  return rest.reduce((sum, { rows }) => sum + rows, 0) <= MAX_REST_EVENTS && !hasReplaced(read, segments)
}

/**
 * Events that lie so much after the present, ms, are of a clock of the service that was ahead. Those of a
 * user's clock are dated 5 minutes ahead at most, and up to 30 days before the service's clock.
 */
const FAR_AHEAD_MS = 40 * DAY_MS

/**
 * Whether rollups of the segments can count just the events with from <= timestamp < to: those of whole UTC
 * dates.
 */
export function hasWholeDates(
  { now }: Pick<LakeRead, 'now'>,
  segments: readonly Segment[],
  from: number,
  to: number,
): boolean {
  // A range until now then cuts no date: the events after it are of other dates.
  const isFarAhead = (lastAt: number) => now !== undefined && to >= now && lastAt >= to + FAR_AHEAD_MS
  return segments.every(
    ({ firstAt, lastAt }) =>
      (isMidnight(from) || firstAt >= from) && (isMidnight(to) || lastAt < to || isFarAhead(lastAt)),
  )
}

/** Whether the rollups of sessions count just the events with from <= timestamp < to. */
export function hasRollups(read: LakeRead, segments: readonly Segment[], from: number, to: number): boolean {
  return hasWholeDates(read, segments, from, to) && canLeaveOut(read, segments)
}

/** A condition on the rows of a rollup: those of the UTC dates from `from` (at a midnight) to before `to`. */
export function betweenDates(from: number, to: number): SqlQuery {
  return sql` AND date >= ${date(utcDate(from))} AND date <= ${date(utcDate(to - 1))}`
}

/** FROM … WHERE … of the project's rows in the files that segments have in a table. */
export function segmentRows(
  { project: { id, bucket } }: LakeRead,
  table: RawTable & SegmentTable,
  segments: readonly Segment[],
  condition: SqlQuery,
): Raw {
  const files = segments.flatMap(segment => segmentKeys(table, bucket, segment))
  return raw`FROM ${name(table)}
      WHERE ${inRawFiles(table, files)} AND bucket = ${integer(bucket)} AND project_id = ${id}${condition}`
}

/**
 * The rows of segments without those of erased persons, as statements for UNION ALL: only segments that may
 * have such rows pay for the join. A rollup needs more: see splitRollups.
 */
export function visibleRows(
  read: LakeRead,
  table: RawTable & SegmentTable,
  segments: readonly Segment[],
  fields: readonly RawField[],
  condition: SqlQuery,
): SqlQuery[] {
  const { cleared, open } = splitErased(read, segments)
  const persons = table === 'segment_events' ? 'storedEvent' : 'rollup'
  return [cleared, open]
    .filter(part => part.length > 0)
    .map(part =>
      visible(read, { from: segmentRows(read, table, part, condition), persons, segments: part }, fields),
    )
}

/**
 * The rows of segments and hot files. Hot rows are left out if there are no hot files, but a relation needs
 * one part.
 */
export function unionAll(
  { snapshot }: LakeRead,
  stored: readonly SqlQuery[],
  hot: readonly SqlQuery[],
): SqlQuery {
  const parts = snapshot.hot.length === 0 && stored.length > 0 ? stored : [...stored, ...hot]
  return sql`(${join(parts, '\n      UNION ALL\n      ')})`
}

function isMidnight(ms: number): boolean {
  return ms % DAY_MS === 0
}
