import { JUMP_S, LOOKBACK_S } from './copies.ts'
import type { RetiredSegment, Segment, SegmentId } from './segment.ts'
import type { TombstoneBatch } from './tombstone-batch.ts'

/**
 * The manifest of a bucket: which segments hold its events. A segment is an immutable set of files with the
 * events of a range of epochs, and rollups of them. The manifest is an object of the lake, which one item of
 * the state names (manifest-items.ts). So a change of segments is one conditional write, and a read that has
 * the manifest reads exactly the files that it names.
 */

export type Manifest = {
  bucket: number
  /** The number of changes. A change is saved only if no other change was saved since it was read. */
  version: number
  /** Watermark: the events of the epochs below it are in segments, those from it on in hot files. */
  compacted: number
  /** Ascending by epochs; no two overlap. An epoch without events of the bucket is in no segment. */
  segments: readonly Segment[]
  retired: readonly RetiredSegment[]
  /** The erasures in force, ascending by their numbers. */
  tombstones: readonly TombstoneBatch[]
  /** The number of the newest tombstone that the bucket ever had. */
  tombstoneCount: number
  /**
   * The last round of rewrites: when it began (Unix ms), and the newest tombstone then. Erasures that came
   * later wait for the next round.
   */
  round: { at: number; number: number }
}

/** All buckets have the events of the epochs below this one in segments. */
export function compactedByAll(manifests: readonly Pick<Manifest, 'compacted'>[]): number {
  return Math.min(...manifests.map(({ compacted }) => compacted))
}

/** The manifest of a bucket that was never compacted. The first epoch is 1. */
export function emptyManifest(bucket: number): Manifest {
  return {
    bucket,
    version: 0,
    compacted: 1,
    segments: [],
    retired: [],
    tombstones: [],
    tombstoneCount: 0,
    round: { at: 0, number: 0 },
  }
}

/**
 * Adds the events of the epoch `compacted`, and moves the watermark past it. `segment` is null if there are
 * none.
 */
export function addEpoch(manifest: Manifest, epoch: number, segment: Segment | null): Manifest {
  if (manifest.compacted !== epoch) throw new Error(`Bucket ${manifest.bucket} is not at epoch ${epoch}`)
  return {
    ...manifest,
    version: manifest.version + 1,
    compacted: epoch + 1,
    segments: segment === null ? manifest.segments : [...manifest.segments, segment],
  }
}

/**
 * Replaces segments by one that has their events. Returns null if the manifest no longer has exactly these
 * segments, because another job has replaced some of them. `replacement`: null if none of their events is
 * left.
 */
export function replaceSegments(
  manifest: Manifest,
  replaced: readonly Segment[],
  replacement: Segment | null,
  now: number,
): Manifest | null {
  const first = manifest.segments.findIndex(segment => isSame(segment, replaced[0]))
  const isUnchanged =
    first >= 0 &&
    replaced.every((segment, i) => {
      const live = manifest.segments[first + i]
      return isSame(live, segment) && live?.erased === segment.erased
    })
  if (!isUnchanged) return null
  const retired = manifest.segments
    .slice(first, first + replaced.length)
    .map(segment => ({ ...segment, retiredAt: now }))
  return {
    ...manifest,
    version: manifest.version + 1,
    segments: manifest.segments.toSpliced(
      first,
      replaced.length,
      ...(replacement === null ? [] : [replacement]),
    ),
    retired: [...manifest.retired, ...retired],
  }
}

/** Drops these retired segments; their files have been deleted. */
export function dropRetired(manifest: Manifest, dropped: readonly RetiredSegment[]): Manifest {
  const nameOf = ({ from, until, generation, retiredAt }: RetiredSegment) =>
    `${from}-${until}-${generation} ${retiredAt}`
  const names = new Set(dropped.map(nameOf))
  return {
    ...manifest,
    version: manifest.version + 1,
    retired: manifest.retired.filter(segment => !names.has(nameOf(segment))),
  }
}

/**
 * The segments that may have the first copy of an event that comes after those of the manifest, whatever a
 * clock has dated that was ahead for a while. Epochs tell the order: what came before a segment did mostly
 * not arrive after it. So the newest arrival is at most the earliest one from a segment on, and one that a
 * clock ahead has dated is known for as long as that time has not come. The last segments have none after
 * them that says so: if arrivals jump, the next event may follow those before the jump. So both sides of the
 * newest jump count. Records that were stored late, as after a restoration, make more segments count, never
 * fewer.
 */
export function segmentsWithEventIds({ segments }: Pick<Manifest, 'segments'>): Segment[] {
  const known: Segment[] = []
  let [newest, arrival] = [Number.NaN, Number.POSITIVE_INFINITY]
  let isBeforeJump = false
  for (const segment of segments.toReversed()) {
    const next = arrival
    arrival = Math.min(arrival, segment.lastArrival)
    if (Number.isNaN(newest)) newest = arrival
    else if (!isBeforeJump && next - arrival > JUMP_S) [newest, isBeforeJump] = [arrival, true]
    if (segment.eventIds > 0 && segment.lastArrival >= newest - LOOKBACK_S) known.unshift(segment)
  }
  return known
}

/** Segments whose arrivals are further apart, s, are not merged. */
const UNMERGED_JUMP_S = 7 * 86_400

/**
 * Whether arrivals jump far between the segments, so that no merged segment has more than one jump: it keeps
 * the ids of both sides of its newest one.
 */
function isJump(a: Segment | undefined, b: Segment | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a.lastArrival - b.lastArrival) > UNMERGED_JUMP_S
}

/** Notes that the event_ids of old segments are needed no more. Returns null if all are still needed. */
export function forgetEventIds(manifest: Manifest): Manifest | null {
  const needed = new Set(segmentsWithEventIds(manifest))
  const segments = manifest.segments.map(segment =>
    segment.eventIds > 0 && !needed.has(segment) ? { ...segment, eventIds: 0 } : segment,
  )
  const isUnchanged = segments.every((segment, i) => segment === manifest.segments[i])
  return isUnchanged ? null : { ...manifest, version: manifest.version + 1, segments }
}

export type MergeSettings = {
  /**
   * Segments of about one size that are merged at once. More of them are more files for a read, fewer are
   * more rewriting.
   */
  mergeSegments: number
  /** Most bytes of a merged segment, so that one worker can write it. */
  mergeBytes: number
}

/** The bytes that a segment counts at least: below that, its size is mostly footers. */
const SMALLEST_BYTES = 64 * 1024

/**
 * Chooses the segments to merge next, or none. It is the longest run of neighbours that ends with the newest
 * segment, has `mergeSegments` or more (or two or more with half of `mergeBytes`), and whose largest is at
 * most a quarter (or the half) of the whole. So each event is rewritten about log4 times, and the number of
 * segments grows with the logarithm of their bytes.
 */
export function nextMerge(
  { segments }: Pick<Manifest, 'segments'>,
  { mergeSegments, mergeBytes }: MergeSettings,
): readonly Segment[] {
  let [sum, largest] = [0, 0]
  let chosen: readonly Segment[] = []
  for (let first = segments.length - 1; first >= 0; first--) {
    const bytes = Math.max(SMALLEST_BYTES, (segments[first] as Segment).bytes)
    sum += bytes
    largest = Math.max(largest, bytes)
    if (sum > mergeBytes || isJump(segments[first], segments[first + 1])) break
    const count = segments.length - first
    const isLarge = sum >= mergeBytes / 2 && count >= 2 && largest * 2 <= sum
    const isMany = count >= mergeSegments && largest * 4 <= sum
    if (isLarge || isMany) chosen = segments.slice(first)
  }
  return chosen
}

/**
 * Whether these segments are still worth a merge. While a merge runs, new segments arrive, and longer runs
 * with the same segments are sent. Without this check each of them would write the result of the one before
 * it again.
 */
export function isMergeable(segments: readonly Segment[]): boolean {
  const bytes = segments.map(segment => Math.max(SMALLEST_BYTES, segment.bytes))
  const sum = bytes.reduce((total, each) => total + each, 0)
  return segments.length >= 2 && Math.max(...bytes) * 2 <= sum
}

/** Whether both have the same name, and so the same files. */
export function isSame(a: SegmentId | undefined, b: SegmentId | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.from === b.from &&
    a.until === b.until &&
    a.generation === b.generation
  )
}
