import type { Clock, Lake, Log } from '#core/ports'
import { changeManifest } from './change-manifest.ts'
import { FAILED_BATCHES, hotPrefix, QUARANTINE, WAITING } from './keys.ts'
import type { Manifest } from './manifest.ts'
import type { LakeStateStore } from './state.ts'
import { dropTombstones, isForgettable, noteDone, noteLastEpoch, type Tombstone } from './tombstones.ts'

/** How often the objects that are set aside are listed, ms. */
const LIST_EVERY_MS = 3_600_000

export type ErasureSettings = {
  /** Time for which files with erased events are kept for reads that opened the lake before, ms. */
  keepErasedMs: number
  /**
   * Time after which acknowledged events are in the lake, as long as the consumer is not behind, ms. Events of an erasure that come
   * later are hidden and left out as well.
   */
  settlingMs: number
  /** Time after which a job has ended, also one of a worker that was killed, ms. */
  jobMs: number
}

export type ErasureProgressServices = {
  state: LakeStateStore
  lake: Pick<Lake, 'list'>
  onErased(bucket: number, tombstone: Tombstone): Promise<void>
  deleteRetired(manifest: Manifest, now: number): Promise<void>
  deleteOrphans(manifests: readonly Manifest[]): Promise<void>
  /**
   * Removes what this machine has of erased events outside the lake, if they arrived before `needed` (Unix ms). Returns the time until
   * which that is done; it may need many calls. On AWS the stream and the table forget by themselves, and no erasure waits for them.
   */
  scrub?(needed: number): Promise<number>
  clock: Clock
  log: Log
}

/**
 * Brings erasures to their end. Workers rewrite segments, and hot files after their compaction (rewriter.ts). The events are gone
 * when the replaced segments are deleted, too, and files that no manifest names.
 * A tombstone stays in force for two days, because a consumer that is behind may still bring events. That of a person stays as long as
 * records are set aside that may be appended again and have such events.
 */
export function createErasureProgress(
  { state, lake, onErased, deleteRetired, deleteOrphans, scrub, clock, log }: ErasureProgressServices,
  settings: ErasureSettings,
) {
  let listing: { readAt: number; times: readonly number[] } = {
    readAt: Number.NEGATIVE_INFINITY,
    times: [],
  }

  /** `manifests`: as they were a while ago. */
  async function advance(manifests: readonly Manifest[], now: number): Promise<void> {
    const withTombstones = manifests.filter(({ tombstones }) => tombstones.length > 0)
    if (withTombstones.length === 0) return
    const lastEpoch = await newestEpochWithFiles()
    for (const { bucket } of withTombstones) {
      await changeManifest(state, bucket, current =>
        noteLastEpoch(current, lastEpoch, now - settings.settlingMs),
      )
    }
    if (withTombstones.some(({ tombstones }) => tombstones.some(({ doneAt }) => doneAt === null)))
      await deleteFiles(now)
    for (const { bucket } of withTombstones) await forgetOld(bucket, now)
  }

  /** The newest epoch, or the one before it if the newest has no hot file: without further events it is never closed. */
  async function newestEpochWithFiles(): Promise<number> {
    const { epoch } = await state.lake()
    const shards = await state.shards()
    const isUsed =
      shards.some(({ claim }) => claim?.epoch === epoch) || (await lake.list(hotPrefix(epoch))).length > 0
    return isUsed ? epoch : epoch - 1
  }

  async function deleteFiles(now: number): Promise<void> {
    // Read once more: the tombstones know their last epochs now.
    const manifests = await state.manifests()
    const readAt = clock.now()
    const unfinished = manifests.filter(({ tombstones }) => tombstones.some(({ doneAt }) => doneAt === null))
    for (const manifest of unfinished) {
      await deleteRetired(manifest, readAt)
      await deleteOrphans([manifest])
      await finish(manifest.bucket, { sweptBefore: readAt - settings.jobMs, now })
    }
  }

  async function finish(bucket: number, swept: { sweptBefore: number; now: number }): Promise<void> {
    const scrubbedUntil = await scrubFor(await state.manifest(bucket), swept)
    let finished = 0
    await changeManifest(state, bucket, current => {
      const next = noteDone(current, { ...swept, scrubbedUntil })
      finished = next === null ? 0 : countDone(next) - countDone(current)
      return next
    })
    if (finished > 0) log('ERASURE_DONE', { bucket, erasures: finished })
  }

  /** Scrubs for the oldest erasure that waits for nothing else. Returns until when that is done. */
  async function scrubFor(manifest: Manifest, swept: { sweptBefore: number; now: number }): Promise<number> {
    const next = noteDone(manifest, { ...swept, scrubbedUntil: Number.POSITIVE_INFINITY })
    if (next === null || scrub === undefined) return Number.POSITIVE_INFINITY
    const waiting = next.tombstones.filter((tombstone, i) => tombstone !== manifest.tombstones[i])
    return scrub(Math.min(...waiting.map(({ createdAt }) => createdAt)))
  }

  /** Forgets the tombstones that are no longer in force, after the receipts have their figures. */
  async function forgetOld(bucket: number, now: number): Promise<void> {
    const { tombstones } = await state.manifest(bucket)
    if (!tombstones.some(tombstone => isForgettable(tombstone, [], now))) return
    const times = await setAsideTimes(now)
    const old = tombstones.filter(tombstone => isForgettable(tombstone, times, now))
    for (const tombstone of old) await onErased(bucket, tombstone)
    if (old.length > 0) await changeManifest(state, bucket, current => dropTombstones(current, old))
  }

  /** When the objects were written whose records may be appended again. One whose time is unknown may be of any time. */
  async function setAsideTimes(now: number): Promise<readonly number[]> {
    // Some tombstones stay for a month, and each tick asks for them.
    if (now - listing.readAt >= LIST_EVERY_MS) {
      const objects = (await Promise.all([QUARANTINE, WAITING, FAILED_BATCHES].map(lake.list))).flat()
      listing = { readAt: now, times: objects.map(({ writtenAt = 0 }) => writtenAt) }
    }
    return listing.times
  }

  return { advance }
}

function countDone({ tombstones }: Manifest): number {
  return tombstones.filter(({ doneAt }) => doneAt !== null).length
}
