import { isSame, type Manifest } from '#core/lake/model/manifest'
import type { RetiredSegment, Segment, SegmentId } from '#core/lake/model/segment'

/** A segment that has files in the lake. */
export type StoredSegment = SegmentId & {
  /** How many of its first parts have a file in the tables of events, sessions and activity. */
  parts: number
  /** How many of its first parts have a file of events. */
  eventParts: number
  /** How many of its first parts have a file of event_ids. */
  idParts: number
}

export type AvailableFiles = {
  /** The segments of the bucket that are in the lake. */
  stored: readonly StoredSegment[]
  /** The hot files of the epochs from this one on are in the lake. */
  firstHot: number
  /** Segments of later epochs are not used, because records are missing in them. */
  trustedUntil: number
}

export type Choice = {
  /** Ascending. Those that the manifest does not know have to be described. */
  segments: readonly (Segment | StoredSegment)[]
  compacted: number
  /**
   * A segment has both epochs that must not be used and epochs without hot files. Then it is used as a whole,
   * so the missing records must not be taken again.
   */
  isAmbiguous: boolean
}

/**
 * Chooses what a manifest has to name when files of the lake are missing, or when the manifest is older than
 * the lake. Returns null if the manifest can stay as it is.
 *
 * It takes the segments that are in the lake, in the order of their epochs and each time the largest. So a
 * segment that is missing is replaced by those that it was merged from, or by one that it was merged into.
 * Where a segment is still missing, the watermark goes back, so that the epochs are compacted again from
 * their hot files; if these are deleted, the events are lost. Segments that the manifest does not know are
 * used only for epochs whose hot files have been deleted: the others are compacted again.
 */
export function chooseSegments(manifest: Manifest, files: AvailableFiles): Choice | null {
  const { stored, firstHot, trustedUntil } = files
  const known = [...manifest.segments, ...manifest.retired.map(withoutRetiredAt)]
  const isPresent = (segment: Segment) =>
    stored.some(
      each =>
        isSame(each, segment) &&
        each.parts >= segment.parts &&
        (segment.eventIds === 0 || each.idParts >= segment.parts),
    )
  const isUsable = (segment: Segment) => segment.until <= trustedUntil && isPresent(segment)
  const unknown = stored.filter(
    segment => segment.parts > 0 && segment.from < firstHot && !known.some(each => isSame(each, segment)),
  )
  const isBehind = unknown.some(({ until }) => until > manifest.compacted)
  if (manifest.segments.every(isUsable) && manifest.compacted <= trustedUntil && !isBehind) return null

  const usable = [...known.filter(isUsable), ...unknown.filter(({ until }) => until <= trustedUntil)]
  const cover = coverEpochs(usable, 1, Number.POSITIVE_INFINITY)
  const missing = manifest.segments.filter(segment => !isCovered(segment, cover))
  /** Everything from here on is compacted again. */
  const redoFrom = Math.min(
    trustedUntil,
    ...missing
      .filter(({ until }) => until > firstHot)
      .map(segment => Math.max(firstHot, endOfPrefix(segment, cover))),
  )
  const found = cover.filter(({ from }) => from < redoFrom)
  // Without its rollups some reports fail, but without the segment all reports would miss its events.
  const kept = missing.filter(
    segment =>
      segment.until <= firstHot &&
      stored.some(each => isSame(each, segment) && each.eventParts >= segment.parts),
  )
  const segments = [
    ...found.filter(({ from, until }) => !kept.some(each => from < each.until && until > each.from)),
    ...kept,
  ].toSorted((a, b) => a.from - b.from)
  const ends = segments.map(({ until }) => until)
  const compacted =
    redoFrom <= manifest.compacted
      ? Math.max(redoFrom, ...ends)
      : Math.max(manifest.compacted, ...ends, ...(isBehind ? [firstHot] : []))
  const isUnchanged =
    compacted === manifest.compacted &&
    segments.length === manifest.segments.length &&
    segments.every((segment, i) => isSame(segment, manifest.segments[i]))
  const isAmbiguous = stored.some(isDistrusted)
  return isUnchanged && !isAmbiguous ? null : { segments, compacted, isAmbiguous }

  /** Whether a segment that is not used has epochs without hot files, whose events no other segment has. */
  function isDistrusted(segment: StoredSegment): boolean {
    if (segment.from >= firstHot || segment.until <= trustedUntil) return false
    const live = manifest.segments.find(each => isSame(each, segment))
    if (live === undefined) return !manifest.retired.some(each => isSame(each, segment))
    const sources = coverEpochs(manifest.retired, live.from, live.until)
    return sumRows(sources) < live.rows || !sources.every(each => each.from >= firstHot || isUsable(each))
  }
}

/** Whether the segments have all events of this one. They may leave out epochs without events. */
function isCovered(segment: Segment, cover: readonly (Segment | StoredSegment)[]): boolean {
  if (cover.some(({ from, until }) => from <= segment.from && until >= segment.until)) return true
  const within = cover.filter(({ from, until }) => from >= segment.from && until <= segment.until)
  return sumRows(within) >= segment.rows
}

/**
 * The first epoch of `segment` that no segment of `cover` has; its `until` if they have all. `cover` is
 * ascending.
 */
function endOfPrefix(segment: Segment, cover: readonly SegmentId[]): number {
  let end = segment.from
  for (const { from, until } of cover) if (from <= end && until > end) end = until
  return end
}

/** The manifest with the chosen segments, after they were described. */
export function manifestOfSegments(
  manifest: Manifest,
  segments: readonly Segment[],
  compacted: number,
): Manifest {
  return {
    ...manifest,
    version: manifest.version + 1,
    segments,
    compacted,
    tombstoneCount: Math.max(manifest.tombstoneCount, ...segments.map(({ erased }) => erased)),
    // The files of an epoch that is compacted again must not be deleted because they were retired before.
    retired: manifest.retired.filter(
      retired => retired.until <= compacted && !segments.some(segment => isSame(segment, retired)),
    ),
  }
}

/**
 * Segments within [from, until) that do not overlap: each time the earliest one, of these the largest, of
 * these the newest.
 */
function coverEpochs<S extends SegmentId>(segments: readonly S[], from: number, until: number): S[] {
  const chosen: S[] = []
  for (let position = from; ; ) {
    const [next] = segments
      .filter(segment => segment.from >= position && segment.until <= until)
      .toSorted((a, b) => a.from - b.from || b.until - a.until || b.generation - a.generation)
    if (next === undefined) return chosen
    chosen.push(next)
    position = next.until
  }
}

/** The events of segments that the manifest knows. */
function sumRows(segments: readonly (Segment | StoredSegment)[]): number {
  return segments.reduce((sum, segment) => sum + ('rows' in segment ? Number(segment.rows) : 0), 0)
}

function withoutRetiredAt({ retiredAt: _, ...segment }: RetiredSegment): Segment {
  return segment
}
