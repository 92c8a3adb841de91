import type { LakeObject } from '#core/ports'
import type { FirstEditionWatermarks } from './first-edition-state.ts'

/** The folders of the first edition, besides `hot/`. Session rollups were in `visits/` before they were in `sessions/`. */
export const FIRST_EDITION_PREFIXES = ['warm/', 'cold/', 'sessions/', 'visits/', 'activity/'] as const

/** A segment to make of event files of the first edition. Each list of keys becomes one part of it. */
export type PlannedSegment = {
  from: number
  until: number
  bytes: number
  parts: readonly (readonly string[])[]
}

type EventFile = { bucket: number; from: number; until: number; key: string; size: number }

/**
 * Chooses the segments of each bucket that has events below the watermark `warm`. Neighbours become one segment of at most
 * `maxBytes`. A range of epochs with more bytes becomes a segment of several parts, so memory is bounded. The same files always
 * give the same segments.
 */
export function planSegments(
  objects: readonly LakeObject[],
  watermarks: FirstEditionWatermarks,
  maxBytes: number,
): Map<number, PlannedSegment[]> {
  const files = objects.map(parseEventFile).filter(file => file !== null)
  const usedFiles = files.filter(file => isUsed(file, watermarks))
  const plans = new Map<number, PlannedSegment[]>()
  for (const [bucket, bucketFiles] of Map.groupBy(usedFiles, file => file.bucket)) {
    plans.set(bucket, planBucket(bucketFiles, maxBytes))
  }
  return plans
}

function planBucket(files: readonly EventFile[], maxBytes: number): PlannedSegment[] {
  const planned: PlannedSegment[] = []
  const ranges = Map.groupBy(
    files.toSorted((a, b) => a.from - b.from || (a.key < b.key ? -1 : 1)),
    ({ from }) => from,
  )
  for (const rangeFiles of ranges.values()) {
    const range = toSegment(rangeFiles, maxBytes)
    const last = planned.at(-1)
    if (last !== undefined && last.bytes + range.bytes <= maxBytes) {
      planned[planned.length - 1] = {
        from: last.from,
        until: range.until,
        bytes: last.bytes + range.bytes,
        parts: [[...last.parts.flat(), ...range.parts.flat()]],
      }
    } else {
      planned.push(range)
    }
  }
  return planned
}

function toSegment(files: readonly EventFile[], maxBytes: number): PlannedSegment {
  const parts: string[][] = []
  let partBytes = Number.POSITIVE_INFINITY
  for (const { key, size } of files) {
    partBytes += size
    if (partBytes > maxBytes) {
      parts.push([])
      partBytes = size
    }
    parts.at(-1)?.push(key)
  }
  const { from, until } = files[0] as EventFile
  return { from, until, bytes: files.reduce((sum, { size }) => sum + size, 0), parts }
}

/** A cold compaction that had not ended, and warm files whose events are cold as well, are not used. */
function isUsed({ key, from }: EventFile, { cold, warm }: FirstEditionWatermarks): boolean {
  return key.startsWith('cold/') ? from < cold : from >= cold && from < warm
}

function parseEventFile({ key, size }: LakeObject): EventFile | null {
  const cold = /^cold\/date=[^/]+\/bucket=(\d+)\/(\d+)-(\d+)\.parquet$/.exec(key)
  if (cold !== null) {
    const [bucket, from, until] = cold.slice(1).map(Number) as [number, number, number]
    return { bucket, from, until, key, size }
  }
  const warm = /^warm\/epoch=(\d+)\/bucket=(\d+)\/events\.parquet$/.exec(key)
  if (warm === null) return null
  const [epoch, bucket] = warm.slice(1).map(Number) as [number, number]
  return { bucket, from: epoch, until: epoch + 1, key, size }
}
