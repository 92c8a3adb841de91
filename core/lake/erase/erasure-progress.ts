import { changeManifest } from '#core/lake/model/change-manifest'
import type { Manifest } from '#core/lake/model/manifest'
import type { LakeStateStore } from '#core/lake/model/state'
import { findSweep, type Sweep, segmentsSweep } from '#core/lake/model/sweep'
import type { TombstoneBatch } from '#core/lake/model/tombstone-batch'
import type { Lake, Log } from '#core/ports'
import { newestEpochWithFiles, type OldRecordsWatch } from './old-records.ts'
import { isForgettable } from './old-tombstones.ts'
import { dropTombstones, isHotCleared, noteDone, noteLastEpoch } from './tombstones.ts'

/**
 * How often the files of tombstones are listed, because one may be missing, ms. Only while erasures are in
 * force.
 */
const MEND_EVERY_MS = 10 * 60_000

export type ErasureSettings = {
  /** Time for which files with erased events are kept for reads that opened the lake before, ms. */
  keepErasedMs: number
  /**
   * Time after which acknowledged events are in the lake, as long as the consumer is not behind, ms. Events
   * of an erasure that come later are hidden and left out as well.
   */
  settlingMs: number
  /** Time after which a job has ended, also one of a worker that was killed, ms. */
  jobMs: number
  /**
   * Time between two rounds of rewrites, ms. Erasures that come during a round wait for the next one, so that
   * a bucket is not rewritten for each of them. The rounds of all buckets begin together, because each also
   * closes an epoch and searches all hot files.
   */
  roundMs: number
}

export type ErasureProgressServices = {
  state: LakeStateStore
  lake: Pick<Lake, 'list'>
  /**
   * Called when the erasures of a batch are done, maybe several times, before the batch is merged or
   * forgotten.
   */
  onErased(bucket: number, batch: TombstoneBatch): Promise<void>
  /** Sends the job that writes files of tombstones again that are missing. */
  sendMending(): Promise<void>
  /**
   * Removes what this machine has of erased events outside the lake, if they arrived before `needed` (Unix
   * ms). Returns the time until which that is done; it may need many calls. On AWS the stream and the table
   * forget by themselves, and no erasure waits for them.
   */
  scrub?(needed: number): Promise<number>
  oldRecords: OldRecordsWatch
  log: Log
}

/**
 * Brings erasures to their end. Workers rewrite segments, and hot files after their compaction (rewriter.ts).
 * The events are gone when the replaced segments are deleted, too, and files that no manifest names. A
 * tombstone stays in force for two days, and until the consumer has read all records that may have its
 * events. That of a person stays as long as records are set aside that may be appended again and have such
 * events.
 */
export function createErasureProgress(
  { state, lake, onErased, sendMending, scrub, oldRecords, log }: ErasureProgressServices,
  settings: ErasureSettings,
) {
  let mendedAt = Number.NEGATIVE_INFINITY

  /**
   * Lets missing files be mended, and begins the rounds of rewrites that are due. Returns the manifests after
   * that.
   */
  async function begin(manifests: readonly Manifest[], now: number): Promise<readonly Manifest[]> {
    if (now - mendedAt >= MEND_EVERY_MS && manifests.some(({ tombstones }) => tombstones.length > 0)) {
      mendedAt = now
      await sendMending()
    }
    const changed = manifests.filter(manifest => isRoundDue(manifest, now))
    for (const { bucket } of changed) {
      await changeManifest(state, bucket, current =>
        isRoundDue(current, now)
          ? {
              ...current,
              version: current.version + 1,
              round: { at: now, number: current.tombstones.at(-1)?.number ?? 0 },
            }
          : null,
      )
    }
    return changed.length === 0 ? manifests : (await state.readableManifests()).manifests
  }

  function isRoundDue({ tombstones, round }: Manifest, now: number): boolean {
    const hasNew = tombstones.some(({ number, doneAt }) => number > round.number && doneAt === null)
    const roundOf = (ms: number) => (settings.roundMs === 0 ? ms : Math.floor(ms / settings.roundMs))
    return hasNew && roundOf(now) > roundOf(round.at)
  }

  /**
   * `manifests`, `sweeps`: as they were a while ago. `watermarks`: of all buckets, also of those whose
   * manifest cannot be read.
   */
  async function advance(
    manifests: readonly Manifest[],
    watermarks: readonly Pick<Manifest, 'compacted'>[],
    sweeps: readonly Sweep[],
    now: number,
  ): Promise<void> {
    const withTombstones = manifests.filter(({ tombstones }) => tombstones.length > 0)
    if (withTombstones.length === 0) return
    const lastEpoch = await newestEpochWithFiles({ state, lake })
    for (const manifest of withTombstones) {
      const note = (current: Manifest) => noteLastEpoch(current, lastEpoch, now - settings.settlingMs)
      if (note(manifest) !== null) await changeManifest(state, manifest.bucket, note)
    }
    // Read once more: the tombstones know their last epochs now.
    const { manifests: current } = await state.readableManifests()
    for (const { bucket } of current.filter(isAlmostDone)) {
      const { sweptAt, cleared } = findSweep(sweeps, segmentsSweep(bucket))
      await finish(bucket, { sweptBefore: sweptAt - settings.jobMs, cleared, now })
    }
    for (const manifest of current) await forgetOld(manifest, watermarks, now)
  }

  async function finish(bucket: number, swept: Swept): Promise<void> {
    const scrubbedUntil = await scrubFor(await state.manifest(bucket), swept)
    for (;;) {
      const current = await state.manifest(bucket)
      const next = noteDone(current, { ...swept, scrubbedUntil })
      if (next === null) return
      const finished = next.tombstones.filter((batch, i) => batch !== current.tombstones[i])
      for (const batch of finished) await onErased(bucket, batch)
      if (!(await state.saveManifest(next))) continue
      return log('ERASURE_DONE', { bucket, erasures: finished.length })
    }
  }

  /** Scrubs for the oldest erasure that waits for nothing else. Returns until when that is done. */
  async function scrubFor(manifest: Manifest, swept: Swept): Promise<number> {
    const next = noteDone(manifest, { ...swept, scrubbedUntil: Number.POSITIVE_INFINITY })
    if (next === null || scrub === undefined) return Number.POSITIVE_INFINITY
    const waiting = next.tombstones.filter((batch, i) => batch !== manifest.tombstones[i])
    return scrub(Math.min(...waiting.map(({ createdAt }) => createdAt)))
  }

  /** Forgets the batches that are no longer in force. */
  async function forgetOld(
    { bucket, tombstones }: Manifest,
    watermarks: readonly Pick<Manifest, 'compacted'>[],
    now: number,
  ): Promise<void> {
    const atBest = oldRecords.atBest(now)
    if (!tombstones.some(batch => isForgettable(batch, atBest))) return
    const until = await oldRecords.forgotten(watermarks, now)
    const old = tombstones.filter(batch => isForgettable(batch, until))
    if (old.length > 0) await changeManifest(state, bucket, current => dropTombstones(current, old))
  }

  return { begin, advance }
}

/** Whether some erasures wait for nothing but the deletion of replaced files, and for the scrub. */
function isAlmostDone({ segments, tombstones }: Manifest): boolean {
  const oldestErased = Math.min(...segments.map(({ erased }) => erased))
  return tombstones.some(
    batch => batch.doneAt === null && isHotCleared(batch) && oldestErased >= batch.number,
  )
}

type Swept = Omit<Parameters<typeof noteDone>[1], 'scrubbedUntil'>

/**
 * Whether erasures of the bucket wait for nothing but a sweep: all jobs have ended that could still write
 * files with their events, and running reads need the replaced ones no more.
 */
export function needsSweep(
  { tombstones, segments, retired }: Manifest,
  { sweptAt, cleared }: Pick<Sweep, 'sweptAt' | 'cleared'>,
  { jobMs, keepErasedMs }: Pick<ErasureSettings, 'jobMs' | 'keepErasedMs'>,
  now: number,
): boolean {
  return tombstones.some(batch => {
    const { number, createdAt, doneAt } = batch
    const isWritten = doneAt === null && isHotCleared(batch) && createdAt <= now - jobMs
    if (!isWritten || segments.some(({ erased }) => erased < number)) return false
    const replaced = retired.filter(({ erased }) => erased < number)
    if (replaced.some(({ retiredAt }) => retiredAt > now - keepErasedMs)) return false
    return replaced.length > 0 || createdAt > sweptAt - jobMs || cleared < number
  })
}
