/**
 * How the files of a segment are written. A small segment is merged within hours, so it is written fast. A
 * large one stays, so a slow level that saves half a byte an event is worth its time. So are large row groups
 * of events, because each has its own dictionaries (docs/decisions/2026-11-21-lake-layout.md). Those of the
 * rollups are smaller: a read of some days skips the others by the statistics of `date`.
 *
 * A wide event has hundreds of times the bytes of a usual one. For its properties the fastest level takes
 * half the time of level 3 and little more than half the bytes, and the slow level 6 ms. A row group is in
 * memory whole: 4,096 events of 8 KB are 32 MB.
 */
const LAYOUTS = {
  small: { zstdLevel: 3, eventRowGroup: 61_440, rollupRowGroup: 61_440 },
  large: { zstdLevel: 19, eventRowGroup: 368_640, rollupRowGroup: 122_880 },
  wide: { zstdLevel: 1, eventRowGroup: 4_096, rollupRowGroup: 122_880 },
} as const

export type SegmentLayout = (typeof LAYOUTS)[keyof typeof LAYOUTS]

/** Bytes of the given segments from which on a merged one is large. */
const LARGE_BYTES = 4 * 1024 * 1024
/** Stored bytes of an event from which on it is wide. A usual one has about 20. */
const WIDE_STORED_BYTES = 200
/** The same for the JSON of its properties in a hot file. */
const WIDE_JSON_BYTES = 1_000

/** The layout of a part of an epoch with so many events, and so many bytes of properties in JSON. */
export function layoutOfEpoch({ rows, json_bytes }: { rows: number; json_bytes: number }): SegmentLayout {
  return json_bytes >= rows * WIDE_JSON_BYTES ? LAYOUTS.wide : LAYOUTS.small
}

/** The layout of what replaces segments of so many bytes and events. */
export function layoutOf({ bytes, rows }: { bytes: number; rows: number }): SegmentLayout {
  if (bytes < LARGE_BYTES) return LAYOUTS.small
  return bytes >= rows * WIDE_STORED_BYTES ? LAYOUTS.wide : LAYOUTS.large
}
