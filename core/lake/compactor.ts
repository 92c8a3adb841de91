import type { LakeObject } from '#core/ports'
import type { Segment, SegmentId } from './manifest.ts'

/** The compaction engine: it reads and writes Parquet files (duckdb/compactor.ts). Keys are made by core/lake/keys.ts. */

export type EpochCompactionJob = {
  epoch: number
  /** All hot files of the epoch, in ascending order of their keys. */
  hot: readonly LakeObject[]
  /** The buckets to compact, each with the keys of the segment_event_ids files to look for copies in. */
  buckets: readonly { bucket: number; eventIds: readonly string[] }[]
}

/** Events that a segment of one epoch has of a project, by UTC date of arrival. */
export type StoredEvents = { project_id: string; day: string; events: number }

/** The result of one bucket: its segment (null without events), or the failure that concerns this bucket alone. */
export type CompactedBucket =
  | { bucket: number; segment: Segment | null; stored: readonly StoredEvents[] }
  | { bucket: number; failure: unknown }

export type MergeJob = {
  bucket: number
  /** Neighbours, ascending. */
  segments: readonly Segment[]
  /** What the merged segment is called. */
  target: SegmentId
}

/** All functions are pure but for the objects they write: a job that runs again writes the same keys with the same rows. */
export type Compactor = {
  /**
   * Writes the segment [epoch, epoch + 1) of each bucket that has rows. Memory and disk are bounded: hot files are read in
   * slices, and each slice becomes a part of the segments.
   */
  compactEpoch(job: EpochCompactionJob): Promise<CompactedBucket[]>
  /** Writes one segment with the events of all given ones. */
  mergeSegments(job: MergeJob): Promise<Segment>
  /** Reads what a manifest says of a segment from its files, for a manifest that was lost. */
  describeSegment(bucket: number, segment: SegmentId & { parts: number }): Promise<Segment>
}
