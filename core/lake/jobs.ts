import type { Lake, Log } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { CountedEvents, UsageCounters } from '#core/usage/counters'
import { BUCKETS, tables } from '#schemas/columns'
import { expiryName, partitionOf } from './keys.ts'
import type { Dropped, Merger } from './merger.ts'
import { firstNeighbour, type LakeStateStore } from './state.ts'

/** Work on the lake that a worker does; doing it twice, or late, changes nothing. */
export type LakeJob =
  | { kind: 'compact'; epoch: number; part: number; parts: number }
  | { kind: 'roll'; from: number; until: number; bucket: number }

/** The job's name in the state: the same job has the same name in every run. */
export function jobName(job: LakeJob): string {
  return job.kind === 'compact'
    ? `compact/${job.epoch}/${job.part}of${job.parts}`
    : `roll/${job.from}-${job.until}/${job.bucket}`
}

/** Hot bytes that one worker compacts at once; more are split by bucket over several. */
export const PART_BYTES = 64 * 1024 * 1024

/** The jobs that compact a closed epoch: a function of its hot files, which no longer change. */
export async function compactJobs(lake: Lake, epoch: number): Promise<LakeJob[]> {
  const hot = await lake.list(`${tables.events_hot.prefix}/epoch=${epoch}/`)
  const bytes = hot.reduce((sum, object) => sum + object.size, 0)
  const parts = Math.min(BUCKETS, Math.ceil(bytes / PART_BYTES))
  return Array.from({ length: parts }, (_, part) => ({ kind: 'compact', epoch, part, parts }))
}

/** The jobs that roll the warm epochs [from, until): one a bucket that has rows. */
export async function rollJobs(lake: Lake, from: number, until: number): Promise<LakeJob[]> {
  const buckets = new Set((await warmKeys(lake, from, until)).map(key => Number(partitionOf(key, 'bucket'))))
  return [...buckets].toSorted((a, b) => a - b).map(bucket => ({ kind: 'roll', from, until, bucket }))
}

export type LakeJobServices = {
  state: LakeStateStore
  lake: Lake
  merger: Merger
  usage: Pick<UsageCounters, 'addEvents'>
  projects: Pick<ProjectDirectory, 'byId'>
  log: Log
}

/** What a worker does with a job. An error leaves the job unfinished: the queue, or maintenance, brings it again. */
export function createLakeWorker({ state, lake, merger, usage, projects, log }: LakeJobServices) {
  async function run(job: LakeJob): Promise<void> {
    if (await state.jobFinished(jobName(job))) return
    const dropped = await merge(job, await neededFor(job))
    if (job.kind === 'compact') {
      await usage.addEvents(`compaction-${job.part}`, String(job.epoch), await negated(dropped))
    }
    await state.finishJob(jobName(job))
  }

  /**
   * Makes the files of a job anew that was done before, for repair. `false`, and nothing is changed, when what they were
   * made of is gone; counters are right already.
   */
  async function again(job: LakeJob): Promise<boolean> {
    const needed = await neededFor(job)
    // After the listing: one that was made while epochs are being deleted may be of a part of them.
    if (await isExpired(job)) return false
    await merge(job, needed)
    return true
  }

  /** The keys that the job is made of, and those that it is compared with. */
  async function neededFor(job: LakeJob): Promise<{ keys: string[]; recent: string[] }> {
    if (job.kind === 'roll')
      return { keys: await warmKeys(lake, job.from, job.until, job.bucket), recent: [] }
    const { marks } = await state.lake()
    const hot = await lake.list(`${tables.events_hot.prefix}/epoch=${job.epoch}/`)
    // Also what is cold by now, as long as it is kept: a compaction that is late, or done again, has the same neighbours.
    const recent = await warmKeys(lake, firstNeighbour(marks, job.epoch), job.epoch)
    return { keys: hot.map(({ key }) => key), recent }
  }

  /** Whether any of the epochs that the job is made of has been deleted, or has begun to be. */
  async function isExpired(job: LakeJob): Promise<boolean> {
    const [prefix, from, until] =
      job.kind === 'compact'
        ? [tables.events_hot.prefix, job.epoch, job.epoch + 1]
        : [tables.events_warm.prefix, job.from, job.until]
    for (let epoch = from; epoch < until; epoch++) {
      if (await state.jobFinished(expiryName(prefix, epoch))) return true
    }
    return false
  }

  /** Returns what a compaction dropped. */
  async function merge(
    job: LakeJob,
    { keys, recent }: { keys: string[]; recent: string[] },
  ): Promise<Dropped[]> {
    // Jobs are made only of what has files: to find none must never pass for a job without rows.
    if (keys.length === 0) throw new Error(`${jobName(job)}: what it is made of is gone`)
    const started = performance.now()
    let dropped: Dropped[] = []
    if (job.kind === 'compact') dropped = await merger.compact({ ...job, hot: keys, recent })
    else await merger.roll({ ...job, warm: keys })
    log(job.kind === 'compact' ? 'EPOCH_COMPACTED' : 'EPOCHS_ROLLED', {
      job: jobName(job),
      ms: Math.round(performance.now() - started),
    })
    return dropped
  }

  /** Duplicates were counted when they came; what is stored once counts once, for the project and its account. */
  async function negated(dropped: readonly Dropped[]): Promise<CountedEvents[]> {
    const counts: CountedEvents[] = []
    for (const { project_id, day, events } of dropped) {
      counts.push({ owner: project_id, day, events: -events })
      const project = await projects.byId(project_id)
      if (project !== null) counts.push({ owner: project.account_id, day, events: -events })
    }
    return mergeByOwnerAndDay(counts)
  }

  return { run, again }
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
      epoch: Number(partitionOf(key, 'epoch')),
      bucket: String(partitionOf(key, 'bucket')),
    }))
    .filter(({ epoch }) => epoch >= from && epoch < until)
    .toSorted((a, b) => a.epoch - b.epoch)
}

function mergeByOwnerAndDay(counts: readonly CountedEvents[]): CountedEvents[] {
  const merged = Map.groupBy(counts, ({ owner, day }) => `${owner} ${day}`)
  return [...merged.values()].map(same => ({
    ...(same[0] as CountedEvents),
    events: same.reduce((sum, { events }) => sum + events, 0),
  }))
}
