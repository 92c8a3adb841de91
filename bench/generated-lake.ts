import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createArrivalOrder } from '#core/ingest/ids'
import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker, type LakeJob } from '#core/lake/jobs'
import { createMaintenance, MAINTENANCE_DEFAULTS } from '#core/lake/maintenance'
import type { Log, StreamEntry } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createStores } from '#core/stores'
import { createCompactor } from '#duckdb/compactor'
import { writeCredentials } from '#local/credentials-file'
import { demoRecord } from '#local/demo/seed'
import { type DemoRequest, demoTraffic } from '#local/demo/traffic'
import { createFolderLake } from '#local/lake/folder'
import { ensureOwner } from '#local/owner'
import { createJobQueue } from '#local/pipeline/job-queue'
import { openState } from '#local/state/state'
import { lakeDir, mergingDir } from '#local/storage'
import { LOCAL_SHARD } from '#local/stream/reader'

export type GeneratedLake = {
  /** Events of the big project. */
  events: number
  /** Hours of traffic that become one epoch and one roll to cold. */
  stepHours: number
  tell(text: string): void
}

/** The second project; the others have a tenth of it each. */
export const SMALL_EVENTS = 10_000
const PROJECTS = 100
const HOUR_MS = 3_600_000
const DAYS = 30
const BATCH = 5_000

/**
 * Makes a data folder as it would be after a month: the traffic goes through the real consumer, compaction and roll, with
 * a clock that runs ahead, until all of it is cold. `folder` is there afterwards, whole, or not at all.
 */
export async function generateLake(
  folder: string,
  { events, stepHours, tell }: GeneratedLake,
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
  const compactor = createCompactor({ lake, tempDir: mergingDir(unfinished), log, memoryMb: 2_048 })
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

  /** Does what is due until nothing more is. */
  async function settle(): Promise<void> {
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
  const sites = [owner.project as Project]
  for (let i = 2; i <= PROJECTS; i += 1) {
    const account = { id: owner.credentials.account_id }
    sites.push((await projects.create({ account, name: i === 2 ? 'small' : `site-${i}` })).project)
  }
  const feeds = sites.map((project, i) => {
    const size = [events, SMALL_EVENTS][i] ?? SMALL_EVENTS / 10
    return { project, traffic: arrivals(demoTraffic({ events: size, end, seed: i + 1 })) }
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
    await settle()
    tell(`${Math.ceil((now - end) / HOUR_MS / 24) + DAYS} of ${DAYS} days, ${sequence} requests`)
  }
  // Until the last epoch is cold, then until the finer copies are gone.
  for (const days of [3, 5, 7]) {
    now = end + days * 24 * HOUR_MS
    await settle()
  }
  await state.close()
  await rename(unfinished, folder)
}

/** The requests of a generator by arrival: `before` gives those that arrive before a time, each once. */
function arrivals(traffic: Generator<DemoRequest>) {
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
