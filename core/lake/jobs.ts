import type { Lake, Log } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { EventCount, UsageCounters } from '#core/usage/counters'
import { BUCKETS, tables } from '#schemas/columns'
import type { Compactor, DroppedCopies } from './compactor.ts'
import { partitionValue, supersededJobName } from './keys.ts'
import { firstDedupeEpoch, type LakeStateStore } from './state.ts'

/** Work on the lake that a worker does; doing it twice, or late, changes nothing. */
export type LakeJob =
  | { kind: 'compact-warm'; epoch: number; part: number; parts: number }
  | { kind: 'compact-cold'; from: number; until: number; bucket: number }

/** The job's name in the state: the same job has the same name in every run. */
export function jobName(job: LakeJob): string {
  return job.kind === 'compact-warm'
    ? `compact-warm/${job.epoch}/${job.part}of${job.parts}`
    : `compact-cold/${job.from}-${job.until}/${job.bucket}`
}

/** Hot bytes that one worker compacts at once; more are split by bucket over several. */
export const PART_BYTES = 64 * 1024 * 1024

/** The jobs that compact a closed epoch: a function of its hot files, which no longer change. */
export async function epochCompactionJobs(lake: Lake, epoch: number): Promise<LakeJob[]> {
  const hot = await lake.list(`${tables.events_hot.prefix}/epoch=${epoch}/`)
  const bytes = hot.reduce((sum, object) => sum + object.size, 0)
  const parts = Math.min(BUCKETS, Math.ceil(bytes / PART_BYTES))
  return Array.from({ length: parts }, (_, part) => ({ kind: 'compact-warm', epoch, part, parts }))
}

/** The jobs that roll the warm epochs [from, until): one a bucket that has rows. */
export async function coldCompactionJobs(lake: Lake, from: number, until: number): Promise<LakeJob[]> {
  const buckets = new Set(
    (await warmKeys(lake, from, until)).map(key => Number(partitionValue(key, 'bucket'))),
  )
  return [...buckets].toSorted((a, b) => a - b).map(bucket => ({ kind: 'compact-cold', from, until, bucket }))
}

export type LakeJobServices = {
  state: LakeStateStore
  lake: Lake
  compactor: Compactor
  usage: Pick<UsageCounters, 'addEvents'>
  projects: Pick<ProjectDirectory, 'byId'>
  log: Log
}

/** What a worker does with a job. An error leaves the job unfinished: the queue, or maintenance, brings it again. */
export function createLakeWorker({ state, lake, compactor, usage, projects, log }: LakeJobServices) {
  async function run(job: LakeJob): Promise<void> {
    if (await state.jobFinished(jobName(job))) return
    const dropped = await merge(job, await inputsOf(job))
    if (job.kind === 'compact-warm') {
      await usage.addEvents(`compaction-${job.part}`, String(job.epoch), await toNegativeCounts(dropped))
    }
    await state.finishJob(jobName(job))
  }

  /**
   * Makes the files of a job anew that was done before, for repair. `false`, and nothing is changed, when what they were
   * made of is gone; counters are right already.
   */
  async function repeatJob(job: LakeJob): Promise<boolean> {
    const needed = await inputsOf(job)
    // After the listing: one that was made while epochs are being deleted may be of a part of them.
    if (await isExpired(job)) return false
    await merge(job, needed)
    return true
  }

  /** The keys that the job is made of, and those that it is compared with. */
  async function inputsOf(job: LakeJob): Promise<{ keys: string[]; lookback: string[] }> {
    if (job.kind === 'compact-cold')
      return { keys: await warmKeys(lake, job.from, job.until, job.bucket), lookback: [] }
    const { epochTimes } = await state.lake()
    const hot = await lake.list(`${tables.events_hot.prefix}/epoch=${job.epoch}/`)
    // Also what is cold by now, as long as it is kept: a compaction that is late, or done again, has the same neighbours.
    const lookback = await warmKeys(lake, firstDedupeEpoch(epochTimes, job.epoch), job.epoch)
    return { keys: hot.map(({ key }) => key), lookback }
  }

  /** Whether any of the epochs that the job is made of has been deleted, or has begun to be. */
  async function isExpired(job: LakeJob): Promise<boolean> {
    const [prefix, from, until] =
      job.kind === 'compact-warm'
        ? [tables.events_hot.prefix, job.epoch, job.epoch + 1]
        : [tables.events_warm.prefix, job.from, job.until]
    for (let epoch = from; epoch < until; epoch++) {
      if (await state.jobFinished(supersededJobName(prefix, epoch))) return true
    }
    return false
  }

  /** Returns what a compaction dropped. */
  async function merge(
    job: LakeJob,
    { keys, lookback }: { keys: string[]; lookback: string[] },
  ): Promise<DroppedCopies[]> {
    // Jobs are made only of what has files: to find none must never pass for a job without rows.
    if (keys.length === 0) throw new Error(`${jobName(job)}: what it is made of is gone`)
    const started = performance.now()
    let dropped: DroppedCopies[] = []
    if (job.kind === 'compact-warm') dropped = await compactor.compactEpoch({ ...job, hot: keys, lookback })
    else await compactor.compactToCold({ ...job, warm: keys })
    log(job.kind === 'compact-warm' ? 'EPOCH_COMPACTED' : 'COLD_COMPACTED', {
      job: jobName(job),
      ms: Math.round(performance.now() - started),
    })
    return dropped
  }

  /** Duplicates were counted when they came; what is stored once counts once, for the project and its account. */
  async function toNegativeCounts(dropped: readonly DroppedCopies[]): Promise<EventCount[]> {
    const counts: EventCount[] = []
    for (const { project_id, day, events } of dropped) {
      counts.push({ owner: project_id, day, events: -events })
      const project = await projects.byId(project_id)
      if (project !== null) counts.push({ owner: project.account_id, day, events: -events })
    }
    return mergeByOwnerAndDay(counts)
  }

  return { run, repeatJob }
}

export type LakeWorker = ReturnType<typeof createLakeWorker>

/** The warm files of the epochs [from, until), of one bucket or of all. */
export async function warmKeys(lake: Lake, from: number, until: number, bucket?: number): Promise<string[]> {
  const files = await warmFiles(lake, from, until)
  return files
    .filter(file => bucket === undefined || Number(file.bucket) === bucket)
    .map(({ key }) => key)
    .toSorted()
}

/** The warm files of the epochs [from, until), by epoch. Sizes in bytes. */
export async function warmFiles(lake: Lake, from: number, until: number) {
  const objects = await lake.list(`${tables.events_warm.prefix}/`)
  return objects
    .map(({ key, size }) => ({
      key,
      size,
      epoch: Number(partitionValue(key, 'epoch')),
      bucket: String(partitionValue(key, 'bucket')),
    }))
    .filter(({ epoch }) => epoch >= from && epoch < until)
    .toSorted((a, b) => a.epoch - b.epoch)
}

function mergeByOwnerAndDay(counts: readonly EventCount[]): EventCount[] {
  const merged = Map.groupBy(counts, ({ owner, day }) => `${owner} ${day}`)
  return [...merged.values()].map(same => ({
    ...(same[0] as EventCount),
    events: same.reduce((sum, { events }) => sum + events, 0),
  }))
}
