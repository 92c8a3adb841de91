import { createHash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { createAuditLog } from '#core/accounts/audit'
import { demoRecord } from '#core/demo/demo-records'
import { type DemoRequest, demoTraffic } from '#core/demo/traffic'
import { createErasedUsers } from '#core/identity/erased-users'
import { createIdentityStore } from '#core/identity/identity-store'
import { createArrivalOrder } from '#core/ingest/ids'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createTombstoneMending } from '#core/lake/erase/mend-tombstones'
import { createOldRecords } from '#core/lake/erase/old-records'
import type { Log, StreamEntry } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createLakeStores, createStores } from '#core/stores'
import { createCompactor } from '#duckdb/compactor'
import { writeCredentials } from '#local/credentials-file'
import { compactionTempDir, lakeDir, statePath } from '#local/data-folder'
import { createFolderLake } from '#local/lake/folder'
import { ensureOwner } from '#local/owner'
import { createJobQueue } from '#local/pipeline/job-queue'
import { openState } from '#local/state/state'
import { LOCAL_SHARD } from '#local/stream/reader'
import { systemClock } from '#providers/system-clock'

export type GeneratedLakeOptions = {
  /** Number of events of the large project. */
  events: number
  /**
   * Number of events of the project `ids`, which sends every event with an event_id; 0: there is no such
   * project.
   */
  eventsWithIds: number
  /** Projects in all. */
  projects: number
  reportProgress(text: string): void
}

/** Number of events of the project `small`. Each further project has a tenth of it. */
export const SMALL_EVENTS = 10_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAYS = 30
const BATCH = 5_000

/**
 * The ends of the epochs, in ms before the end of the traffic: one a day, then one an hour for two days, so
 * that the newest segments are as small as in production. The last ten minutes stay in hot files.
 */
const EPOCH_ENDS = [
  ...Array.from({ length: DAYS - 2 }, (_, i) => (DAYS - 1 - i) * 24 * HOUR_MS),
  ...Array.from({ length: 47 }, (_, i) => (47 - i) * HOUR_MS),
  10 * MINUTE_MS,
  0,
]

/**
 * Generates a data folder with a month of traffic, in the state that production has. The traffic goes through
 * the real consumer and compactor, with a clock that runs ahead. `folder` is complete afterwards, or it does
 * not exist.
 */
export async function generateLake(
  folder: string,
  { events, eventsWithIds, projects: projectCount, reportProgress }: GeneratedLakeOptions,
): Promise<void> {
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const end = Date.now()
  let now = end - DAYS * 24 * HOUR_MS
  const clock = { ...systemClock, now: () => now }
  const log: Log = (code, fields) => {
    if (code.endsWith('FAILED') || code.includes('DAMAGED'))
      throw new Error(`${code} ${JSON.stringify(fields)}`)
  }
  const state = await openState(statePath(unfinished))
  const lake = createFolderLake(lakeDir(unfinished))
  const { usage, accounts, projects } = createStores(state, clock)
  const { lakeState, receipts } = createLakeStores({ client: state.client, table: state.table, lake }, clock)
  const stream = { read: async () => [] }
  const identity = createIdentityStore({ client: state.client, table: state.table, lake, projects, clock })
  const consumer = createLakeConsumer({
    ...{ state: lakeState, stream, lake, usage, projects, identity, clock, log },
  })
  const compactor = createCompactor({ lake, tempDir: compactionTempDir(unfinished), log, memoryMb: 2_048 })
  const tombstones = createTombstoneMending({ lake, ...createErasedUsers(state), clock, log })
  const worker = createLakeWorker({
    ...{ state: lakeState, lake, compactor, usage, projects, tombstones, clock, log },
  })
  const jobs = createJobQueue<LakeJob>({ run: worker.run, log })
  const maintenance = createMaintenance(
    {
      ...{ state: lakeState, lake, jobs, usage, ...receipts, clock, log },
      oldRecords: createOldRecords({
        ...{ state: lakeState, lake },
        oldestUnread: async () => Number.POSITIVE_INFINITY,
      }),
    },
    {
      ...MAINTENANCE_DEFAULTS,
      epochMs: 0,
      epochFiles: Number.POSITIVE_INFINITY,
      epochBytes: Number.POSITIVE_INFINITY,
    },
  )

  async function createProject(name: string): Promise<Project> {
    return (await projects.create({ account, name })).project
  }

  function toFeed(project: Project, size: number, seed: number): Feed {
    return {
      project,
      traffic: createTrafficReader(demoTraffic({ events: size, end, seed })),
      hasEventIds: false,
    }
  }

  /** Runs maintenance and its jobs until nothing changes any more. */
  async function runMaintenance(): Promise<void> {
    for (let before = ''; ; ) {
      await maintenance.tick()
      await jobs.idle()
      const after = (await lakeState.manifests()).map(({ version }) => version).join()
      if (after === before) return
      before = after
    }
  }

  const ownState = { client: state.client, table: state.table }
  const audit = createAuditLog({ ...ownState, clock, log })
  const owner = await ensureOwner({ ...ownState, accounts, projects, audit }, null, '')
  writeCredentials(unfinished, owner.credentials)
  const account = { id: owner.credentials.account_id }
  const feeds = [toFeed(owner.project as Project, events, 1)]
  if (eventsWithIds > 0)
    feeds.push({ ...toFeed(await createProject('ids'), eventsWithIds, 2), hasEventIds: true })
  feeds.push(toFeed(await createProject('small'), SMALL_EVENTS, 3))
  while (feeds.length < projectCount) {
    const number = feeds.length + 1
    feeds.push(toFeed(await createProject(`site-${number}`), SMALL_EVENTS / 10, number))
  }
  const ids = createArrivalOrder()
  let sequence = 0
  for (const beforeEnd of EPOCH_ENDS) {
    now = end - beforeEnd
    let batch: StreamEntry[] = []
    for (const { project, traffic, hasEventIds } of feeds) {
      for (const request of traffic.before(beforeEnd === 0 ? Number.POSITIVE_INFINITY : now)) {
        sequence += 1
        if (hasEventIds) {
          for (const [i, event] of request.events.entries()) event.event_id = eventId(sequence, i)
        }
        batch.push({ sequence: String(sequence), data: demoRecord(request, project, ids) })
        if (batch.length < BATCH) continue
        await consumer.consumeBatch(LOCAL_SHARD, batch)
        batch = []
      }
    }
    await consumer.consumeBatch(LOCAL_SHARD, batch)
    // The last epoch stays open.
    if (beforeEnd > 0) await runMaintenance()
    reportProgress(`${(DAYS - beforeEnd / HOUR_MS / 24).toFixed(1)} of ${DAYS} days, ${sequence} requests`)
  }
  await state.close()
  await rename(unfinished, folder)
}

type Feed = { project: Project; traffic: ReturnType<typeof createTrafficReader>; hasEventIds: boolean }

/** A random id does not compress, like those of real senders. */
function eventId(sequence: number, index: number): string {
  return createHash('md5').update(`${sequence} ${index}`).digest('base64url')
}

/**
 * Reads the requests of a generator in steps. `before` yields the next requests that arrive before a time.
 */
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
