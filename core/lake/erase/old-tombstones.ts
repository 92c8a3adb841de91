import type { Manifest } from '#core/lake/manifest'
import { DAY_MS } from '#core/time'
import type { Removed, TombstoneBatch } from './tombstone-batch.ts'
import type { NewBatch } from './tombstones.ts'

/** Tombstones whose events are gone: they stay in force for a while, in few batches, and are forgotten. */

/** Neighbours that are done are merged from this number on. */
export const MERGED_BATCHES = 8

/**
 * How long a tombstone stays in force at least, ms. A consumer may be behind by the 24 hours that the stream
 * keeps a record, and what it then brings must be left out too.
 */
export const TOMBSTONE_MS = 48 * 3_600_000

/**
 * An object with records that were set aside, or a failed batch, is deleted after 30 days, ms; on one machine
 * by hand.
 */
export const SET_ASIDE_MS = 31 * DAY_MS

/**
 * Finds the longest run of neighbouring batches that are done. Returns none if the run is too short to be
 * worth a merge.
 */
export function mergeableBatches({ tombstones }: Pick<Manifest, 'tombstones'>): readonly TombstoneBatch[] {
  let [longest, current]: TombstoneBatch[][] = [[], []]
  for (const batch of tombstones) {
    current = batch.doneAt === null ? [] : [...(current as TombstoneBatch[]), batch]
    if (current.length > (longest as TombstoneBatch[]).length) longest = current
  }
  return (longest as TombstoneBatch[]).length >= MERGED_BATCHES ? (longest as TombstoneBatch[]) : []
}

/**
 * Replaces batches that are done by one with their rows. Returns null if the manifest no longer has exactly
 * these, because late events have come for one of them, or another job has merged them. `merged`: null if no
 * row is still needed.
 */
export function replaceBatches(
  manifest: Manifest,
  replaced: readonly TombstoneBatch[],
  merged: NewBatch | null,
): Manifest | null {
  const first = manifest.tombstones.findIndex(({ number }) => number === replaced[0]?.number)
  const live = manifest.tombstones.slice(first, first + replaced.length)
  const isUnchanged =
    first >= 0 &&
    live.length === replaced.length &&
    live.every(({ number, writer, doneAt }, i) => {
      const before = replaced[i]
      return doneAt !== null && number === before?.number && writer === before.writer
    })
  if (!isUnchanged) return null
  const sum = (name: keyof Removed) => live.reduce((total, { removed }) => total + removed[name], 0)
  const batch = merged && {
    ...merged,
    createdAt: Math.max(...live.map(({ createdAt }) => createdAt)),
    lastEpoch: Math.max(...live.map(({ lastEpoch }) => lastEpoch ?? 0)),
    hotUntil: Math.max(...live.map(({ hotUntil }) => hotUntil)),
    doneAt: Math.max(...live.map(({ doneAt }) => doneAt ?? 0)),
    removed: { events: sum('events'), files: sum('files') },
  }
  return {
    ...manifest,
    version: manifest.version + 1,
    tombstones: manifest.tombstones.toSpliced(first, replaced.length, ...(batch === null ? [] : [batch])),
  }
}

/** Until when tombstones of persons and of projects have arrived that are no longer needed, Unix seconds. */
export type ForgottenUntil = { persons: number; projects: number }

/**
 * Which tombstones that are done are no longer needed at `now`. `setAside`: when each object with records
 * that may be appended to the stream again was written, Unix ms. One that was written before the erasure, or
 * by a consumer that was a day behind, may have events of the person.
 */
export function forgottenUntil(setAside: readonly number[], now: number): ForgottenUntil {
  const oldest = setAside.reduce((least, writtenAt) => Math.min(least, writtenAt), Number.POSITIVE_INFINITY)
  const withoutSetAside = Math.min(now - TOMBSTONE_MS, oldest - DAY_MS - 1)
  return {
    persons: Math.floor(Math.max(now - SET_ASIDE_MS, withoutSetAside) / 1_000),
    projects: Math.floor((now - TOMBSTONE_MS) / 1_000),
  }
}

/** Whether no row of the batch is needed any more. */
export function isForgettable(
  { doneAt, createdAt, oldestUntil }: TombstoneBatch,
  { persons, projects }: ForgottenUntil,
): boolean {
  return doneAt !== null && createdAt <= (oldestUntil === null ? projects : persons) * 1_000
}
