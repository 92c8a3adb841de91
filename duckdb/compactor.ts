import type { Compactor, MergeJob, RewrittenSegment } from '#core/lake/model/compactor'
import { SEGMENT_TABLES, type SegmentTable, segmentKeys } from '#core/lake/model/keys'
import type { Segment, SegmentId } from '#core/lake/model/segment'
import type { RemovedEvents } from '#core/lake/model/tombstone-batch'
import { sumOf } from '#core/sum'
import { compactEpoch } from './compact-epoch.ts'
import {
  activityOfEvents,
  activityOfSegments,
  createEventRowsFromSegments,
  createEventRowsWithKeys,
  createSessionStarts,
  describeEvents,
  eventIdsOfSegments,
  readFiles,
  selectBeforeJump,
} from './compaction-sql.ts'
import { eraseRows, hasErasedUsers, loadTombstones } from './erased-rows.ts'
import { findSplitSessions } from './find-split-sessions.ts'
import { mergeTombstones } from './merge-tombstones.ts'
import { rewriteHot } from './rewrite-hot.ts'
import { rewriteSegment } from './rewrite-segment.ts'
import {
  countRows,
  type ScratchDatabase,
  type ScratchSettings,
  withScratchDatabase,
} from './scratch-database.ts'
import { type EventsDescription, toSegment, writeSegmentPart } from './segment-files.ts'
import { layoutOf } from './segment-layout.ts'
import { rowsOfUnknownSources, sessionsOfEvents, sessionsOfSegments } from './session-sql.ts'
import { rowsOfUnknownSplit, sessionDatesOfSegments, withSplit } from './split-sql.ts'

export type CompactorSettings = Pick<ScratchSettings, 'lake' | 'tempDir' | 'log'> &
  Partial<ScratchSettings> & {
    /** Most bytes of hot files that are on disk at a time. */
    sliceBytes?: number
    /**
     * Events from which on a new segment says which of its sessions may be split
     * (core/lake/compact/split-sessions.ts has the default).
     */
    minComparedEvents?: number
  }

/**
 * A slice of the hot files has this share of the memory. As rows it takes ten times its bytes; with more,
 * DuckDB writes rows to the disk in between, which takes a third of the processor time. With 512 MB these are
 * 32 MB, or about 1.1 million events of the tracker.
 */
const SLICE_SHARE = 1 / 16
const MB = 1024 * 1024

type StoredSegment = SegmentId & { parts: number }

/**
 * Compaction on DuckDB. It reads and writes objects through the Lake port, so it works with a folder and with
 * an S3 bucket. Throws DamagedObject if an object of the job is missing or cannot be read, so no rows get
 * lost silently.
 */
export function createCompactor({
  memoryMb = 512,
  threads = 2,
  sliceBytes = memoryMb * MB * SLICE_SHARE,
  minComparedEvents,
  ...given
}: CompactorSettings): Compactor {
  const { lake } = given
  const settings: ScratchSettings = { ...given, memoryMb, threads }

  async function mergeSegments(job: MergeJob): Promise<RewrittenSegment> {
    const { bucket, segments, target, tombstones, older } = job
    return withScratchDatabase(settings, async database => {
      const fetchAll = (table: SegmentTable, from: readonly StoredSegment[] = segments) =>
        database.fetch(
          table,
          from.flatMap(segment => segmentKeys(table, bucket, segment)),
        )
      const eventFiles = await fetchAll('segment_events')
      const activityFiles = await fetchAll('segment_activity')
      // Rollups of segments cannot leave out a part of a session. With erased events, they are made from the
      // others.
      const erases =
        (await loadTombstones(database, [{ bucket, tombstones }])) &&
        (await hasErasedUsers(database, readFiles(activityFiles)))
      // Rows of an older version do not know the sources of sessions.
      const makesSessions = erases || !segments.every(({ knowsSources }) => knowsSources)
      const createEventRows = makesSessions ? createEventRowsWithKeys : createEventRowsFromSegments
      await database.run(createEventRows(bucket, eventFiles))
      const removed = erases ? await eraseRows(database) : []
      const description = describeMerged(bucket, segments, removed)
      await database.run(createSessionStarts)
      const idFiles = await fetchAll(
        'segment_event_ids',
        segments.filter(({ eventIds }) => eventIds > 0),
      )
      const [jump] = (await database.rows(selectBeforeJump(idFiles))) as { before_jump: number | null }[]
      const eventIds = eventIdsOfSegments(idFiles, description.last_arrival, jump?.before_jump ?? null)
      const idCount = await countRows(database, eventIds)
      const sessionFiles = await fetchAll('segment_sessions')
      const sessionDates = sessionDatesOfSegments(sessionFiles)
      const { rows } = description
      if (rows === 0 && idCount === 0) return { segment: null, removed }
      const knowsSplit = await findSplitSessions(database, {
        bucket,
        rows,
        firstAt: description.first_at,
        sessionDates,
        older,
        minComparedEvents,
      })
      const layout = layoutOf({
        bytes: sumOf(segments, segment => segment.bytes),
        rows: sumOf(segments, segment => segment.rows),
      })
      const bytes = await writeSegmentPart(
        { database, lake, memoryMb, layout },
        {
          bucket,
          segment: target,
          part: 0,
          events: 'true',
          sessions: withSplit(
            makesSessions ? sessionsOfEvents(bucket) : sessionsOfSegments(sessionFiles),
            bucket,
            knowsSplit,
          ),
          activity: erases ? activityOfEvents(bucket) : activityOfSegments(activityFiles),
          eventIds: idCount === 0 ? null : eventIds,
        },
      )
      const parts = [{ ...description, bytes }]
      return { segment: toSegment(target, parts, idCount, { knowsSplit }), removed }
    })
  }

  async function describeSegment(bucket: number, segment: StoredSegment): Promise<Segment> {
    return withScratchDatabase(settings, async database => {
      const files = new Map<SegmentTable, string[]>()
      let bytes = 0
      for (const table of SEGMENT_TABLES) {
        const keys = segmentKeys(table, bucket, segment)
        const objects = (await Promise.all(keys.map(key => lake.list(key)))).flat()
        const isAbsent = table === 'segment_event_ids' && objects.length === 0
        files.set(table, await database.fetch(table, isAbsent ? [] : keys))
        bytes += objects.reduce((sum, { size }) => sum + size, 0)
      }
      const description = await loadEvents(database, bucket, files.get('segment_events') ?? [])
      const idCount = await countRows(database, `FROM ${readFiles(files.get('segment_event_ids') ?? [])}`)
      const sessionFiles = files.get('segment_sessions') ?? []
      const described = toSegment(segment, [{ ...description, bytes }], idCount, {
        knowsSplit: (await countRows(database, rowsOfUnknownSplit(sessionFiles))) === 0,
        knowsSources: (await countRows(database, rowsOfUnknownSources(sessionFiles))) === 0,
      })
      return { ...described, parts: segment.parts }
    })
  }

  return {
    compactEpoch: async job =>
      job.hot.length === 0 || job.buckets.length === 0
        ? job.buckets.map(({ bucket }) => ({
            ...{ bucket, isEmpty: true, segment: null, stored: [], removed: [], replaced: [] },
          }))
        : withScratchDatabase(settings, database =>
            compactEpoch({ database, lake, memoryMb }, job, {
              sliceBytes,
              minComparedEvents,
            }),
          ),
    mergeSegments,
    rewriteSegment: job =>
      withScratchDatabase(settings, database =>
        rewriteSegment({ database, lake, memoryMb, layout: layoutOf(job.segment) }, job),
      ),
    rewriteHot: job => withScratchDatabase(settings, database => rewriteHot({ database, lake }, job)),
    mergeTombstones: job =>
      withScratchDatabase(settings, database => mergeTombstones({ database, lake }, job)),
    describeSegment,
  }
}

/**
 * Describes the events of all segments. Not from the events themselves: a segment may have none, because all
 * were erased, and its newest arrival still says which event_ids are needed.
 */
function describeMerged(
  bucket: number,
  segments: readonly Segment[],
  removed: readonly RemovedEvents[],
): EventsDescription {
  return {
    bucket,
    rows: sumOf(segments, ({ rows }) => rows) - sumOf(removed, ({ events }) => events),
    first_at: Math.min(...segments.map(({ firstAt }) => firstAt)),
    last_at: Math.max(...segments.map(({ lastAt }) => lastAt)),
    last_arrival: Math.max(...segments.map(({ lastArrival }) => lastArrival)),
  }
}

/** Creates event_rows from the files of events, and describes them. */
async function loadEvents(
  database: ScratchDatabase,
  bucket: number,
  files: readonly string[],
): Promise<EventsDescription> {
  await database.run(createEventRowsFromSegments(bucket, files))
  const [description] = await database.rows(describeEvents)
  if (description === undefined) throw new Error(`The segments of bucket ${bucket} have no events`)
  return description as EventsDescription
}
