import type { StreamEntry } from '#core/ports'
import { unpackedBytes } from './packing.ts'

/** Most records, and most bytes of them when they are unpacked. */
export type BatchLimits = { records: number; bytes: number }

/**
 * Returns how many of the entries, from the first one on, stay within the limits: at least one, unless there
 * are none.
 */
export function countFitting(entries: readonly StreamEntry[], limits: BatchLimits): number {
  let bytes = 0
  let records = 0
  for (const entry of entries.slice(0, limits.records)) {
    bytes += unpackedBytes(entry.data)
    if (records > 0 && bytes > limits.bytes) break
    records += 1
  }
  return records
}
