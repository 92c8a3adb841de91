import type { Clock, JobQueue, Lake, LakeObject, Log } from '#core/ports'
import { DAY_MS, utcDate } from '#core/time'
import { tables } from '#schemas/columns'
import { EVENT_LIMITS } from '#schemas/event'
import { coldCompactionJobs, epochCompactionJobs, jobName, type LakeJob, warmFiles } from './jobs.ts'
import { coldEpochRange, partitionValue, supersededJobName } from './keys.ts'
import { DEDUPE_LOOKBACK_MS, epochOpenedBefore, type LakeState, type LakeStateStore } from './state.ts'

export type MaintenanceSettings = {
  /** Age at which an epoch with files is closed, ms. */
  epochMs: number
  /** Number of hot files at which an epoch is closed earlier. */
  epochFiles: number
  /** Bytes of hot files at which an epoch is closed earlier, so that one compaction can hold them. */
  epochBytes: number
  /**
   * Time between a cold epoch and the oldest hot one, at least, ms. A read looks for the first copy of an event_id in hot
   * and warm files only.
   */
  coldAfterMs: number
  /** Shortest time span of a cold compaction, ms. Each one adds a file to every date and bucket that it has events of. */
  coldSpanMs: number
  /** Most bytes of warm files per bucket in a cold compaction, so that one worker can compact a bucket in its time. */
  coldBytes: number
  /** Time after which an unfinished job is sent again, ms. A queue delivers a failed job again earlier. */
  resendMs: number
  /** Jobs sent before this time are lost, Unix ms: a queue in memory starts empty with its process. */
  queueSince: number
  /** Time for which superseded files are kept, ms: running reads may still use them, and repairs need them. */
  keepSupersededMs: number
}

export const MAINTENANCE_DEFAULTS: MaintenanceSettings = {
  epochMs: 10 * 60_000,
  epochFiles: 600,
  epochBytes: 16 * 1024 * 1024,
  coldAfterMs: DEDUPE_LOOKBACK_MS,
  coldSpanMs: DAY_MS,
  // 1.2 million events. In 256 MB of memory, more would have to be sorted in slices (duckdb/sorted-events.ts).
  coldBytes: 24 * 1024 * 1024,
  resendMs: 5 * 60_000,
  queueSince: 0,
  keepSupersededMs: DAY_MS,
}

export type MaintenanceServices = {
  state: LakeStateStore
  lake: Lake
  jobs: JobQueue<LakeJob>
  clock: Clock
  log: Log
}

/** Longest time that a record may have waited in the stream before it enters an epoch, ms. */
const MAX_STREAM_WAIT_MS = 30 * DAY_MS

/** Time after which another process may take over from a tick, ms. */
const LEASE_MS = 60_000

/**
 * Maintains the lake: closes epochs, sends the jobs of warm compaction (in order) and of cold compaction, advances the
 * watermarks, and deletes superseded files. `tick` does everything that is due and returns without waiting for the jobs;
 * a later tick sees that they are finished. Several processes may tick: only the lease holder works, and its fencing token
 * refuses changes of an earlier holder. core/lake/README.md shows the states of an epoch and of a file.
 */
export function createMaintenance(
  services: MaintenanceServices,
  settings: MaintenanceSettings = MAINTENANCE_DEFAULTS,
) {
  const { state, lake, jobs, clock, log } = services
  let deletedAt = Number.NEGATIVE_INFINITY

  async function tick(): Promise<void> {
    const now = clock.now()
    const fence = await state.lease(now, now + LEASE_MS)
    if (fence === null) return
    try {
      await closeEpoch(fence, now)
      while (await compactOldestEpoch(fence, now));
      await compactToCold(fence, now)
      await deleteSupersededFiles(now)
    } finally {
      await state.release(fence)
    }
  }

  async function closeEpoch(fence: number, now: number): Promise<void> {
    const { epoch, epochOpenedAt } = await state.lake()
    const files = await lake.list(`${tables.events_hot.prefix}/epoch=${epoch}/`)
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const isFull = files.length >= settings.epochFiles || bytes >= settings.epochBytes
    const isDue = isFull || (files.length > 0 && now - epochOpenedAt >= settings.epochMs)
    if (isDue && (await state.openEpoch(fence, epoch, now)))
      log('EPOCH_CLOSED', { epoch, files: files.length })
  }

  /**
   * Sends the jobs of the oldest epoch that is not compacted, or advances the watermark if they are finished. Returns
   * whether it advanced, so the next epoch can follow. Epochs are compacted in order, because each looks for first copies
   * of its event_ids in the warm files of the epochs before it.
   */
  async function compactOldestEpoch(fence: number, now: number): Promise<boolean> {
    const { epoch: newestEpoch, warm: epoch } = await state.lake()
    if (epoch === newestEpoch || !(await isClosed(epoch))) return false
    return (
      (await areFinished(await epochCompactionJobs(lake, epoch), now)) &&
      (await state.advanceWarm(fence, epoch))
    )
  }

  /** Whether the epoch can get no more files: every shard is in a later epoch and has no open claim in this one. */
  async function isClosed(epoch: number): Promise<boolean> {
    const shards = await state.shards()
    // Read after the listing. If this process paused here before the read, the epoch may be compacted by now, and a new
    // shard must not join it.
    const { epoch: newestEpoch } = await state.lake()
    // Done at every tick, because a shard that was added since the last tick may have joined an older epoch.
    for (const { shard, epoch: shardEpoch } of shards) {
      if (shardEpoch === null || shardEpoch < newestEpoch) await state.joinEpoch(shard, newestEpoch)
    }
    const raisedShards = await state.shards()
    return raisedShards.every(({ claim }) => claim === null || claim.epoch > epoch)
  }

  async function compactToCold(fence: number, now: number): Promise<void> {
    const lakeState = await state.lake()
    const { cold } = lakeState
    const until = lakeState.coldUntil ?? (await planColdCompaction(fence, lakeState, now))
    if (until === null) return
    if (await areFinished(await coldCompactionJobs(lake, cold, until), now))
      await state.advanceCold(fence, cold, until)
  }

  /** Plans the next cold compaction and returns its end; null if no epochs are old enough. */
  async function planColdCompaction(
    fence: number,
    lakeState: LakeState,
    now: number,
  ): Promise<number | null> {
    const { epoch, warm, cold, epochTimes } = lakeState
    // If warm compaction lags behind, the oldest hot epoch is old, and its dedupe look-back must stay warm.
    const hotSince = warm === epoch ? now : epochOpenedBefore(epochTimes, warm)
    const coldBefore = hotSince - settings.coldAfterMs
    const first = epochTimes.find(epochTime => epochTime.epoch > cold)
    const last = epochTimes.findLast(({ at }) => at <= coldBefore)
    if (!first || !last || coldBefore - first.at < settings.coldSpanMs) return null
    const until = Math.min(last.epoch, warm)
    if (until <= cold) return null
    const end = await limitToLostCompactions(lakeState, await limitToBytes(cold, until), now)
    // The epochs of a compaction that the state has lost may not be warm again yet.
    if (end > warm) return null
    return (await state.planCold(fence, cold, end)) ? end : null
  }

  /** The end of a cold compaction from `from`, at most `until`, so that no bucket has more than `coldBytes`. */
  async function limitToBytes(from: number, until: number): Promise<number> {
    const sums = new Map<string, number>()
    for (const { epoch, bucket, size } of await warmFiles(lake, from, until)) {
      const sum = (sums.get(bucket) ?? 0) + size
      if (sum > settings.coldBytes && epoch > from) return epoch
      sums.set(bucket, sum)
    }
    return until
  }

  /**
   * The end of the next cold compaction, normally `until`. If a power cut put the state back, there can be files of later
   * cold compactions. One that starts at the same epoch is repeated. One that starts later must not be overlapped.
   */
  async function limitToLostCompactions(
    { epochTimes, cold }: LakeState,
    until: number,
    now: number,
  ): Promise<number> {
    let end = until
    for (const { key } of await coldFilesSince(epochOpenedBefore(epochTimes, cold), now)) {
      const [first, last] = coldEpochRange(key)
      if (first === cold) return last
      if (first > cold && first < end) end = first
    }
    return end
  }

  /** The cold files that can have events that arrived in [since, now], Unix ms. Listing all cold files would take ever longer. */
  async function coldFilesSince(since: number, now: number): Promise<LakeObject[]> {
    if (since === 0) return lake.list(`${tables.events_cold.prefix}/`)
    const oldestTimestamp = since - EVENT_LIMITS.pastMs - MAX_STREAM_WAIT_MS
    // One more day, because timestamps may be ahead of their arrival.
    const days = Math.ceil((now - oldestTimestamp) / DAY_MS) + 1
    const dates = Array.from({ length: days }, (_, day) => utcDate(oldestTimestamp + day * DAY_MS))
    const listDate = (date: string) => lake.list(`${tables.events_cold.prefix}/date=${date}/`)
    return (await Promise.all(dates.map(listDate))).flat()
  }

  /** Returns whether all jobs are finished. Sends each unfinished job, unless it was sent recently. */
  async function areFinished(lakeJobs: readonly LakeJob[], now: number): Promise<boolean> {
    let allFinished = true
    for (const job of lakeJobs) {
      if (await state.jobFinished(jobName(job))) continue
      allFinished = false
      const lostBefore = Math.max(now - settings.resendMs, settings.queueSince)
      if (await state.beginJob(jobName(job), now, lostBefore)) await send(job, now)
    }
    return allFinished
  }

  async function send(job: LakeJob, now: number): Promise<void> {
    try {
      await jobs.send(job)
    } catch (error) {
      // Noted as sent long ago, so that the next tick sends it again.
      await state.beginJob(jobName(job), 0, now + 1)
      throw error
    }
  }

  async function deleteSupersededFiles(now: number): Promise<void> {
    // Listing all hot and warm files costs time, so it is done only eight times while a file is kept.
    if (now - deletedAt < settings.keepSupersededMs / 8) return
    deletedAt = now
    const { warm, cold } = await state.lake()
    // Not the start of the tick, which may be long ago: at that time the watermarks may have been lower.
    const watermarksReadAt = clock.now()
    for (const [prefix, watermark] of [
      [tables.events_hot.prefix, warm],
      [tables.events_warm.prefix, cold],
    ] as const) {
      const epochs = Map.groupBy(await lake.list(`${prefix}/`), ({ key }) =>
        Number(partitionValue(key, 'epoch')),
      )
      for (const [epoch, objects] of epochs) {
        if (epoch >= watermark) continue
        if (!(await isExpired(supersededJobName(prefix, epoch), watermarksReadAt))) continue
        await lake.delete(objects.map(({ key }) => key))
      }
    }
  }

  /**
   * Whether the superseded files of an epoch have been kept long enough. The first call notes when the epoch was found
   * below its watermark; later calls compare with that time. The age of the files does not count, because they may already
   * be old when they are superseded.
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
