import { createErasureProgress, type ErasureProgressServices } from '#core/lake/erase/erasure-progress'
import { mergeableBatches } from '#core/lake/erase/old-tombstones'
import { nextHotRewrite, openTombstones, unclearedSegments } from '#core/lake/erase/tombstones'
import { changeManifest } from '#core/lake/model/change-manifest'
import {
  hotPrefix,
  parseHotKey,
  parseIdentityKey,
  parseManifestKey,
  parseSegmentKey,
  SEGMENT_TABLES,
  segmentKeys,
  supersededJobName,
} from '#core/lake/model/keys'
import {
  compactedByAll,
  dropRetired,
  forgetEventIds,
  isOrphan,
  type Manifest,
  nextMerge,
} from '#core/lake/model/manifest'
import { findOldManifests } from '#core/lake/model/old-manifests'
import type { LakeStateStore } from '#core/lake/model/state'
import type { EventStream, JobQueue, Lake, Log, Now } from '#core/ports'
import { DAY_MS } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import { tables } from '#schemas/columns'
import { MANIFEST_PREFIX } from '#schemas/manifests'
import { jobName, type LakeJob } from './jobs.ts'
import { MAINTENANCE_DEFAULTS, type MaintenanceSettings } from './maintenance-settings.ts'

/**
 * How long the item of a retired shard is kept, ms: longer than a stream keeps records, and a consumer runs.
 */
const RETIRED_MS = 8 * DAY_MS

export type MaintenanceServices = {
  state: LakeStateStore
  lake: Lake
  jobs: JobQueue<LakeJob>
  usage: Pick<UsageCounters, 'deleteFoldedCounts'>
  /** Absent on one machine, whose shards never go. */
  stream?: Pick<EventStream, 'shards'>
  clock: Now
  log: Log
} & Pick<ErasureProgressServices, 'onErased' | 'scrub' | 'oldRecords' | 'tombstones'>

/**
 * Maintains the lake: closes epochs, sends the jobs of compaction and of merges, and deletes superseded
 * files. `tick` does everything that is due and returns without waiting for the jobs; workers move the
 * watermarks. Several processes may tick: only the lease holder works, and its fencing token refuses epochs
 * of an earlier holder. core/lake/README.md shows the states of an epoch and of a file.
 */
export function createMaintenance(
  services: MaintenanceServices,
  settings: MaintenanceSettings = MAINTENANCE_DEFAULTS,
) {
  const { state, lake, jobs, usage, clock, log } = services
  const erasureProgress = createErasureProgress({ ...services, deleteRetired, deleteOrphans }, settings)
  let deletedAt = Number.NEGATIVE_INFINITY

  async function tick(): Promise<void> {
    const now = clock.now()
    const fence = await state.lease(now, now + settings.leaseMs)
    if (fence === null) return
    try {
      const manifests = await erasureProgress.begin(await state.manifests(), now)
      await closeEpoch(fence, manifests, now)
      await sendCompactions(manifests, now)
      await sendMerges(manifests, now)
      await sendRewrites(manifests, now)
      // At each tick, because every read of the counters reads the open counts.
      await usage.deleteFoldedCounts(manifests)
      await deleteSupersededFiles(now)
      await erasureProgress.advance(manifests, now)
    } finally {
      await state.release(fence)
    }
  }

  async function closeEpoch(fence: number, manifests: readonly Manifest[], now: number): Promise<void> {
    const { epoch, epochOpenedAt } = await state.lake()
    const files = await lake.list(hotPrefix(epoch))
    const isFull = files.length >= settings.epochFiles || sumSizes(files) >= settings.epochBytes
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
      const bytes = sumSizes(await lake.list(hotPrefix(from)))
      const parts = Math.min(group.length, Math.max(1, Math.ceil(bytes / settings.jobBytes)))
      const buckets = group.map(({ bucket }) => bucket)
      for (let part = 0; part < parts; part++) {
        const partBuckets = buckets.filter((_, i) => i % parts === part)
        await sendOnce({ kind: 'compact', from, until, buckets: partBuckets }, now)
      }
    }
  }

  /** The first epoch that may get more files: a shard is in it, or has an open claim in it. */
  async function closedUntil(): Promise<number> {
    const shards = await state.shards()
    // Read after the listing. If this process paused here before the read, a new shard must not join an epoch
    // that is compacted by now.
    const { epoch } = await state.lake()
    // Done at every tick, because a shard that was added since the last tick may have joined an older epoch.
    for (const { shard, epoch: shardEpoch } of shards) {
      if (shardEpoch === null || shardEpoch < epoch) await state.joinEpoch(shard, epoch)
    }
    const raisedShards = await state.shards()
    return Math.min(epoch, ...raisedShards.map(({ claim }) => claim?.epoch ?? epoch))
  }

  async function sendMerges(manifests: readonly Manifest[], now: number): Promise<void> {
    for (const manifest of manifests) {
      const segments = nextMerge(manifest, settings)
      const [first, last] = [segments[0], segments.at(-1)]
      if (first === undefined || last === undefined) continue
      await sendOnce({ kind: 'merge', bucket: manifest.bucket, from: first.from, until: last.until }, now)
    }
  }

  async function sendRewrites(manifests: readonly Manifest[], now: number): Promise<void> {
    for (const manifest of manifests) {
      const { bucket, round } = manifest
      const [first] = unclearedSegments(manifest, round.number)
      if (first !== undefined)
        await sendOnce({ kind: 'rewrite', bucket, number: round.number, from: first.from }, now)
      const merged = mergeableBatches(manifest)
      const [head, last] = [merged[0], merged.at(-1)]
      if (head === undefined || last === undefined) continue
      const forgotten = await services.oldRecords.forgotten(manifests, now)
      const { first: firstNumber, number } = { ...head, number: last.number }
      await sendOnce({ kind: 'merge-tombstones', bucket, first: firstNumber, number, forgotten }, now)
    }
    const job = nextHotRewrite(manifests)
    if (job !== null) await sendOnce({ kind: 'rewrite-hot', ...job }, now)
  }

  /** Sends the job, unless it was sent recently. */
  async function sendOnce(job: LakeJob, now: number): Promise<void> {
    const lostBefore = Math.max(now - settings.resendMs, settings.queueSince)
    if (!(await state.beginJob(jobName(job), now, lostBefore))) return
    try {
      await jobs.send(job)
    } catch (error) {
      // Noted as sent long ago, so that the next tick sends it again.
      await state.beginJob(jobName(job), 0, now + 1)
      throw error
    }
  }

  async function deleteSupersededFiles(now: number): Promise<void> {
    // Listing all files costs time, so it is done only eight times while a file is kept.
    if (now - deletedAt < settings.keepSupersededMs / 8) return
    deletedAt = now
    // By their saved watermarks: without the item of the empty epochs, none must wait at an epoch whose hot
    // files are gone.
    const manifests = await state.saveSkippedEpochs()
    // Not the start of the tick, which may be long ago: at that time the watermarks may have been lower.
    const manifestsReadAt = clock.now()
    await deleteHotFiles(compactedByAll(manifests), manifestsReadAt)
    for (const manifest of manifests) await deleteRetired(manifest, manifestsReadAt)
    await deleteOrphans(manifests)
    await erasureProgress.deleteUnnamed(manifests, manifestsReadAt)
    await deleteOldManifests(manifestsReadAt)
    await retireShards()
    // After the orphans, so that the files stay for the jobs that run now.
    for (const { bucket } of manifests.filter(manifest => forgetEventIds(manifest) !== null))
      await changeManifest(state, bucket, forgetEventIds)
  }

  /** Deletes manifests that newer ones have replaced, and their pages (old-manifests.ts). */
  async function deleteOldManifests(now: number): Promise<void> {
    // Listed before the names are read, so that what is written meanwhile is not in the listing.
    const objects = Map.groupBy(await lake.list(MANIFEST_PREFIX), ({ key }) => parseManifestKey(key)?.bucket)
    for (const [bucket, named] of await state.namedKeys()) {
      const keepMs = settings.keepSupersededMs
      const { old, pages } = findOldManifests(objects.get(bucket) ?? [], named, { now, keepMs })
      for (const key of pages) if (await isExpired(`expire/${key}`, now)) old.push(key)
      if (old.length > 0) await lake.delete(old)
    }
  }

  /** Deletes the hot files of epochs that all buckets have in segments. */
  async function deleteHotFiles(compacted: number, now: number): Promise<void> {
    const objects = await lake.list(`${tables.events_hot.prefix}/`)
    const epochs = Map.groupBy(
      objects,
      ({ key }) => parseHotKey(key)?.claim.epoch ?? Number.POSITIVE_INFINITY,
    )
    // The oldest first: a start takes the lowest epoch with hot files for the first one that has all of them.
    for (const [epoch, epochObjects] of [...epochs].toSorted(([a], [b]) => a - b)) {
      if (epoch >= compacted || !(await isExpired(supersededJobName(epoch), now))) continue
      await lake.delete(epochObjects.map(({ key }) => key))
    }
  }

  /**
   * Retires shards that the stream has not had for a day, when nothing needs them: no claim is open, no hot
   * file and no file of identify requests is theirs, and no arrival is ahead of the clock. Otherwise each
   * epoch would write to each shard that there ever was. A consumer that comes late all the same finds
   * highWater for a week.
   */
  async function retireShards(): Promise<void> {
    if (services.stream === undefined) return
    // In this order: a shard that is new is not among the known ones, and a later file has moved highWater.
    const known = await state.shards()
    const existing = new Set(await services.stream.shards())
    const now = clock.now()
    const gone = known.filter(
      ({ shard, claim, arrivalAhead = 0 }) => !existing.has(shard) && claim === null && arrivalAhead <= now,
    )
    if (gone.length === 0) return
    const prefixes = [tables.events_hot.prefix, tables.identity_hot.prefix]
    const files = (await Promise.all(prefixes.map(prefix => lake.list(`${prefix}/`)))).flat()
    const withFiles = new Set(files.map(({ key }) => (parseHotKey(key) ?? parseIdentityKey(key))?.shard))
    for (const { shard, highWater } of gone) {
      if (withFiles.has(shard) || !(await isExpired(`expire/shard/${shard}`, now))) continue
      if (await state.retireShard(shard, highWater, now + RETIRED_MS)) log('SHARD_RETIRED', { shard })
    }
  }

  /**
   * Deletes the files of segments that were replaced long ago, and then their names in the manifest. A
   * segment that may have erased events is only kept for running reads.
   */
  async function deleteRetired(manifest: Manifest, now: number): Promise<void> {
    const { bucket, retired } = manifest
    const expired = retired.filter(segment => {
      const mayHaveErased = openTombstones(manifest, segment).length > 0
      return segment.retiredAt <= now - (mayHaveErased ? settings.keepErasedMs : settings.keepSupersededMs)
    })
    if (expired.length === 0) return
    await lake.delete(
      expired.flatMap(segment => SEGMENT_TABLES.flatMap(table => segmentKeys(table, bucket, segment))),
    )
    await changeManifest(state, bucket, current => dropRetired(current, expired))
  }

  /**
   * Deletes files that no manifest names and no job can add any more: a worker was killed before it saved the
   * manifest, or it wrote a file once more when the segment had been deleted. The manifests were read before
   * the files are listed.
   */
  async function deleteOrphans(manifests: readonly Manifest[]): Promise<void> {
    for (const table of SEGMENT_TABLES) {
      const prefix = `${tables[table].prefix}/`
      const [only] = manifests.length === 1 ? manifests : []
      const objects = await lake.list(only === undefined ? prefix : `${prefix}bucket=${only.bucket}/`)
      const orphans = objects.filter(({ key }) => {
        const file = parseSegmentKey(key)
        const manifest = manifests.find(({ bucket }) => bucket === file?.bucket)
        return file !== null && manifest !== undefined && isOrphan(manifest, file.segment, table)
      })
      if (orphans.length > 0) await lake.delete(orphans.map(({ key }) => key))
    }
  }

  /**
   * Whether superseded files have been kept long enough. The first call notes when they were found
   * superseded; later calls compare with that time. The age of the files does not count, because they may
   * already be old when they are superseded.
   */
  async function isExpired(name: string, now: number): Promise<boolean> {
    if (await state.jobFinished(name)) return true
    const isFirst = await state.beginJob(name, now, 0)
    if (isFirst || !(await state.beginJob(name, now, now - settings.keepSupersededMs))) return false
    // Noted before the first delete, because a repair must not use an epoch that is partly deleted.
    await state.finishJob(name)
    return true
  }

  return { tick }
}

export type Maintenance = ReturnType<typeof createMaintenance>

function sumSizes(objects: readonly { size: number }[]): number {
  return objects.reduce((sum, { size }) => sum + size, 0)
}
