import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccessStores } from '#core/access-stores'
import { openErasures } from '#core/erasure/open-erasures'
import { createIdentityStore } from '#core/identity/identity-store'
import { createUserResolver } from '#core/identity/user-resolver'
import { createEmailHasher } from '#core/ingest/email-hash'
import { packRecord } from '#core/ingest/record'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { finishOrphanedClaims } from '#core/lake/consume/orphaned-claims'
import { openLake } from '#core/lake/read/snapshot'
import { createLiveBuffer, LATE_MS } from '#core/live/buffer'
import { profiles } from '#core/plans/profile'
import { openReplays } from '#core/replays/open-replays'
import { keepInTable } from '#core/reports/run/kept-answers'
import { createLakeStores, createStores } from '#core/stores'
import { READ_UNIT, unitsOf } from '#cost/lake'
import { system } from '#cost/system'
import { reportsHandler } from '#lambdas/reports/handler'
import { schedulerHandler } from '#lambdas/scheduler/handler'
import { BUCKETS } from '#schemas/columns'
import { routes } from '#schemas/routes'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  encodeSimulated,
} from '#test/simulation/simulated-ports'
import { eventsRecord } from '#test/support/events-record'
import { createFakeClock } from '#test/support/fake-clock'
import { liveRecord, writeLive } from '#test/support/live-records'
import { noMending, noReceipts } from '#test/support/no-receipts'
import { openMeteredState, type Units } from './metered-state.ts'

/**
 * Checks the numbers of cost/system.ts for DynamoDB: it counts the requests of the real code to a real table.
 */

const MINUTE = 60_000
const clock = createFakeClock(Date.UTC(2026, 10, 1), { movesItself: true })
const log = () => {}
const state = await openMeteredState()
const lake = createSimulatedLake()
const stores = { ...createStores(state, clock), ...createLakeStores({ ...state, lake }, clock) }
const { lakeState, usage, accounts, projects } = stores
const jobs = createSimulatedQueue()
const consumer = createLakeConsumer({
  ...{ state: lakeState, lake, usage, projects, clock, log, encode: encodeSimulated },
  stream: { read: async () => [] },
})
const worker = createLakeWorker({
  ...{ state: lakeState, lake, usage, projects, clock, log },
  ...{ compactor: createSimulatedCompactor(lake), tombstones: noMending },
})
const maintenance = createMaintenance({
  ...{ state: lakeState, lake, jobs, usage, clock, log },
  ...noReceipts,
})
const tick = schedulerHandler({ maintenance, state: lakeState, clock, gauge: () => {}, log })
let sequence = 0

/**
 * The model may be dearer than the code, so that a cheaper code needs no change here. It must never be
 * cheaper.
 */
function expectAtMost(units: Units, model: Units): void {
  expect(units.reads).toBeLessThanOrEqual(model.reads)
  expect(units.writes).toBeLessThanOrEqual(model.writes)
}

/**
 * The least of three calls, each `afterMs` later: a busy machine answers late, and then the client sends a
 * request again.
 */
async function measureLeast(call: () => Promise<unknown>, afterMs: number): Promise<Units> {
  const measured: Units[] = []
  for (let i = 0; i < 3; i++) {
    clock.time += afterMs
    measured.push(await state.measure(call))
  }
  return measured.reduce((least, each) => (each.reads < least.reads ? each : least))
}

/** Gives the consumer a batch of one record of one project. */
function consume(): Promise<void> {
  sequence += 1
  const data = packRecord(eventsRecord(['page_view'], clock.time))
  return consumer.consumeBatch('shardId-000000000000', [
    { sequence: String(sequence).padStart(56, '0'), data },
  ])
}

async function runJobs(): Promise<void> {
  for (const job of jobs.jobs.splice(0)) await worker.run(job as LakeJob)
}

beforeAll(async () => {
  // After this, the state has an item for the shard, and a sweep has just run.
  for (let hour = 0; hour < 3; hour++) {
    clock.time += 60 * MINUTE
    await consume()
    for (let i = 0; i < 4; i++) {
      await tick()
      await runJobs()
    }
  }
})

afterAll(() => state.close())

test('a claim costs at most what the model says, with a write for the counts of its project and one for its account', async () => {
  const { reads, writes } = await state.measure(consume)
  expectAtMost({ reads, writes: writes - 2 }, system.state.claim)
})

test('an idle tick, an epoch and a job cost at most what the model says', async () => {
  clock.time += MINUTE
  await settle()
  const idle = await state.measure(tick)
  expectAtMost(idle, system.state.tick)

  clock.time += 20 * MINUTE
  await consume()
  const closingTick = await state.measure(tick)
  const job = await state.measure(runJobs)
  clock.time += MINUTE
  const advancingTick = await state.measure(tick)
  const epoch = {
    reads: closingTick.reads + advancingTick.reads - 2 * idle.reads,
    writes: closingTick.writes + advancingTick.writes - 2 * idle.writes,
  }
  expectAtMost(epoch, system.state.epoch)
  // The epoch has one project, of one account. The job reads all manifests and two partitions of the open
  // counts, then saves one manifest, and the item for the others.
  const { job: sending, manifest, fold } = system.state
  const all = unitsOf(BUCKETS * manifest.headBytes, READ_UNIT) + 1
  expectAtMost(job, {
    reads: sending.reads + all + 2 + 2 + 1 + fold.projectReads,
    writes: sending.writes + 2 + fold.project + fold.accountBucket,
  })
})

test('the deletion of superseded files costs at most what the model says', async () => {
  const passHours = async (count: number) => {
    for (let hour = 0; hour < count; hour += 3) {
      clock.time += 3 * 60 * MINUTE
      await tick()
      await runJobs()
    }
  }
  // Merges the segments of the previous tests, and deletes their superseded files.
  await passHours(54)
  const idle = await state.measure(() => passHours(30))
  await consume()
  clock.time += 20 * MINUTE
  await settle()
  expect(await lake.list('hot/')).toHaveLength(1)
  const withFiles = await state.measure(() => passHours(30))
  expect(await lake.list('hot/')).toEqual([])
  const deletion = { reads: withFiles.reads - idle.reads, writes: withFiles.writes - idle.writes }
  // The first sweep after the epoch saves the watermarks of all buckets.
  const { reads, writes } = system.state.expiry
  expectAtMost(deletion, { reads, writes: writes + BUCKETS })
})

test('the search for orphaned claims costs at most what the model says', async () => {
  const stream = { shards: () => Promise.reject(new Error('nothing is old')), read: async () => [] }
  const { reads, writes } = await state.measure(() =>
    finishOrphanedClaims({ state: lakeState, stream, consumer, clock }),
  )
  expectAtMost({ reads, writes }, { reads: system.state.batch.reads, writes: 0 })
})

/** Runs ticks and jobs until maintenance has no work left. */
async function settle(): Promise<void> {
  for (let i = 0; i < 6; i++) {
    await tick()
    await runJobs()
  }
}

test('the lookup of a token costs at most what the model says, and nothing again within five seconds', async () => {
  const { id } = await accounts.create({ email: 'us@example.com', tier: 'pro', complimentary: true })
  const { project } = await projects.create({ account: { id }, name: 'looked-up' })
  const { reads, writes } = await state.measure(async () => {
    await projects.byToken(project.project_token)
    clock.time += 4_000
    await projects.byToken(project.project_token)
  })
  expectAtMost({ reads, writes }, { reads: system.state.lookUp.reads, writes: 0 })
  clock.time += 1_001
  expect((await state.measure(() => projects.byToken(project.project_token))).reads).toBeGreaterThan(0)
})

test('GET /stats costs what the model says when the caches of its process are over, and six reads within them', async () => {
  const { id } = await accounts.create({ email: 'reader@example.com', tier: 'pro', complimentary: true })
  const key = await accounts.issueApiKey(id)
  const { project } = await projects.create({ account: { id }, name: 'read' })
  const get = openReports(key)
  const stats = () => get(routes.stats, { project: project.name })
  // The first read of a project creates the item of its totals.
  await stats()
  clock.time += 5_001
  // The model counts the manifest, the skipped epochs and the open counts by their size. Here the last are
  // empty.
  const manifest = await state.measure(() => lakeState.manifest(project.bucket))
  const { reads, writes } = await measureLeast(stats, 5_001)
  // Of a project without annotations. DynamoDB bills a query that finds nothing as one unit, dynalite as
  // none.
  const annotations = 1
  expect({ reads: reads - manifest.reads + annotations, writes }).toEqual(system.state.statsRead)
  // One of them is the first event: that there is none is not remembered.
  expect(await measureLeast(stats, 0)).toEqual({ reads: 6, writes })
})

/**
 * The function of reports as createReportsServices makes it, in a process that has just started. Athena finds
 * nothing.
 */
function openReports(key: string) {
  const fresh = { ...createStores(state, clock), ...createLakeStores({ ...state, lake }, clock) }
  const profile = profiles.own
  const access = createAccessStores({ ...fresh, ...state, clock, log, profile, admitted: [] })
  const reports = reportsHandler({
    ...fresh,
    ...access,
    replays: openReplays({ ...fresh, ...state, ...access, profile, objects: lake, clock }),
    engine: { rows: async () => [] },
    keptAnswers: keepInTable({ ...state, clock }),
    openLake: () => openLake({ state: fresh.lakeState, lake }),
    erasures: openErasures({ ...state, ...fresh, lake, clock }),
    buffer: createLiveBuffer(state, { clock, bufferMs: 300_000 }),
    follow: 'poll' as const,
    identity: createIdentityStore({ ...state, ...fresh, lake, clock }),
    users: createUserResolver({ ...state, ...fresh, clock, bufferMs: 0 }),
    emails: createEmailHasher(async () => 'key of the index'),
    ...{ clock, log, baseUrl: 'https://footfall.example' },
  })
  return async (route: typeof routes.stats | typeof routes.live, query: Record<string, string>) => {
    const response = await reports(route, {
      method: 'GET',
      path: route.path,
      params: {},
      query,
      headers: { 'x-api-key': key },
      body: new Uint8Array(),
      ip: null,
    })
    expect(response.status).toBe(200)
  }
}

test('a poll of live events, one a second, costs at most what the model says', async () => {
  const { id } = await accounts.create({ email: 'poller@example.com', tier: 'pro', complimentary: true })
  const key = await accounts.issueApiKey(id)
  const { project } = await projects.create({ account: { id }, name: 'polled' })
  const get = openReports(key)
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  const measured: Units[] = []
  let after = clock.time
  for (let i = 0; i < 3; i++) {
    for (let second = 0; second <= system.live.pollSeconds; second++) {
      clock.time += 1_000
      const made = liveRecord(i * 100 + second, clock.time, [{ properties: { path: '/' } }])
      await writeLive(buffer, project.id, 's', [made])
    }
    const query = { project: project.name, after: String(after) }
    after = clock.time - LATE_MS
    measured.push(await state.measure(() => get(routes.live, query)))
  }
  // A busy machine answers late, and then the client sends a request again.
  const least = measured.toSorted((a, b) => a.reads - b.reads)[0] as Units
  expectAtMost(least, system.live.poll)
  expect(least.reads).toBeGreaterThan(system.live.poll.reads - 2)
})
