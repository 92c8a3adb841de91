import type { SegmentTable } from './keys.ts'
import type { Manifest } from './manifest.ts'
import type { Segment, SegmentId } from './segment.ts'

/**
 * Returns whether the manifest does not name the file of a segment in a table, and never will. It is asked
 * for each file of a bucket, which may have 140,000 segments, so it looks into no list.
 */
export function createOrphanCheck({
  compacted,
  segments,
  retired,
}: Manifest): (candidate: SegmentId, table: SegmentTable) => boolean {
  // A live segment comes before a retired one of the same name.
  const named = new Map([...retired, ...segments].map(segment => [nameOf(segment), segment]))
  return (candidate, table) => {
    if (candidate.until > compacted) return false
    const found = named.get(nameOf(candidate))
    if (found !== undefined) return table === 'segment_event_ids' && found.eventIds === 0
    return !canReplace(overlapping(segments, candidate), candidate)
  }
}

function nameOf({ from, until, generation }: SegmentId): string {
  return `${from}-${until}-${generation}`
}

/** The segments with epochs of this one. `segments`: ascending, and no two overlap. */
function overlapping(segments: readonly Segment[], { from, until }: SegmentId): readonly Segment[] {
  return segments.slice(
    countWhere(segments, segment => segment.until <= from),
    countWhere(segments, segment => segment.from < until),
  )
}

/** How many segments from the first one on fulfil a condition that no later one fulfils. */
function countWhere(segments: readonly Segment[], holds: (segment: Segment) => boolean): number {
  let [low, high] = [0, segments.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(segments[middle] as Segment)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Whether a job that runs may still replace exactly these segments by the candidate: a rewrite one segment of
 * an older generation, or a merge several, of which none was checked against later tombstones. A replacement
 * of events begins with segments that are checked against one number more than its own. Both numbers only
 * grow, so a manifest that was read a while ago never makes a file look needless that a job has added
 * since. Compaction adds only epochs from the watermark on.
 */
function canReplace(segments: readonly Segment[], { from, until, generation }: SegmentId): boolean {
  const [first] = segments
  if (first?.from === from && first.until === until)
    return first.generation < generation && first.erased <= generation + 1
  const isWithin = segments.every(segment => segment.from >= from && segment.until <= until)
  return segments.length > 1 && isWithin && segments.every(({ erased }) => erased <= generation)
}
