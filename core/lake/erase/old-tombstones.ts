import { APPEND_RETRY_S } from '#core/lake/model/copies'
import type { Manifest } from '#core/lake/model/manifest'
import type { ForgottenUntil, NewBatch, Removed, TombstoneBatch } from '#core/lake/model/tombstone-batch'
import { DAY_MS } from '#core/time'

/** Tombstones whose events are gone: they stay in force for a while, in few batches, and are forgotten. */

/** Neighbours that are done are merged from this number on. */
export const MERGED_BATCHES = 8

/**
 * How long a tombstone stays in force at least, ms: for jobs and copies of records that come late. It stays
 * longer while the consumer has not read all records that may have erased events.
 */
export const TOMBSTONE_MS = 48 * 3_600_000

/** How old a record may be when the consumer sets it aside, ms: a stream keeps records for a week at most. */
const STREAM_MS = 7 * DAY_MS
/**
 * An object with records that were set aside, or a failed batch, is deleted after 30 days; on one machine by
 * hand. So long after their arrival records may come from there, ms, and a day more.
 */
export const SET_ASIDE_MS = 31 * DAY_MS + STREAM_MS
/**
 * A tombstone whose end is further ahead of its creation than this, ms, comes of a clock that was a long time
 * ahead. It does not wait until that time has come.
 */
const MAX_AHEAD_MS = DAY_MS

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

/** What may still bring events that arrived long ago. */
export type OldRecords = {
  /**
   * When each object with records that may be appended to the stream again was written, Unix ms. One that was
   * written before the erasure, or by a consumer that was behind, may have events of the person.
   */
  setAside: readonly number[]
  /**
   * Arrival of the first record of a shard that the consumer has not read, Unix ms; infinite without one. One
   * that was appended again may be older and come later.
   */
  unread: number
}

/** Then tombstones are forgotten by their age alone. */
export const NOTHING_OLD: OldRecords = { setAside: [], unread: Number.POSITIVE_INFINITY }

/** Which tombstones that are done are no longer needed at `now`. */
export function forgottenUntil({ setAside, unread }: OldRecords, now: number): ForgottenUntil {
  const oldest = setAside.reduce((least, writtenAt) => Math.min(least, writtenAt), Number.POSITIVE_INFINITY)
  const withoutSetAside = Math.min(now - TOMBSTONE_MS, oldest - STREAM_MS - 1)
  const firstUnread = Math.min(unread - APPEND_RETRY_S * 1_000, now)
  const beforeUnread = firstUnread - 1
  const toSecond = (ms: number) => Math.floor(ms / 1_000)
  return {
    persons: toSecond(Math.min(beforeUnread, Math.max(now - SET_ASIDE_MS, withoutSetAside))),
    projects: toSecond(Math.min(beforeUnread, now - TOMBSTONE_MS)),
    unread: toSecond(firstUnread),
  }
}

/** Whether no row of the batch is needed any more. */
export function isForgettable(
  { doneAt, createdAt, oldestUntil, newestUntil }: TombstoneBatch,
  { persons, projects, unread }: ForgottenUntil,
): boolean {
  const coversUnread = Math.min(newestUntil * 1_000, createdAt + MAX_AHEAD_MS) >= unread * 1_000
  return doneAt !== null && !coversUnread && createdAt <= (oldestUntil === null ? projects : persons) * 1_000
}
