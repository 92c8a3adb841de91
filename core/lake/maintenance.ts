import type { Clock, JobQueue, Lake, LakeObject, Log } from '#core/ports'
import { DAY_MS, utcDate } from '#core/time'
import { tables } from '#schemas/columns'
import { EVENT_LIMITS } from '#schemas/event'
import { coldCompactionJobs, epochCompactionJobs, jobName, type LakeJob, warmFiles } from './jobs.ts'
import { coldEpochRange, partitionValue, supersededJobName } from './keys.ts'
import { DEDUPE_LOOKBACK_MS, epochOpenedBefore, type LakeState, type LakeStateStore } from './state.ts'

export type MaintenanceSettings = {
  /** An epoch with files ends at this age, ms. */
  epochMs: number
  /** … or with this many files, whichever is first. */
  epochFiles: number
  /** … or with this many bytes of hot files: what a compaction works on at once. */
  epochBytes: number
  /**
   * Epochs go cold this long before those that are hot, ms: a read looks for the first copy of an event_id in hot and
   * warm only.
   */
  coldAfterMs: number
  /** A roll takes at least this much time of epochs, ms: every roll adds a file to each date and bucket it touches. */
  coldSpanMs: number
  /** … and at most this much of one bucket, bytes of warm files: one worker rolls it, within its time. */
  coldBytes: number
  /** A job that was sent this long ago and is not finished is sent again, ms; a queue brings it again before. */
  resendMs: number
  /** Jobs that were sent before are not in the queue any more, Unix ms: one in memory ends with its process. */
  queueSince: number
  /** The finer copy is deleted this long after the watermark has passed it, ms: reads under way may be of before. */
  keepSupersededMs: number
}

export const MAINTENANCE_DEFAULTS: MaintenanceSettings = {
  epochMs: 10 * 60_000,
  epochFiles: 600,
  epochBytes: 16 * 1024 * 1024,
  coldAfterMs: DEDUPE_LOOKBACK_MS,
  coldSpanMs: DAY_MS,
  // 1.2 million events: what 256 MB of memory sort without going by slices (duckdb/sorted-events.ts).
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

/** What comes into an epoch may have waited in the stream so long, ms. */
const MAX_STREAM_WAIT_MS = 30 * DAY_MS

/** How long one tick may take before another process may take over, ms. */
const LEASE_MS = 60_000

/**
 * Keeps the lake in shape: ends epochs, has them compacted in order, rolls old ones to cold, deletes finer copies.
 * `tick` does what is due now and returns; a job it sends is looked for at a later tick. Ticks of several processes
 * are safe: a lease keeps them apart, and its fencing token refuses what a stale holder still tries.
 */
export function createMaintenance(
  services: MaintenanceServices,
  settings: MaintenanceSettings = MAINTENANCE_DEFAULTS,
) {
  const { state, lake, jobs, clock, log } = services
  let sweptAt = Number.NEGATIVE_INFINITY

  async function tick(): Promise<void> {
    const now = clock.now()
    const fence = await state.lease(now, now + LEASE_MS)
    if (fence === null) return
    try {
      await endEpoch(fence, now)
      while (await compactOldestEpoch(fence, now));
      await compactToCold(fence, now)
      await deleteSupersededFiles(now)
    } finally {
      await state.release(fence)
    }
  }

  async function endEpoch(fence: number, now: number): Promise<void> {
    const { epoch, epochOpenedAt } = await state.lake()
    const files = await lake.list(`${tables.events_hot.prefix}/epoch=${epoch}/`)
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const isFull = files.length >= settings.epochFiles || bytes >= settings.epochBytes
    const due = isFull || (files.length > 0 && now - epochOpenedAt >= settings.epochMs)
    if (due && (await state.openEpoch(fence, epoch, now))) log('EPOCH_CLOSED', { epoch, files: files.length })
  }

  /**
   * Has the oldest closed epoch compacted; whether it is, so that the next one's turn has come. One after the other, as
   * each looks for first copies of its event_ids in the warm files of those before it.
   */
  async function compactOldestEpoch(fence: number, now: number): Promise<boolean> {
    const { epoch: newest, warm: epoch } = await state.lake()
    if (epoch === newest || !(await isClosed(epoch))) return false
    return (
      (await areFinished(await epochCompactionJobs(lake, epoch), now)) &&
      (await state.advanceWarm(fence, epoch))
    )
  }

  /** Whether nothing can be written into the epoch any more: every shard is past it and holds no claim in it. */
  async function isClosed(epoch: number): Promise<boolean> {
    const found = await state.shards()
    // Read after the listing: a shard that was made after an epoch was found closed must not be put into that epoch by
    // one that has slept since before.
    const { epoch: newest } = await state.lake()
    // Raised at every tick: a shard that was added since may have joined an older epoch.
    for (const { shard, epoch: joined } of found) {
      if (joined === null || joined < newest) await state.joinEpoch(shard, newest)
    }
    const shards = await state.shards()
    return shards.every(({ claim }) => claim === null || claim.epoch > epoch)
  }

  async function compactToCold(fence: number, now: number): Promise<void> {
    const found = await state.lake()
    const until = found.coldUntil ?? (await planColdCompaction(fence, found, now))
    if (until === null) return
    if (await areFinished(await coldCompactionJobs(lake, found.cold, until), now))
      await state.advanceCold(fence, found.cold, until)
  }

  /** Fixes which epochs go cold next; null when none are old enough. */
  async function planColdCompaction(fence: number, found: LakeState, now: number): Promise<number | null> {
    const oldest = found.epochTimes.find(({ epoch }) => epoch > found.cold)
    // While compaction stands still, what it has not done stays hot, and keeps its neighbours.
    const hotSince = found.warm === found.epoch ? now : epochOpenedBefore(found.epochTimes, found.warm)
    const coldBefore = hotSince - settings.coldAfterMs
    const mark = found.epochTimes.findLast(({ at }) => at <= coldBefore)
    if (!mark || !oldest || coldBefore - oldest.at < settings.coldSpanMs) return null
    const until = Math.min(mark.epoch, found.warm)
    if (until <= found.cold) return null
    const planned = await endBeforeForgotten(found, await withinBytes(found.cold, until), now)
    // The epochs that a forgotten roll took are perhaps not warm again yet.
    if (planned > found.warm) return null
    return (await state.planCold(fence, found.cold, planned)) ? planned : null
  }

  /** Where a roll from `from` must end, `until` at most, so that no bucket has more than `coldBytes` in it. */
  async function withinBytes(from: number, until: number): Promise<number> {
    const sums = new Map<string, number>()
    for (const { epoch, bucket, size } of await warmFiles(lake, from, until)) {
      const sum = (sums.get(bucket) ?? 0) + size
      if (sum > settings.coldBytes && epoch > from) return epoch
      sums.set(bucket, sum)
    }
    return until
  }

  /**
   * Where the next roll must end, `until` if nothing speaks against it: rolls that the state has forgotten (a power
   * cut) left files of their ranges. One that starts there is done again, one that starts later is not overlapped.
   */
  async function endBeforeForgotten(
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

  /** The cold files that may have events which arrived in [since, now], Unix ms: a whole listing grows for years. */
  async function coldFilesSince(since: number, now: number): Promise<LakeObject[]> {
    if (since === 0) return lake.list(`${tables.events_cold.prefix}/`)
    const first = since - EVENT_LIMITS.pastMs - MAX_STREAM_WAIT_MS
    // One day more for timestamps ahead.
    const days = Math.ceil((now - first) / DAY_MS) + 1
    const dates = Array.from({ length: days }, (_, day) => utcDate(first + day * DAY_MS))
    const ofDate = (date: string) => lake.list(`${tables.events_cold.prefix}/date=${date}/`)
    return (await Promise.all(dates.map(ofDate))).flat()
  }

  /** Whether all the jobs are finished; those that are not are sent, unless they were a short while ago. */
  async function areFinished(wanted: readonly LakeJob[], now: number): Promise<boolean> {
    let finished = true
    for (const job of wanted) {
      if (await state.jobFinished(jobName(job))) continue
      finished = false
      const lostBefore = Math.max(now - settings.resendMs, settings.queueSince)
      if (await state.beginJob(jobName(job), now, lostBefore)) await send(job, now)
    }
    return finished
  }

  async function send(job: LakeJob, now: number): Promise<void> {
    try {
      await jobs.send(job)
    } catch (error) {
      // As if it had been sent long ago, so that the next tick sends it.
      await state.beginJob(jobName(job), 0, now + 1)
      throw error
    }
  }

  async function deleteSupersededFiles(now: number): Promise<void> {
    // The listing is of everything: an eighth of the time that files are kept is often enough.
    if (now - sweptAt < settings.keepSupersededMs / 8) return
    sweptAt = now
    const { warm, cold } = await state.lake()
    // The time by now: it is noted as one at which the watermarks were here, and the tick may have begun long before.
    const seenAt = clock.now()
    for (const [prefix, below] of [
      [tables.events_hot.prefix, warm],
      [tables.events_warm.prefix, cold],
    ] as const) {
      const epochs = Map.groupBy(await lake.list(`${prefix}/`), ({ key }) =>
        Number(partitionValue(key, 'epoch')),
      )
      for (const [epoch, objects] of epochs) {
        if (epoch >= below || !(await isExpired(supersededJobName(prefix, epoch), seenAt))) continue
        await lake.delete(objects.map(({ key }) => key))
      }
    }
  }

  /**
   * Whether the finer copy of an epoch that is below its watermark may go: the first call notes the time, a later one
   * compares. Not by the age of its files, which are old already when the watermark passes them.
   */
  async function isExpired(name: string, now: number): Promise<boolean> {
    if (await state.jobFinished(name)) return true
    const isFirst = await state.beginJob(name, now, 0)
    if (isFirst || !(await state.beginJob(name, now, now - settings.keepSupersededMs))) return false
    // Noted before anything is deleted: what is partly deleted must not serve to repair the coarser copy.
    await state.finishJob(name)
    return true
  }

  return { tick }
}

export type Maintenance = ReturnType<typeof createMaintenance>
