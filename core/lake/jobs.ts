import type { Lake, Log } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { EventCount, UsageCounters } from '#core/usage/counters'
import { BUCKETS, tables } from '#schemas/columns'
import type { Compactor, DroppedCopies } from './compactor.ts'
import { partitionValue, supersededJobName } from './keys.ts'
import { firstDedupeEpoch, type LakeStateStore } from './state.ts'

/** Work on the lake for a worker. A job that runs twice, or late, changes nothing. */
export type LakeJob =
  | { kind: 'compact-warm'; epoch: number; part: number; parts: number }
  | { kind: 'compact-cold'; from: number; until: number; bucket: number }

/** The name of the job in the state. A job that is sent again has the same name. */
export function jobName(job: LakeJob): string {
  return job.kind === 'compact-warm'
    ? `compact-warm/${job.epoch}/${job.part}of${job.parts}`
    : `compact-cold/${job.from}-${job.until}/${job.bucket}`
}

/** Bytes of hot files that one job compacts. A larger epoch is split by bucket into several jobs. */
export const PART_BYTES = 64 * 1024 * 1024

/** The jobs that compact a closed epoch. They depend only on its hot files, which no longer change. */
export async function epochCompactionJobs(lake: Lake, epoch: number): Promise<LakeJob[]> {
  const hot = await lake.list(`${tables.events_hot.prefix}/epoch=${epoch}/`)
  const bytes = hot.reduce((sum, object) => sum + object.size, 0)
  const parts = Math.min(BUCKETS, Math.ceil(bytes / PART_BYTES))
  return Array.from({ length: parts }, (_, part) => ({ kind: 'compact-warm', epoch, part, parts }))
}

/** The jobs that compact the warm epochs [from, until) to cold: one for each bucket that has rows. */
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

/** Runs jobs. A job that throws stays unfinished, and the queue or maintenance sends it again. */
export function createLakeWorker({ state, lake, compactor, usage, projects, log }: LakeJobServices) {
  async function run(job: LakeJob): Promise<void> {
    if (await state.jobFinished(jobName(job))) return
    const droppedCopies = await compact(job, await listInputs(job))
    if (job.kind === 'compact-warm') {
      const counts = await toNegativeCounts(droppedCopies)
      await usage.addEvents(`compaction-${job.part}`, String(job.epoch), counts)
    }
    await state.finishJob(jobName(job))
  }

  /**
   * Runs a finished job again, to repair its files. Counters do not change. Returns false and does nothing if the input
   * files of the job have been deleted.
   */
  async function repeatJob(job: LakeJob): Promise<boolean> {
    const inputs = await listInputs(job)
    // Checked after the listing: a concurrent delete may have made the listing incomplete.
    if (await areInputsDeleted(job)) return false
    await compact(job, inputs)
    return true
  }

  /** The files that the job reads: those that it compacts, and those of the dedupe look-back. */
  async function listInputs(job: LakeJob): Promise<JobInputs> {
    if (job.kind === 'compact-cold')
      return { keys: await warmKeys(lake, job.from, job.until, job.bucket), lookback: [] }
    const { epochTimes } = await state.lake()
    const hot = await lake.list(`${tables.events_hot.prefix}/epoch=${job.epoch}/`)
    // Includes superseded warm files while they exist, so a job that is late or repeated has the same look-back.
    const lookback = await warmKeys(lake, firstDedupeEpoch(epochTimes, job.epoch), job.epoch)
    return { keys: hot.map(({ key }) => key), lookback }
  }

  /** Whether maintenance has begun to delete any epoch that the job compacts. */
  async function areInputsDeleted(job: LakeJob): Promise<boolean> {
    const [prefix, from, until] =
      job.kind === 'compact-warm'
        ? [tables.events_hot.prefix, job.epoch, job.epoch + 1]
        : [tables.events_warm.prefix, job.from, job.until]
    for (let epoch = from; epoch < until; epoch++) {
      if (await state.jobFinished(supersededJobName(prefix, epoch))) return true
    }
    return false
  }

  async function compact(job: LakeJob, { keys, lookback }: JobInputs): Promise<DroppedCopies[]> {
    // Only epochs with files get jobs. Without files the job must fail, or their events would seem to be compacted.
    if (keys.length === 0) throw new Error(`Job ${jobName(job)} has no input files any more`)
    const started = performance.now()
    let droppedCopies: DroppedCopies[] = []
    if (job.kind === 'compact-warm')
      droppedCopies = await compactor.compactEpoch({ ...job, hot: keys, lookback })
    else await compactor.compactToCold({ ...job, warm: keys })
    log(job.kind === 'compact-warm' ? 'EPOCH_COMPACTED' : 'COLD_COMPACTED', {
      job: jobName(job),
      ms: Math.round(performance.now() - started),
    })
    return droppedCopies
  }

  /** Copies were counted when they arrived. These counts subtract them again, for the project and its account. */
  async function toNegativeCounts(droppedCopies: readonly DroppedCopies[]): Promise<EventCount[]> {
    const counts: EventCount[] = []
    for (const { project_id, day, events } of droppedCopies) {
      counts.push({ owner: project_id, day, events: -events })
      const project = await projects.byId(project_id)
      if (project !== null) counts.push({ owner: project.account_id, day, events: -events })
    }
    return mergeByOwnerAndDay(counts)
  }

  return { run, repeatJob }
}

export type LakeWorker = ReturnType<typeof createLakeWorker>

/** Keys of the files that a job compacts, and of the warm files of the dedupe look-back. */
type JobInputs = { keys: string[]; lookback: string[] }

/** The keys of the warm files of the epochs [from, until), of one bucket or of all. */
export async function warmKeys(lake: Lake, from: number, until: number, bucket?: number): Promise<string[]> {
  const files = await warmFiles(lake, from, until)
  return files
    .filter(file => bucket === undefined || Number(file.bucket) === bucket)
    .map(({ key }) => key)
    .toSorted()
}

/** The warm files of the epochs [from, until), in ascending order of the epochs. Sizes in bytes. */
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
  const groups = Map.groupBy(counts, ({ owner, day }) => `${owner} ${day}`)
  return [...groups.values()].map(group => ({
    ...(group[0] as EventCount),
    events: group.reduce((sum, { events }) => sum + events, 0),
  }))
}
