import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createArrivalOrder } from '#core/ingest/ids'
import { createOldRecords } from '#core/lake/erase/old-records'
import { forgottenUntil, isForgettable, MERGED_BATCHES, TOMBSTONE_MS } from '#core/lake/erase/old-tombstones'
import { emptyManifest } from '#core/lake/model/manifest'
import { DAY_MS } from '#core/time'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { findText, openErasurePipeline } from '#test/support/erasure-pipeline'
import { createMemoryLakeState } from '#test/support/memory-lake-state'
import { openTestState, type TestState } from '#test/support/test-state'

/** A consumer that is days behind brings events that were erased meanwhile. */

const PROJECT = { id: 'proj_1', name: 'shop', account_id: 'acc_1', bucket: 7 }
const FOUND = [{ project: PROJECT, events: 1, sessions: 1 }] as const
const ADA = 'ada-3f1c'
const HOUR = 3_600_000

let state: TestState
let dir: string
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  dir = await mkdtemp(join(tmpdir(), 'footfall-late-consumer-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))
afterAll(() => state.close())

/** Lets so many days pass, with a tick of maintenance every six hours. */
async function waitDays(wait: (ms: number) => Promise<void>, days: number): Promise<void> {
  for (let i = 0; i < 4 * days; i++) await wait(6 * HOUR)
}

test('what a consumer that is three days behind brings of an erased person is left out of every file', async () => {
  const pipeline = openErasurePipeline(state, dir, { order: createArrivalOrder() })
  const { lake, lakeState, erasures, store, append, consumeAll, wait, waitUntilDone } = pipeline
  await store(ADA, 'bob')
  append(ADA, 'bob')
  const id = await erasures.erasePerson(FOUND, [ADA])
  append(ADA)
  await waitUntilDone(id)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done' })
  await waitDays(wait, 3)
  expect((await lakeState.manifest(PROJECT.bucket)).tombstones).toHaveLength(1)
  await consumeAll()
  for (let i = 0; i < 8; i++) await wait(6 * 60_000)
  const { segments } = await lakeState.manifest(PROJECT.bucket)
  // Two of bob, and the one that Ada sent after the answer.
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(3)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done' })
  // Once everything is read, the tombstone is forgotten.
  await waitDays(wait, 3)
  expect((await lakeState.manifest(PROJECT.bucket)).tombstones).toEqual([])
  expect(await findText(state, lake, 'bob')).not.toEqual([])
})

test('tombstones that are merged meanwhile keep the rows that an unread record needs', async () => {
  const pipeline = openErasurePipeline(state, dir, { order: createArrivalOrder() })
  const { lakeState, erasures, store, append, consumeAll, wait } = pipeline
  await store(ADA, ...Array.from({ length: MERGED_BATCHES }, (_, i) => `u${i}`))
  append(ADA)
  for (const user of [ADA, ...Array.from({ length: MERGED_BATCHES }, (_, i) => `u${i}`)]) {
    await erasures.erasePerson(FOUND, [user])
    await wait(2 * 60_000)
  }
  await waitDays(wait, 4)
  const before = (await lakeState.manifest(PROJECT.bucket)).tombstones
  expect(before.map(({ rows }) => rows)).toEqual([1 + MERGED_BATCHES])
  await consumeAll()
  for (let i = 0; i < 8; i++) await wait(6 * 60_000)
  const { segments } = await lakeState.manifest(PROJECT.bucket)
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(0)
})

test('a project whose events are deleted keeps its tombstone for unread records, too', async () => {
  const { lakeState, erasures, store, append, consumeAll, wait } = openErasurePipeline(state, dir)
  await store(ADA)
  append('bob')
  await erasures.purgeProject(PROJECT)
  await waitDays(wait, 3)
  await consumeAll()
  for (let i = 0; i < 8; i++) await wait(6 * 60_000)
  const { segments } = await lakeState.manifest(PROJECT.bucket)
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(0)
})

const BATCH = {
  ...{ number: 1, first: 1, writer: '', rows: 1, oldestUntil: 0, newestUntil: 0, projects: null },
  ...{ createdAt: 0, lastEpoch: 1, hotUntil: 2, doneAt: 60_000, removed: { events: 0, files: 0 } },
}

test.each([
  ['all is read', Number.POSITIVE_INFINITY, {}, true],
  // A record may be appended again for a quarter of an hour, and come after younger ones.
  ['an unread record is younger', 901_000, {}, true],
  ['an unread record is of its last second', 900_999, {}, false],
  ['an unread record is older', -1, {}, false],
  ['nobody knows what is unread', 0, {}, false],
  // A clock that was ahead has dated records after the erasure that came before it.
  ['an unread record is older than its end', 2.25 * HOUR, { newestUntil: 7_200 }, false],
  ['an unread record is younger than its end', 2.25 * HOUR + 1_000, { newestUntil: 7_200 }, true],
  ['its end is a year ahead', Number.POSITIVE_INFINITY, { newestUntil: 365 * 86_400 }, true],
  ['a project, and an unread record is older', 999, { oldestUntil: null }, false],
] as const)('whether a batch is forgotten after days: %s', (_, unread, changes, isForgotten) => {
  const forgotten = forgottenUntil({ setAside: [], unread }, 5 * DAY_MS)
  expect(isForgettable({ ...BATCH, ...changes }, forgotten)).toBe(isForgotten)
})

test('a record that a consumer sets aside a week late keeps the tombstone for as long as it may come again', () => {
  const forgotten = (now: number) =>
    forgottenUntil({ setAside: [7 * DAY_MS], unread: Number.POSITIVE_INFINITY }, now)
  expect(isForgettable(BATCH, forgotten(7 * DAY_MS + TOMBSTONE_MS))).toBe(false)
  expect(isForgettable(BATCH, forgotten(37 * DAY_MS))).toBe(false)
  expect(isForgettable(BATCH, forgotten(38 * DAY_MS))).toBe(true)
})

test('a record that was read a moment ago counts as old until its epoch is compacted', async () => {
  const lakeState = createMemoryLakeState()
  const lake = createSimulatedLake()
  let unread = -1
  const oldRecords = createOldRecords({ state: lakeState, lake, oldestUnread: async () => unread })
  const isForgotten = async (compacted: number, now: number) =>
    isForgettable(BATCH, await oldRecords.forgotten([{ ...emptyManifest(7), compacted }], now))
  expect(await isForgotten(1, 5 * DAY_MS)).toBe(false)
  // The consumer has read it: it is in a hot file of the first epoch.
  unread = Number.POSITIVE_INFINITY
  await lake.put('hot/epoch=1/s0-1-1.parquet', new Uint8Array())
  expect(await isForgotten(1, 6 * DAY_MS)).toBe(false)
  expect(await isForgotten(1, 7 * DAY_MS)).toBe(false)
  expect(await isForgotten(2, 7 * DAY_MS + 1)).toBe(true)
})
