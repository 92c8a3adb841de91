/** What the files of a segment follow from. */
export type SegmentId = {
  /** First epoch. */
  from: number
  /** The epoch after the last one. */
  until: number
  /**
   * The segment was written without the events of the bucket's tombstones up to this number. So the rows of a
   * file follow from its key: a job that began before an erasure writes under other keys than one that began
   * after it.
   */
  generation: number
}

export type Segment = SegmentId & {
  /**
   * Files in each table. A segment of more than one part comes from an epoch that was too large for one file.
   */
  parts: number
  /** Events. */
  rows: number
  /** Bytes of all files. */
  bytes: number
  /** Timestamps of the first and the last event, Unix ms. */
  firstAt: number
  lastAt: number
  /** Arrival of the newest event, Unix seconds. */
  lastArrival: number
  /** Rows of segment_event_ids; 0: the segment has no file of that table. */
  eventIds: number
  /**
   * The segment has no events of the tombstones up to this number: its generation, or more if it was found to
   * have none.
   */
  erased: number
  /** may_be_split of its sessions is known (core/lake/compact/split-sessions.ts). Otherwise it is null. */
  knowsSplit: boolean
  /**
   * Its sessions have their page views, and what their first event with a page says of where they came from.
   * Segments of older versions lack both (docs/decisions/2026-11-30-sources-in-the-rollup.md).
   * docs/formats.md says when the path for them may go.
   */
  knowsSources: boolean
}

/**
 * A segment that is no longer read. Its files stay for a while, for reads that have an older manifest and for
 * repairs.
 */
export type RetiredSegment = Segment & { retiredAt: number }
