import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { demoRecord } from '#core/demo/demo-records'
import { type DemoRequest, demoTraffic } from '#core/demo/traffic'
import { createArrivalOrder } from '#core/ingest/ids'
import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker, type LakeJob } from '#core/lake/jobs'
import { createMaintenance, MAINTENANCE_DEFAULTS } from '#core/lake/maintenance'
import type { Log, StreamEntry } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createStores } from '#core/stores'
import { createCompactor } from '#duckdb/compactor'
import { writeCredentials } from '#local/credentials-file'
import { createFolderLake } from '#local/lake/folder'
import { ensureOwner } from '#local/owner'
import { createJobQueue } from '#local/pipeline/job-queue'
import { openState } from '#local/state/state'
import { compactionTempDir, lakeDir } from '#local/storage'
import { LOCAL_SHARD } from '#local/stream/reader'

export type GeneratedLakeOptions = {
  /** Number of events of the large project. */
  events: number
  /** Hours of traffic that form one epoch. Each epoch is compacted to warm and to cold. */
  stepHours: number
  reportProgress(text: string): void
}

/** Number of events of the second project. Each further project has a tenth of it. */
export const SMALL_EVENTS = 10_000
const PROJECTS = 100
const HOUR_MS = 3_600_000
const DAYS = 30
const BATCH = 5_000

/**
 * Generates a data folder with a month of traffic. The traffic goes through the real consumer and compactor, with a
 * clock that runs ahead, until all of it is cold. `folder` is complete afterwards, or it does not exist.
 */
export async function generateLake(
  folder: string,
  { events, stepHours, reportProgress }: GeneratedLakeOptions,
): Promise<void> {
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const end = Date.now()
  let now = end - DAYS * 24 * HOUR_MS
  const clock = { now: () => now }
  const log: Log = (code, fields) => {
    if (code.endsWith('FAILED') || code.includes('DAMAGED'))
      throw new Error(`${code} ${JSON.stringify(fields)}`)
  }
  const state = await openState(join(unfinished, 'state'))
  const { lakeState, usage, accounts, projects } = createStores(state, clock)
  const lake = createFolderLake(lakeDir(unfinished))
  const stream = { read: async () => [] }
  const consumer = createLakeConsumer({ state: lakeState, stream, lake, usage, projects, clock, log })
  const compactor = createCompactor({ lake, tempDir: compactionTempDir(unfinished), log, memoryMb: 2_048 })
  const worker = createLakeWorker({ state: lakeState, lake, compactor, usage, projects, log })
  const jobs = createJobQueue<LakeJob>({ run: worker.run, log })
  const maintenance = createMaintenance(
    { state: lakeState, lake, jobs, clock, log },
    {
      ...MAINTENANCE_DEFAULTS,
      epochMs: 0,
      epochFiles: Number.POSITIVE_INFINITY,
      epochBytes: Number.POSITIVE_INFINITY,
    },
  )

  /** Runs maintenance and its jobs until nothing changes any more. */
  async function runMaintenance(): Promise<void> {
    for (let before = ''; ; ) {
      await maintenance.tick()
      await jobs.idle()
      const { epoch, warm, cold } = await lakeState.lake()
      const after = `${epoch} ${warm} ${cold}`
      if (after === before) return
      before = after
    }
  }

  const owner = await ensureOwner({ client: state.client, table: state.table, accounts, projects }, null, '')
  writeCredentials(unfinished, owner.credentials)
  const allProjects = [owner.project as Project]
  for (let i = 2; i <= PROJECTS; i += 1) {
    const account = { id: owner.credentials.account_id }
    allProjects.push((await projects.create({ account, name: i === 2 ? 'small' : `site-${i}` })).project)
  }
  const feeds = allProjects.map((project, i) => {
    const size = [events, SMALL_EVENTS][i] ?? SMALL_EVENTS / 10
    return { project, traffic: createTrafficReader(demoTraffic({ events: size, end, seed: i + 1 })) }
  })
  const ids = createArrivalOrder()
  let sequence = 0
  for (let step = now + stepHours * HOUR_MS; now < end; step += stepHours * HOUR_MS) {
    now = Math.min(step, end)
    let batch: StreamEntry[] = []
    for (const { project, traffic } of feeds) {
      for (const request of traffic.before(now === end ? Number.POSITIVE_INFINITY : now)) {
        sequence += 1
        batch.push({ sequence: String(sequence), data: demoRecord(request, project, ids) })
        if (batch.length < BATCH) continue
        await consumer.consumeBatch(LOCAL_SHARD, batch)
        batch = []
      }
    }
    await consumer.consumeBatch(LOCAL_SHARD, batch)
    await runMaintenance()
    reportProgress(`${Math.ceil((now - end) / HOUR_MS / 24) + DAYS} of ${DAYS} days, ${sequence} requests`)
  }
  // The last epoch becomes cold, and then the superseded files are deleted.
  for (const days of [3, 5, 7]) {
    now = end + days * 24 * HOUR_MS
    await runMaintenance()
  }
  await state.close()
  await rename(unfinished, folder)
}

/** Reads the requests of a generator in steps. `before` yields the next requests that arrive before a time. */
function createTrafficReader(traffic: Generator<DemoRequest>) {
  let next = traffic.next()
  return {
    *before(time: number): Generator<DemoRequest> {
      while (!next.done && next.value.received_at < time) {
        yield next.value
        next = traffic.next()
      }
    },
  }
}
