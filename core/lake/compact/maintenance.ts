import { createErasureProgress, type ErasureProgressServices } from '#core/lake/erase/erasure-progress'
import { mergeableBatches } from '#core/lake/erase/old-tombstones'
import { nextHotRewrite, unclearedSegments } from '#core/lake/erase/tombstones'
import { hotPrefix } from '#core/lake/model/keys'
import { compactedByAll, type Manifest, nextMerge } from '#core/lake/model/manifest'
import { firstOpenEpoch } from '#core/lake/model/open-epochs'
import type { LakeStateStore, UnreadableManifest } from '#core/lake/model/state'
import type { Sweep } from '#core/lake/model/sweep'
import type { JobQueue, Lake, Log, Now } from '#core/ports'
import { sumOf } from '#core/sum'
import type { UsageCounters } from '#core/usage/counters'
import { dueSweeps } from './due-sweeps.ts'
import { jobName, type LakeJob } from './jobs.ts'
import { MAINTENANCE_DEFAULTS, type MaintenanceSettings } from './maintenance-settings.ts'
import { createManifestWatch } from './manifest-watch.ts'
import { createShardRetirement, type RetireShardsServices } from './retire-shards.ts'

/**
 * Sweeps that a tick begins to go on with. So 66 of them do not fill the queue at once, and compactions find
 * a worker.
 */
const SWEEPS_PER_TICK = 4

export type MaintenanceServices = {
  state: LakeStateStore
  lake: Lake
  jobs: JobQueue<LakeJob>
  usage: Pick<UsageCounters, 'deleteFoldedCounts'>
  clock: Now
  log: Log
} & Pick<RetireShardsServices, 'stream'> &
  Pick<ErasureProgressServices, 'onErased' | 'scrub' | 'oldRecords'>

/**
 * Maintains the lake: closes epochs, and sends the jobs of compaction, of merges, of erasures and of sweeps.
 * `tick` does everything that is due and returns without waiting for the jobs; workers move the watermarks.
 * Several processes may tick: only the lease holder works, and its fencing token refuses epochs of an earlier
 * holder. A bucket whose manifest cannot be read waits alone; while it does, no hot file is deleted, because
 * it may have to be compacted again from an older manifest. core/lake/README.md shows the states of an epoch
 * and of a file.
 */
export function createMaintenance(
  services: MaintenanceServices,
  settings: MaintenanceSettings = MAINTENANCE_DEFAULTS,
) {
  const { state, lake, jobs, usage, clock, log } = services
  const erasureProgress = createErasureProgress(
    { ...services, sendMending: () => jobs.send({ kind: 'mend-tombstones' }) },
    settings,
  )
  const readManifests = createManifestWatch(services)
  const retireShards = createShardRetirement(services)

  async function tick(): Promise<void> {
    const now = clock.now()
    const fence = await state.lease(now, now + settings.leaseMs)
    if (fence === null) return
    try {
      const read = await readManifests(now)
      const { unreadable } = read
      const manifests = await erasureProgress.begin(read.manifests, now)
      const watermarks = [...manifests, ...unreadable]
      await closeEpoch(fence, manifests, now)
      await sendCompactions(manifests, now)
      await sendMerges(manifests, now)
      await sendRewrites(manifests, watermarks, now)
      // At each tick, because every read of the counters reads the open counts.
      await usage.deleteFoldedCounts(watermarks)
      const sweeps = await state.sweeps()
      await sendSweeps(manifests, unreadable, sweeps, now)
      await retireShards(sweeps)
      await erasureProgress.advance(manifests, watermarks, sweeps, now)
    } finally {
      await state.release(fence)
    }
  }

  async function closeEpoch(fence: number, manifests: readonly Manifest[], now: number): Promise<void> {
    const { epoch, epochOpenedAt } = await state.lake()
    const files = await lake.list(hotPrefix(epoch))
    const isFull =
      files.length >= settings.epochFiles || sumOf(files, ({ size }) => size) >= settings.epochBytes
    const erasureWaits = manifests.some(({ tombstones, round }) =>
      tombstones.some(({ lastEpoch, number }) => lastEpoch === epoch && number <= round.number),
    )
    const maxAge = erasureWaits ? Math.min(settings.epochMs, settings.erasureEpochMs) : settings.epochMs
    // A clock that was ahead when the epoch was opened says nothing about its age.
    const isOld = now - epochOpenedAt >= maxAge || epochOpenedAt > now
    const isDue = isFull || (files.length > 0 && isOld)
    if (isDue && (await state.openEpoch(fence, epoch, now)))
      log('EPOCH_CLOSED', { epoch, files: files.length })
  }

  /**
   * Sends a job for the buckets that wait at the same epoch. A bucket that failed waits at an earlier epoch
   * than the others, so it gets a job of its own. An epoch with many bytes is shared by several workers.
   */
  async function sendCompactions(manifests: readonly Manifest[], now: number): Promise<void> {
    const until = await closedUntil()
    const waiting = manifests.filter(({ compacted }) => compacted < until)
    for (const [from, group] of Map.groupBy(waiting, ({ compacted }) => compacted)) {
      const bytes = sumOf(await lake.list(hotPrefix(from)), ({ size }) => size)
      const parts = Math.min(group.length, Math.max(1, Math.ceil(bytes / settings.jobBytes)))
      const buckets = group.map(({ bucket }) => bucket)
      for (let part = 0; part < parts; part++) {
        const partBuckets = buckets.filter((_, i) => i % parts === part)
        await sendOnce({ kind: 'compact', from, until, buckets: partBuckets }, now)
      }
    }
  }

  /** Moves all shards to the newest epoch. Returns the first one that may get more files. */
  async function closedUntil(): Promise<number> {
    const shards = await state.shards()
    // Read after the listing. If this process paused here before the read, a new shard must not join an epoch
    // that is compacted by now.
    const { epoch } = await state.lake()
    // Done at every tick, because a shard that was added since the last tick may have joined an older epoch.
    for (const { shard, epoch: shardEpoch } of shards) {
      if (shardEpoch === null || shardEpoch < epoch) await state.joinEpoch(shard, epoch)
    }
    return firstOpenEpoch({ epoch }, await state.shards())
  }

  async function sendMerges(manifests: readonly Manifest[], now: number): Promise<void> {
    for (const manifest of manifests) {
      const segments = nextMerge(manifest, settings)
      const [first, last] = [segments[0], segments.at(-1)]
      if (first === undefined || last === undefined) continue
      await sendOnce({ kind: 'merge', bucket: manifest.bucket, from: first.from, until: last.until }, now)
    }
  }

  async function sendRewrites(
    manifests: readonly Manifest[],
    watermarks: readonly Pick<Manifest, 'compacted'>[],
    now: number,
  ): Promise<void> {
    for (const manifest of manifests) {
      const { bucket, round } = manifest
      const [first] = unclearedSegments(manifest, round.number)
      if (first !== undefined)
        await sendOnce({ kind: 'rewrite', bucket, number: round.number, from: first.from }, now)
      const merged = mergeableBatches(manifest)
      const [head, last] = [merged[0], merged.at(-1)]
      if (head === undefined || last === undefined) continue
      const forgotten = await services.oldRecords.forgotten(watermarks, now)
      const { first: firstNumber, number } = { ...head, number: last.number }
      await sendOnce({ kind: 'merge-tombstones', bucket, first: firstNumber, number, forgotten }, now)
    }
    const job = nextHotRewrite(manifests, compactedByAll(watermarks))
    if (job !== null) await sendOnce({ kind: 'rewrite-hot', ...job }, now)
  }

  /** Sends the next slices of the sweeps that are due. */
  async function sendSweeps(
    manifests: readonly Manifest[],
    unreadable: readonly UnreadableManifest[],
    sweeps: readonly Sweep[],
    now: number,
  ): Promise<void> {
    let sent = 0
    for (const { name, version } of dueSweeps(manifests, sweeps, settings, now)) {
      if (name === 'hot' && unreadable.length > 0) continue
      if (sent >= SWEEPS_PER_TICK) return
      if (await sendOnce({ kind: 'sweep', sweep: name, version }, now)) sent++
    }
  }

  /** Sends the job, unless it was sent recently. Returns whether it was sent now. */
  async function sendOnce(job: LakeJob, now: number): Promise<boolean> {
    const lostBefore = Math.max(now - settings.resendMs, settings.queueSince)
    if (!(await state.beginJob(jobName(job), now, lostBefore))) return false
    try {
      await jobs.send(job)
      return true
    } catch (error) {
      // Noted as sent long ago, so that the next tick sends it again.
      await state.beginJob(jobName(job), 0, now + 1)
      throw error
    }
  }

  return { tick }
}

export type Maintenance = ReturnType<typeof createMaintenance>
