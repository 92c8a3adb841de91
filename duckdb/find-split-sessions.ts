import { slices } from '#core/async/slices'
import { comparedSegments, isCompared } from '#core/lake/compact/split-sessions'
import { segmentKeys } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import { DamagedObject } from './damaged.ts'
import type { ScratchDatabase } from './scratch-database.ts'
import { addSplitSessions, copySplitSessions, createSplitSessions } from './split-sql.ts'

/**
 * A segment that is being written. `sessionDates`: a SELECT of (session_key, date). `older`: all segments
 * before it.
 */
export type NewSegment = {
  bucket: number
  rows: number
  /** Timestamp of its first event, Unix ms. */
  firstAt: number
  sessionDates: string
  older: readonly Segment[]
  /** See isCompared. */
  minComparedEvents: number | undefined
}

/** Older segments whose files are on disk at a time: together at most about 100 MB. */
const SEGMENTS_AT_ONCE = 16

/**
 * Compares a new segment with the older ones: creates split_sessions_<bucket> for withSplit. Returns false,
 * and the table means nothing, if the segment need not be compared (core/lake/compact/split-sessions.ts), or
 * if a file of an older one is damaged.
 */
export async function findSplitSessions(
  database: ScratchDatabase,
  { bucket, rows, firstAt, sessionDates, older, minComparedEvents }: NewSegment,
): Promise<boolean> {
  const compared = comparedSegments(older, firstAt)
  if (!isCompared(rows, compared, minComparedEvents)) return false
  await database.exclusively(() => database.run(createSplitSessions(bucket, sessionDates)))
  for (const segments of slices(compared, SEGMENTS_AT_ONCE)) {
    const isRead = await tryFromFiles(database, bucket, segments, files => addSplitSessions(bucket, files))
    if (!isRead) return false
  }
  return true
}

/** Does the same for a segment that is written anew: its files know which of its sessions are split. */
export async function keepSplitSessions(
  database: ScratchDatabase,
  bucket: number,
  segment: Segment,
): Promise<boolean> {
  if (!segment.knowsSplit) return false
  return tryFromFiles(database, bucket, [segment], files => copySplitSessions(bucket, files))
}

/**
 * Runs a statement over the files that segments have in segment_sessions. Returns false if one of them is
 * damaged: reads can do without its result, so that must stop neither a compaction nor an erasure.
 */
async function tryFromFiles(
  database: ScratchDatabase,
  bucket: number,
  segments: readonly Segment[],
  toStatement: (files: readonly string[]) => string,
): Promise<boolean> {
  try {
    const keys = segments.flatMap(segment => segmentKeys('segment_sessions', bucket, segment))
    const files = await database.fetch('segment_sessions', keys)
    await database.exclusively(() => database.run(toStatement(files)))
    await database.drop(files)
    return true
  } catch (error) {
    const failure = await database.explainFailure(error)
    if (failure instanceof DamagedObject) return false
    throw failure
  }
}
