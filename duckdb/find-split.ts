import { segmentKeys } from '#core/lake/keys'
import type { Segment } from '#core/lake/manifest'
import { isCompared } from '#core/lake/split-sessions'
import { DamagedObject } from './damaged.ts'
import type { ScratchDatabase } from './scratch-database.ts'
import { createSplitSessions } from './split-sql.ts'

/** A segment that is being written. `sessionDates`: a SELECT of (session_key, date). `older`: all segments before it. */
export type NewSegment = {
  bucket: number
  rows: number
  sessionDates: string
  older: readonly Segment[]
  /** See isCompared. */
  minComparedEvents: number | undefined
}

/**
 * Creates split_sessions_<bucket> for withSplit. Returns false, and creates nothing, if the segment is not compared with older ones
 * (core/lake/split-sessions.ts), or if a file of an older one is damaged: a read can do without, so that must not stop the work.
 */
export async function findSplit(
  database: ScratchDatabase,
  { bucket, rows, sessionDates, older, minComparedEvents }: NewSegment,
): Promise<boolean> {
  if (!isCompared(rows, older, minComparedEvents)) return false
  try {
    const keys = older.flatMap(segment => segmentKeys('segment_sessions', bucket, segment))
    const files = await database.fetch('segment_sessions', keys)
    await database.exclusively(() => database.run(createSplitSessions(bucket, sessionDates, files)))
    await database.drop(files)
    return true
  } catch (error) {
    const failure = await database.explainFailure(error)
    if (failure instanceof DamagedObject) return false
    throw failure
  }
}
