import { afterAll, beforeAll, expect, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker, type LakeJob } from '#core/lake/jobs'
import { createMaintenance } from '#core/lake/maintenance'
import { finishOrphanedClaims } from '#core/lake/orphaned-claims'
import { createStores } from '#core/stores'
import { system } from '#cost/system'
import { accountChain } from '#lambdas/chain'
import { schedulerHandler } from '#lambdas/scheduler/handler'
import { routes } from '#schemas/routes'
import { eventsRecord } from '#test/support/lake-world'
import {
  simulatedCompactor,
  simulatedEncode,
  simulatedLake,
  simulatedQueue,
} from '#test/support/simulated-world'
import { openMeteredState } from './metered-state.ts'

/** The figures of cost/system.ts for DynamoDB, counted where the real code asks a real table. */

const MINUTE = 60_000
const clock = { time: Date.UTC(2026, 10, 1), now: () => clock.time }
const log = () => {}
const state = await openMeteredState()
const stores = createStores(state, clock)
const { lakeState, usage, accounts, projects } = stores
const lake = simulatedLake()
const jobs = simulatedQueue()
const consumer = createLakeConsumer({
  ...{ state: lakeState, lake, usage, projects, clock, log, encode: simulatedEncode },
  stream: { read: async () => [] },
})
const worker = createLakeWorker({
  ...{ state: lakeState, lake, usage, projects, log },
  compactor: simulatedCompactor(lake),
})
const maintenance = createMaintenance({ state: lakeState, lake, jobs, clock, log })
const tick = schedulerHandler({ maintenance, state: lakeState, clock, gauge: () => {}, log })
let sequence = 0

/** A batch of one record of one project, as the stream's mapping brings it. */
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
  // A shard that is known, and a sweep that has just been.
  for (let hour = 0; hour < 3; hour++) {
    clock.time += 60 * MINUTE
    await consume()
    for (let i = 0; i < 4; i++) {
      await tick()
      await runJobs()
    }
  }
}, 60_000)

afterAll(() => state.close())

test('a claim costs what the model says, and one write for its project and one for its account', async () => {
  const { reads, writes } = await state.metered(consume)
  expect({ reads, writes: writes - 2 }).toEqual(system.state.claim)
})

test('a minute without work, an epoch on its way and a job cost what the model says', async () => {
  clock.time += MINUTE
  await settle()
  const idle = await state.metered(tick)
  expect(idle).toEqual(system.state.tick)

  clock.time += 20 * MINUTE
  await consume()
  const ending = await state.metered(tick)
  const job = await state.metered(runJobs)
  clock.time += MINUTE
  const advancing = await state.metered(tick)
  const epoch = {
    reads: ending.reads + advancing.reads - 2 * idle.reads,
    writes: ending.writes + advancing.writes - 2 * idle.writes,
  }
  expect(epoch).toEqual(system.state.epoch)
  expect(job).toEqual(system.state.job)
})

test('that a finer copy goes a day after it was read for the last time costs what the model says', async () => {
  const hours = async (count: number) => {
    for (let hour = 0; hour < count; hour += 3) {
      clock.time += 3 * 60 * MINUTE
      await tick()
      await runJobs()
    }
  }
  // Until what the tests before have left is cold, and its finer copies are gone.
  await hours(120)
  const idle = await state.metered(() => hours(30))
  await consume()
  clock.time += 20 * MINUTE
  await settle()
  expect(await lake.list('hot/')).toHaveLength(1)
  const found = await state.metered(() => hours(30))
  expect(await lake.list('hot/')).toEqual([])
  expect({ reads: found.reads - idle.reads, writes: found.writes - idle.writes }).toEqual(system.state.expiry)
})

test('to look for claims of shards that are no more costs what the model says', async () => {
  const stream = { shards: () => Promise.reject(new Error('nothing is old')), read: async () => [] }
  const { reads, writes } = await state.metered(() =>
    finishOrphanedClaims({ state: lakeState, stream, consumer, clock }),
  )
  expect({ reads, writes }).toEqual({ reads: system.state.batch.reads, writes: 0 })
})

/** Until maintenance has nothing under way. */
async function settle(): Promise<void> {
  for (let i = 0; i < 6; i++) {
    await tick()
    await runJobs()
  }
}

test('a look-up of a token, which five seconds of requests share, costs what the model says', async () => {
  const { id } = await accounts.create({ email: 'us@example.com', tier: 'pro', complimentary: true })
  const { project } = await projects.create({ account: { id }, name: 'looked-up' })
  const { reads, writes } = await state.metered(async () => {
    await projects.byToken(project.project_token)
    clock.time += 4_000
    await projects.byToken(project.project_token)
  })
  expect({ reads, writes }).toEqual({ reads: system.state.lookUp.reads, writes: 0 })
  clock.time += 1_001
  expect((await state.metered(() => projects.byToken(project.project_token))).reads).toBe(2)
})

test('GET /stats costs what the model says: who asks, the project, the snapshot, the counters', async () => {
  const { id } = await accounts.create({ email: 'reader@example.com', tier: 'pro', complimentary: true })
  const key = await accounts.issueApiKey(id)
  const { project } = await projects.create({ account: { id }, name: 'read' })
  const chain = accountChain({ accounts, projects, usage, clock, log, baseUrl: 'https://footfall.example' })
  // What stats itself asks of the state is the snapshot; its statements are counted in read-scans.test.ts.
  const endpoint = chain(routes.stats)(async () => {
    await lakeState.lake()
    return { status: 200, body: {} as never }
  })
  const used = await state.metered(() =>
    endpoint({
      method: 'GET',
      path: '/stats',
      params: {},
      query: { project: project.name },
      headers: { 'x-api-key': key },
      body: new Uint8Array(),
      ip: null,
    }),
  )
  expect(used).toEqual(system.state.statsRead)
})
