import { forEachConcurrent } from '#core/async/concurrency'
import type {
  CompactedBucket,
  EpochCompactionJob,
  ReplacedEvent,
  StoredEvents,
} from '#core/lake/model/compactor'
import type { RemovedEvents } from '#core/lake/model/tombstone-batch'
import { sumEvents } from '#core/usage/sum-events'
import {
  activityOfEvents,
  addIdentities,
  addStoredEvents,
  createEpochTables,
  createEventRowsFromHot,
  createRetryStarts,
  createSessionStarts,
  describeEvents,
  eventIdsOfHot,
  selectBuckets,
  selectStoredEvents,
} from './compaction-sql.ts'
import { addCopies, selectReplaced } from './copies-sql.ts'
import { dropNameless, type ErasedCount, eraseRows, loadTombstones } from './erased-rows.ts'
import { findSplitSessions } from './find-split-sessions.ts'
import { createHotSlices } from './hot-slices.ts'
import {
  type DescribedEvents,
  type EventsDescription,
  type SegmentWriter,
  toSegment,
  type WrittenPart,
  writeSegmentPart,
} from './segment-files.ts'
import { layoutOfEpoch } from './segment-layout.ts'
import { sessionsOfEvents } from './session-sql.ts'
import { sessionDatesOfEvents, withSplit } from './split-sql.ts'

/** S3 takes tens of ms for an object, so the next buckets are worked on meanwhile. */
const CONCURRENT_BUCKETS = 4

/** What is known of a bucket before its first part is written: a row of selectBuckets. */
type BucketIds = { bucket: number; last_arrival: number; event_ids: number }

/**
 * Writes the segments of an epoch. First it finds the copies in the whole epoch, from a few columns of all
 * slices of the hot files. Then each slice becomes a part of the segments that have rows in it. A failure in
 * the work for one bucket is the result of this bucket, and the others go on.
 */
export async function compactEpoch(
  writer: Omit<SegmentWriter, 'layout'>,
  { epoch, hot, buckets }: EpochCompactionJob,
  { sliceBytes, minComparedEvents }: { sliceBytes: number; minComparedEvents: number | undefined },
): Promise<CompactedBucket[]> {
  const { database } = writer
  const segmentOf = (bucket: number) => ({
    from: epoch,
    until: epoch + 1,
    generation: buckets.find(each => each.bucket === bucket)?.generation ?? 0,
  })
  const slices = createHotSlices(database, hot, sliceBytes)
  const numbers = buckets.map(({ bucket }) => bucket)
  const parts = new Map<number, WrittenPart[]>()
  const failures = new Map<number, unknown>()
  const knowsSplit = new Set<number>()
  const replaced = new Map<number, ReplacedEvent[]>()
  const erasedCounts: ErasedCount[] = []

  async function tryBucket(bucket: number, work: () => Promise<void>): Promise<void> {
    if (failures.has(bucket)) return
    try {
      await work()
    } catch (error) {
      // A job that was aborted is no failure of this bucket.
      database.throwIfAborted()
      failures.set(bucket, await database.explainFailure(error))
    }
  }

  /** Returns the buckets that have rows. */
  async function findCopies(): Promise<Set<unknown>> {
    for (let slice = 0; slice < slices.count; slice++) {
      await database.run(addIdentities(await slices.fetch(slice), numbers))
    }
    const rows = await database.rows('SELECT DISTINCT bucket FROM identities')
    const presentBuckets = new Set(rows.map(row => row.bucket))
    const present = buckets.filter(({ bucket }) => presentBuckets.has(bucket))
    await forEachConcurrent(present, CONCURRENT_BUCKETS, ({ bucket, eventIds }) =>
      tryBucket(bucket, async () => {
        const files = await database.fetch('segment_event_ids', eventIds)
        await database.exclusively(async () => {
          await database.run(addCopies(bucket, files))
          replaced.set(bucket, (await database.rows(selectReplaced(bucket, files))) as ReplacedEvent[])
        })
        await database.drop(files)
      }),
    )
    return presentBuckets
  }

  /**
   * Loads the tombstones of all buckets whose files can be read. The others fail alone: nobody may guess
   * which of their events are erased.
   */
  async function loadReadableTombstones(): Promise<boolean> {
    try {
      return await loadTombstones(database, buckets)
    } catch {
      for (const each of buckets)
        await tryBucket(each.bucket, () => loadTombstones(database, [each]).then(() => {}))
      return loadTombstones(
        database,
        buckets.filter(({ bucket }) => !failures.has(bucket)),
      )
    }
  }

  /**
   * Parts of one segment are not compared with each other, so none of them knows which sessions are split.
   */
  async function compareWithOlder({ bucket, rows, first_at: firstAt }: EventsDescription): Promise<boolean> {
    if (slices.count > 1) return false
    const older = buckets.find(each => each.bucket === bucket)?.older ?? []
    const sessionDates = sessionDatesOfEvents(bucket)
    return findSplitSessions(database, { bucket, rows, firstAt, sessionDates, older, minComparedEvents })
  }

  async function writeSlice(slice: number, idsOf: ReadonlyMap<number, BucketIds>): Promise<void> {
    const files = await slices.fetch(slice)
    await database.run(createEventRowsFromHot(files, numbers))
    // What was erased is counted and described too: it was received, and the ids of these events must stay
    // known.
    await database.run(addStoredEvents)
    const described = (await database.rows(describeEvents)) as DescribedEvents[]
    const nameless = await dropNameless(database)
    const counts = hasTombstones ? await eraseRows(database) : []
    erasedCounts.push(...counts)
    const descriptions = described.map(each => ({
      ...each,
      layout: layoutOfEpoch(each),
      rows: each.rows - sumEvents([...nameless, ...counts].filter(({ bucket }) => bucket === each.bucket)),
    }))
    await database.run(createSessionStarts)
    await forEachConcurrent(descriptions, CONCURRENT_BUCKETS, ({ json_bytes: _, layout, ...description }) => {
      const { bucket } = description
      return tryBucket(bucket, async () => {
        const ids = idsOf.get(bucket)
        const isSplitKnown = await compareWithOlder(description)
        const writtenParts = parts.get(bucket) ?? []
        const bytes = await writeSegmentPart(
          { ...writer, layout },
          {
            bucket,
            segment: segmentOf(bucket),
            part: writtenParts.length,
            events: `bucket = ${bucket}`,
            sessions: withSplit(sessionsOfEvents(bucket), bucket, isSplitKnown),
            activity: activityOfEvents(bucket),
            eventIds: ids?.event_ids ? eventIdsOfHot(bucket, slice) : null,
          },
        )
        parts.set(bucket, [...writtenParts, { ...description, bytes }])
        if (isSplitKnown) knowsSplit.add(bucket)
      })
    })
  }

  await database.run(createEpochTables(slices.files))
  const presentBuckets = await findCopies()
  const hasTombstones = await loadReadableTombstones()
  await database.run(createRetryStarts)
  const ids = (await database.rows(selectBuckets)) as BucketIds[]
  const idsOf = new Map(ids.map(each => [each.bucket, each]))
  for (let slice = 0; slice < slices.count; slice++) await writeSlice(slice, idsOf)
  const stored = (await database.rows(selectStoredEvents)) as (StoredEvents & { bucket: number })[]

  return numbers.map((bucket): CompactedBucket => {
    if (failures.has(bucket)) return { bucket, failure: failures.get(bucket) }
    const writtenParts = parts.get(bucket)
    const isEmpty = !presentBuckets.has(bucket)
    if (writtenParts === undefined)
      return { bucket, isEmpty, segment: null, stored: [], removed: [], replaced: [] }
    const eventIds = idsOf.get(bucket)?.event_ids ?? 0
    const segment = toSegment(segmentOf(bucket), writtenParts, eventIds, {
      knowsSplit: knowsSplit.has(bucket),
    })
    return {
      bucket,
      isEmpty,
      segment: segment.rows === 0 && segment.eventIds === 0 ? null : segment,
      stored: stored
        .filter(row => row.bucket === bucket)
        .map(({ project_id, day, events }) => ({ project_id, day, events })),
      removed: sumByNumber(erasedCounts.filter(count => count.bucket === bucket)),
      replaced: replaced.get(bucket) ?? [],
    }
  })
}

function sumByNumber(counts: readonly ErasedCount[]): RemovedEvents[] {
  const groups = Map.groupBy(counts, ({ number }) => number)
  return [...groups].map(([number, group]) => ({ number, events: sumEvents(group) }))
}
