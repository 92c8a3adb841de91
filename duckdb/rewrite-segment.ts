import type { RewriteJob, SegmentWithoutReplaced, StoredEvents } from '#core/lake/model/compactor'
import { segmentKey, segmentKeys } from '#core/lake/model/keys'
import { sumEvents } from '#core/usage/sum-events'
import {
  activityOfEvents,
  createEventRowsWithKeys,
  createSessionStarts,
  readFiles,
} from './compaction-sql.ts'
import {
  countReplacedRows,
  createReplacedEvents,
  deleteReplacedRows,
  idsWithoutReplaced,
  replacedIds,
} from './copies-sql.ts'
import { countErased, type ErasedCount, eraseRows, hasErasedUsers, loadTombstones } from './erased-rows.ts'
import { keepSplitSessions } from './find-split-sessions.ts'
import { countRows } from './scratch-database.ts'
import { type SegmentWriter, writeSegmentPart } from './segment-files.ts'
import { sessionsOfEvents } from './session-sql.ts'
import { withSplit } from './split-sql.ts'

/**
 * Writes a segment anew without erased and replaced events, part by part, so that the memory does not depend
 * on the size of the segment. The activity, which is small, shows whether it has events of the users, and its
 * event_ids show whether it has replaced ones. The bounds in the manifest stay as they were: they may be
 * wider than the events.
 */
export async function rewriteSegment(
  writer: SegmentWriter,
  { bucket, segment, generation, tombstones, replaced = [] }: RewriteJob,
): Promise<SegmentWithoutReplaced | null> {
  const { database } = writer
  const target = { ...segment, generation }
  const parts = Array.from({ length: segment.parts }, (_, part) => part)

  const hasErased = await loadTombstones(database, [{ bucket, tombstones, above: segment.erased }])

  async function hasUsers(): Promise<boolean> {
    const files = await database.fetch('segment_activity', segmentKeys('segment_activity', bucket, segment))
    const found = await hasErasedUsers(database, readFiles(files))
    await database.drop(files)
    return found
  }

  function fetchIds(fetchedParts: readonly number[]): Promise<string[]> {
    const keys = fetchedParts.map(part => segmentKey('segment_event_ids', bucket, segment, part))
    return database.fetch('segment_event_ids', keys)
  }

  async function countReplacedIds(): Promise<number> {
    await database.run(createReplacedEvents(replaced))
    if (segment.eventIds === 0 || replaced.length === 0) return 0
    const files = await fetchIds(parts)
    const count = await countRows(database, replacedIds(files))
    await database.drop(files)
    return count
  }

  /** event_rows: the events of the part that are not replaced. Returns how many are. */
  async function loadPart(part: number): Promise<StoredEvents[]> {
    const files = await database.fetch('segment_events', [
      segmentKey('segment_events', bucket, segment, part),
    ])
    await database.run(createEventRowsWithKeys(bucket, files))
    await database.drop(files)
    if (replaced.length === 0) return []
    const counts = (await database.rows(countReplacedRows)) as StoredEvents[]
    if (counts.length > 0) await database.run(deleteReplacedRows)
    return counts.map(({ project_id, day, events }) => ({ project_id, day, events }))
  }

  async function countLeftOut(): Promise<{ erased: ErasedCount[]; replacedEvents: StoredEvents[] }> {
    const erased: ErasedCount[] = []
    const replacedEvents: StoredEvents[] = []
    for (const part of parts) {
      replacedEvents.push(...(await loadPart(part)))
      if (hasErased) erased.push(...(await countErased(database, 'event_rows')))
    }
    return { erased, replacedEvents }
  }

  async function writePart(part: number, knowsSplit: boolean): Promise<number> {
    if (parts.length > 1) await loadPart(part)
    if (hasErased) await eraseRows(database)
    await database.run(createSessionStarts)
    const idFiles = segment.eventIds === 0 ? null : await fetchIds([part])
    return writeSegmentPart(writer, {
      bucket,
      segment: target,
      part,
      events: 'true',
      sessions: withSplit(sessionsOfEvents(bucket), bucket, knowsSplit),
      activity: activityOfEvents(bucket),
      eventIds: idFiles === null ? null : idsWithoutReplaced(idFiles),
    })
  }

  const idCount = await countReplacedIds()
  if (idCount === 0 && !(hasErased && (await hasUsers()))) return null
  const { erased, replacedEvents } = await countLeftOut()
  if (idCount === 0 && erased.length === 0) return null
  const removed = erased.map(({ number, events }) => ({ number, events }))
  const rows = segment.rows - sumEvents(removed) - sumEvents(replacedEvents)
  const eventIds = segment.eventIds - idCount
  if (rows === 0 && eventIds === 0) return { segment: null, removed, replaced: replacedEvents }
  const knowsSplit = await keepSplitSessions(database, bucket, segment)
  let bytes = 0
  for (const part of parts) bytes += await writePart(part, knowsSplit)
  return {
    segment: { ...target, rows, bytes, eventIds, erased: generation, knowsSplit, knowsSources: true },
    removed,
    replaced: replacedEvents,
  }
}
