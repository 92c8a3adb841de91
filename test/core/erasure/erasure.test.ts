import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker, type LakeJob } from '#core/lake/jobs'
import { createMaintenance, MAINTENANCE_DEFAULTS } from '#core/lake/maintenance'
import { TOMBSTONE_MS } from '#core/lake/tombstones'
import type { StreamEntry } from '#core/ports'
import { createStores } from '#core/stores'
import { createCompactor } from '#duckdb/compactor'
import { createFolderLake } from '#local/lake/folder'
import { request } from '#test/support/compactor-lake'
import { repeats, seed } from '#test/support/depth'
import { noIdentity } from '#test/support/no-identity'
import { openTestState, type TestState } from '#test/support/test-state'

const MINUTE = 60_000
const START = Date.parse('2026-11-18T12:00:00Z')
const PROJECT = { id: 'proj_1', name: 'shop', account_id: 'acc_1', bucket: 7 }
/** Of a job's writes, the first, one in the middle and the last are killed. At depth 1 the seed chooses one of them. */
const WRITES_BEFORE_KILL = repeats(1) === 1 ? [1 + 2 * (seed % 3)] : [1, 3, 5]
const ADA = 'ada-3f1c'

let state: TestState
let dir: string
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  dir = await mkdtemp(join(tmpdir(), 'footfall-erasure-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))
afterAll(() => state.close())

/** The pipeline of one machine with real files and a real state table, and a clock that the test sets. */
function openPipeline() {
  const clock = { time: START, now: () => clock.time }
  const { lakeState, usage, erasures } = createStores(state, clock)
  const lake = createFolderLake(join(dir, 'lake'))
  const entries: StreamEntry[] = []
  const stream = {
    read: async (_: string, after: string | null) =>
      entries.filter(({ sequence }) => after === null || Number(sequence) > Number(after)),
  }
  const log = () => {}
  const compactor = createCompactor({ lake, tempDir: join(dir, 'temp'), log, threads: 1 })
  const projects = { byId: async () => null, noteEventIds: async () => {} }
  const common = { state: lakeState, lake, usage, clock, log }
  const consumer = createLakeConsumer({ ...common, stream, projects, identity: noIdentity })
  const worker = createLakeWorker({ ...common, compactor, projects })
  const jobs: LakeJob[] = []
  const maintenance = createMaintenance(
    { ...common, jobs: { send: async job => void jobs.push(job) }, onErased: erasures.onErased },
    { ...MAINTENANCE_DEFAULTS, epochMs: 0, mergeSegments: 3 },
  )

  async function run(): Promise<void> {
    await maintenance.tick()
    for (const job of jobs.splice(0)) await worker.run(job)
  }

  /** Stores events of these users, and compacts them. */
  async function store(...users: string[]): Promise<void> {
    await consumeOnly(...users)
    for (let i = 0; i < 3; i++) await run()
  }

  async function consumeOnly(...users: string[]): Promise<void> {
    const events = users.map(user_id => ({ user_id, session_id: `session of ${user_id}` }))
    const sequence = String(entries.length + 1)
    entries.push({ sequence, data: packRecord(request({ at: clock.time, events })) })
    await consumer.consume('0')
  }

  async function wait(ms: number): Promise<void> {
    clock.time += ms
    for (let i = 0; i < 3; i++) await run()
  }

  return { clock, lake, lakeState, erasures, maintenance, worker, jobs, store, consumeOnly, wait, run }
}

/** The names of files that have the text in any column of any row, and of items of the state that have it. */
async function findText(lake: ReturnType<typeof openPipeline>['lake'], text: string): Promise<string[]> {
  const found: string[] = []
  for (const { key } of await lake.list('')) {
    const bytes = await lake.get(key)
    if (bytes === null) continue
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })
    const isThere = rows.some(row => Object.values(row).some(value => String(value).includes(text)))
    if (isThere) found.push(key)
  }
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  if (JSON.stringify(Items).includes(text)) found.push('state')
  return found
}

test('after an erasure no file of the lake and no item of the state has the id, and the receipt says what was removed', async () => {
  const { lake, erasures, store, consumeOnly, wait } = openPipeline()
  for (const users of [[ADA, 'bob'], ['bob'], [ADA, ADA], [ADA]]) await store(...users)
  await consumeOnly(ADA, 'eve')
  expect((await findText(lake, ADA)).length).toBeGreaterThan(3)
  const id = await erasures.erasePerson(PROJECT, [ADA], 1)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'pending', completed_at: null })
  await wait(MINUTE)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'running' })
  for (let i = 0; i < 5; i++) await wait(6 * MINUTE)
  expect(await findText(lake, ADA)).toEqual([])
  expect((await findText(lake, 'bob')).length).toBeGreaterThan(0)
  const done = await erasures.progress('acc_1', id)
  expect(done).toMatchObject({ status: 'done', project: 'shop', sessions: 1, removed: { events: 5 } })
  expect(done?.completed_at).toBeGreaterThan(START)

  // Later the tombstone is forgotten, and the receipt stays.
  await wait(TOMBSTONE_MS)
  expect(await erasures.progress('acc_1', id)).toEqual(done)
  expect(await erasures.progress('acc_2', id)).toBeNull()
})

test('a later event of the same id is stored and stays', async () => {
  const { clock, lake, lakeState, erasures, store, wait } = openPipeline()
  await store(ADA)
  await erasures.erasePerson(PROJECT, [ADA], 1)
  clock.time += 2_000
  await store(ADA)
  for (let i = 0; i < 6; i++) await wait(6 * MINUTE)
  const { segments } = await lakeState.manifest(7)
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(1)
  expect(
    (await findText(lake, ADA)).every(key => key.startsWith('segments/events/') || key.startsWith('hot/')),
  ).toBe(true)
})

test('an event that arrived before the erasure and reaches the lake days later is left out, and counted', async () => {
  const { clock, lakeState, erasures, store, wait } = openPipeline()
  await store(ADA, 'bob')
  const id = await erasures.erasePerson(PROJECT, [ADA], 1)
  for (let i = 0; i < 6; i++) await wait(6 * MINUTE)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done', removed: { events: 1 } })
  const now = clock.time
  clock.time = START
  await store(ADA, 'bob')
  clock.time = now
  for (let i = 0; i < 6; i++) await wait(6 * MINUTE)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done', removed: { events: 2 } })
  const { segments } = await lakeState.manifest(7)
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(2)
})

test('a job that is killed after any of its writes is finished by the next one, and counts nothing twice', async () => {
  for (const writes of WRITES_BEFORE_KILL) {
    await state.empty()
    await rm(dir, { recursive: true, force: true })
    const pipeline = openPipeline()
    const { lake, erasures, store, wait } = pipeline
    for (const users of [[ADA, 'bob'], [ADA]]) await store(...users)
    const id = await erasures.erasePerson(PROJECT, [ADA], 1)
    const put = lake.put
    let count = 0
    lake.put = async (key, bytes) => {
      if (++count === writes) throw new Error('killed')
      await put(key, bytes)
    }
    await wait(0).catch(() => {})
    lake.put = put
    pipeline.jobs.length = 0
    for (let i = 0; i < 5; i++) await wait(6 * MINUTE)
    expect(await findText(lake, ADA)).toEqual([])
    expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done', removed: { events: 2 } })
  }
})

test('a purged project has no row in any file, and other projects keep theirs', async () => {
  const { clock, lake, erasures, store, wait } = openPipeline()
  await store(ADA, 'bob')
  expect(await erasures.purgeProject(PROJECT)).toBe(false)
  clock.time += 1_000
  for (let i = 0; i < 6; i++) await wait(6 * MINUTE)
  expect(await erasures.purgeProject(PROJECT)).toBe(true)
  const files = await findText(lake, 'proj_1')
  expect(files).toEqual(['state'])
})
