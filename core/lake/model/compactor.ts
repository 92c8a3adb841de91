import type { LakeObject } from '#core/ports'
import type { Segment, SegmentId } from './segment.ts'
import type { ForgottenUntil, NewBatch, RemovedEvents, TombstoneBatch } from './tombstone-batch.ts'

/**
 * The compaction engine: it reads and writes Parquet files (duckdb/compactor.ts). Keys are made by
 * core/lake/model/keys.ts.
 */

export type EpochCompactionJob = {
  epoch: number
  /** All hot files of the epoch, in ascending order of their keys. */
  hot: readonly LakeObject[]
  buckets: readonly BucketCompaction[]
}

export type BucketCompaction = {
  bucket: number
  /** The keys of the segment_event_ids files to look for copies in. */
  eventIds: readonly string[]
  /** The generation of the segment: the number of the newest tombstone. */
  generation: number
  /**
   * What the segment is written without. The ids of these events stay known, so that retries of them are
   * copies.
   */
  tombstones: readonly TombstoneBatch[]
  /** All segments of the bucket with earlier epochs. */
  older: readonly Segment[]
}

/**
 * Events of a project that an epoch has, by UTC date of arrival. Erased events count too, because they were
 * received.
 */
export type StoredEvents = { project_id: string; day: string; events: number }

/**
 * The result of one bucket: its segment (null without events), or the failure that concerns this bucket
 * alone.
 */
export type CompactedBucket =
  | {
      bucket: number
      /** No hot file of the epoch has an event of the bucket, not even a copy or an erased one. */
      isEmpty: boolean
      segment: Segment | null
      stored: readonly StoredEvents[]
      removed: readonly RemovedEvents[]
      /** Events of older segments that events of this one replace. */
      replaced: readonly ReplacedEvent[]
    }
  | { bucket: number; failure: unknown }

/**
 * A stored event that one with a credential replaces (core/lake/model/copies.ts), by its row of
 * segment_event_ids: its event_key and arrival.
 */
export type ReplacedEvent = { key: string; arrival: number }

export type MergeJob = {
  bucket: number
  /** Neighbours, ascending. */
  segments: readonly Segment[]
  /** What the merged segment is called. It is written without the events of `tombstones`. */
  target: SegmentId
  /** The batches that some of the segments were not yet checked against. */
  tombstones: readonly TombstoneBatch[]
  /** All segments of the bucket with earlier epochs. */
  older: readonly Segment[]
}

export type RewriteJob = {
  bucket: number
  segment: Segment
  /** The new generation: the number of the newest tombstone. */
  generation: number
  /** The batches that the segment was not yet checked against. */
  tombstones: readonly TombstoneBatch[]
  /** Events that are left out too, if the segment has them. */
  replaced?: readonly ReplacedEvent[]
}

/** `segment`: the new one; null if no event is left, and no id is needed. */
export type RewrittenSegment = { segment: Segment | null; removed: readonly RemovedEvents[] }
/** `replaced`: how many events were left out because they are replaced. */
export type SegmentWithoutReplaced = RewrittenSegment & { replaced: readonly StoredEvents[] }

export type HotRewriteJob = {
  keys: readonly string[]
  buckets: readonly Pick<BucketCompaction, 'bucket' | 'tombstones'>[]
}

export type TombstoneMergeJob = {
  bucket: number
  /** Neighbours, ascending. All are done. */
  batches: readonly TombstoneBatch[]
  writer: string
  /** Rows up to then are left out. */
  forgotten: ForgottenUntil
}

/**
 * All functions are pure but for the objects they write: a job that runs again writes the same keys with the
 * same rows. Only may_be_split of their sessions may differ, if the older segments were rewritten meanwhile
 * (core/lake/compact/split-sessions.ts).
 */
export type Compactor = {
  /**
   * Writes the segment [epoch, epoch + 1) of each bucket that has rows. Memory and disk are bounded: hot
   * files are read in slices, and each slice becomes a part of the segments.
   */
  compactEpoch(job: EpochCompactionJob): Promise<CompactedBucket[]>
  /** Writes one segment with the events of all given ones, without the erased ones. */
  mergeSegments(job: MergeJob): Promise<RewrittenSegment>
  /**
   * Writes a segment anew without erased and replaced events, one part after the other. Returns null and
   * writes nothing if it has none. The ids of erased events stay in segment_event_ids as long as they are
   * needed, so that retries of them are copies.
   */
  rewriteSegment(job: RewriteJob): Promise<SegmentWithoutReplaced | null>
  /**
   * Writes those of the hot files anew, under their keys, that have erased events. Returns how many these
   * are.
   */
  rewriteHot(job: HotRewriteJob): Promise<number>
  /** Writes one file with the rows of several batches of tombstones; null, and no file, if no row is left. */
  mergeTombstones(job: TombstoneMergeJob): Promise<NewBatch | null>
  /** Reads what a manifest says of a segment from its files, for a manifest that was lost. */
  describeSegment(bucket: number, segment: SegmentId & { parts: number }): Promise<Segment>
}
