/**
 * How the files of a segment are written. A small segment is merged within hours, so it is written fast. A
 * large one stays, so a slow level that saves half a byte an event is worth its time. So are large row groups
 * of events, because each has its own dictionaries (docs/decisions/2026-11-21-lake-layout.md). Those of the
 * rollups are smaller: a read of some days skips the others by the statistics of `date`.
 *
 * The slow level takes 0.7 µs a byte. A wide event has hundreds of times the bytes of a usual one, so it
 * would take 6 ms for an event of 800 properties, ten times as long as all other work on it, for a tenth of
 * its bytes.
 */
const LAYOUTS = {
  small: { zstdLevel: 3, eventRowGroup: 61_440, rollupRowGroup: 61_440 },
  large: { zstdLevel: 19, eventRowGroup: 368_640, rollupRowGroup: 122_880 },
  largeOfWideEvents: { zstdLevel: 3, eventRowGroup: 61_440, rollupRowGroup: 122_880 },
} as const

export type SegmentLayout = (typeof LAYOUTS)[keyof typeof LAYOUTS]

/** The files of an epoch. */
export const SMALL_LAYOUT = LAYOUTS.small

/** Bytes of the given segments from which on a merged one is large. */
const LARGE_BYTES = 4 * 1024 * 1024
/** Stored bytes of an event from which on it is wide. A usual one has about 20. */
const WIDE_EVENT_BYTES = 200

/** The layout of what replaces segments of so many bytes and events. */
export function layoutOf({ bytes, rows }: { bytes: number; rows: number }): SegmentLayout {
  if (bytes < LARGE_BYTES) return LAYOUTS.small
  return bytes >= rows * WIDE_EVENT_BYTES ? LAYOUTS.largeOfWideEvents : LAYOUTS.large
}
