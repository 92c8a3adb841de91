import type { RewriteJob, RewrittenSegment } from '#core/lake/compactor'
import { segmentKey, segmentKeys } from '#core/lake/keys'
import {
  activityOfEvents,
  createEventRowsWithKeys,
  createSessionStarts,
  readFiles,
  sessionsOfEvents,
} from './compaction-sql.ts'
import { countErased, type ErasedCount, eraseRows, hasErasedUsers, loadTombstones } from './erased-rows.ts'
import { keepSplitSessions } from './find-split-sessions.ts'
import { type SegmentWriter, writeSegmentPart } from './segment-files.ts'
import { withSplit } from './split-sql.ts'

/**
 * Writes a segment anew without erased events, part by part, so that the memory does not depend on the size of the segment.
 * The activity, which is small, shows whether it has events of the users. The bounds in the manifest stay as they were: they may be
 * wider than the events.
 */
export async function rewriteSegment(
  writer: SegmentWriter,
  { bucket, segment, generation, tombstones }: RewriteJob,
): Promise<RewrittenSegment | null> {
  const { database } = writer
  const target = { ...segment, generation }
  const parts = Array.from({ length: segment.parts }, (_, part) => part)

  async function hasUsers(): Promise<boolean> {
    const files = await database.fetch('segment_activity', segmentKeys('segment_activity', bucket, segment))
    const found = await hasErasedUsers(database, readFiles(files))
    await database.drop(files)
    return found
  }

  async function loadPart(part: number): Promise<void> {
    const files = await database.fetch('segment_events', [
      segmentKey('segment_events', bucket, segment, part),
    ])
    await database.run(createEventRowsWithKeys(bucket, files))
    await database.drop(files)
  }

  async function countErasedEvents(): Promise<ErasedCount[]> {
    const counts: ErasedCount[] = []
    for (const part of parts) {
      await loadPart(part)
      counts.push(...(await countErased(database, 'event_rows')))
    }
    return counts
  }

  async function writePart(part: number, knowsSplit: boolean): Promise<number> {
    if (parts.length > 1) await loadPart(part)
    await eraseRows(database)
    await database.run(createSessionStarts)
    const idFiles =
      segment.eventIds === 0
        ? null
        : await database.fetch('segment_event_ids', [segmentKey('segment_event_ids', bucket, segment, part)])
    return writeSegmentPart(writer, {
      bucket,
      segment: target,
      part,
      events: 'true',
      sessions: withSplit(sessionsOfEvents(bucket), bucket, knowsSplit),
      activity: activityOfEvents(bucket),
      eventIds: idFiles === null ? null : `SELECT * FROM ${readFiles(idFiles)}`,
    })
  }

  const erased = { bucket, tombstones, above: segment.erased }
  if (!(await loadTombstones(database, [erased])) || !(await hasUsers())) return null
  const counts = await countErasedEvents()
  if (counts.length === 0) return null
  const removed = counts.map(({ number, events }) => ({ number, events }))
  const rows = segment.rows - removed.reduce((sum, { events }) => sum + events, 0)
  if (rows === 0 && segment.eventIds === 0) return { segment: null, removed }
  const knowsSplit = await keepSplitSessions(database, bucket, segment)
  let bytes = 0
  for (const part of parts) bytes += await writePart(part, knowsSplit)
  const known = { knowsSplit: knowsSplit ? 1 : 0, hasTotals: 1 }
  return { segment: { ...target, rows, bytes, erased: generation, ...known }, removed }
}
