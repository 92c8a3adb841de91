import { system } from './system.ts'

/**
 * The number of segments of a bucket, estimated from what core/lake/model/manifest.ts merges.
 * test/cost/segments.test.ts compares the estimates with real manifests.
 */

/** Segments that are left for each tenfold of the bytes: a merge takes neighbours of about one size. */
const SEGMENTS_PER_TENFOLD = 2.4
/** Mean size of a segment that is not merged any more, as a share of the largest size. */
const FULL_SHARE = 0.6
/** The bytes that a segment counts at least (core/lake/model/manifest.ts). */
const SMALLEST_BYTES = 64 * 1024

/** Bytes of an event in all files of a merged segment. */
export const segmentBytesPerEvent =
  system.lake.eventsBytes + system.lake.sessionsBytes + system.lake.sourcesBytes + system.lake.activityBytes

/**
 * Mean number of segments with the newest events of a bucket. `epochs`: how many epochs the events arrived
 * in.
 */
export function newestSegments({ bytes, epochs }: { bytes: number; epochs: number }): number {
  const { mergeSegments, mergeBytes } = system.lake
  if (bytes === 0 || epochs === 0) return 0
  const smallest = Math.max(SMALLEST_BYTES, bytes / epochs)
  const tenfolds = Math.log10(Math.max(1, Math.min(bytes, mergeBytes) / smallest))
  const merged = 1 + SEGMENTS_PER_TENFOLD * tenfolds + fullSegments(bytes)
  return Math.min(epochs, (mergeSegments - 1) / 2 + merged)
}

/**
 * Mean number of segments with older events of a bucket. Nearly all of them are as large as segments get.
 * Events of a part of an epoch are in a part of a segment, so a range that grows by a moment never loses
 * files.
 */
export function olderSegments({ bytes, epochs }: { bytes: number; epochs: number }): number {
  return Math.min(epochs, 2 + fullSegments(bytes))
}

function fullSegments(bytes: number): number {
  return bytes / (FULL_SHARE * system.lake.mergeBytes)
}

/** How often an event is rewritten by merges. `epochBytes`: bytes of a bucket in an epoch. */
export function rewrites(epochBytes: number): number {
  const { mergeBytes } = system.lake
  return Math.max(1, 1 + Math.log(mergeBytes / Math.max(SMALLEST_BYTES, epochBytes)) / Math.log(4))
}
