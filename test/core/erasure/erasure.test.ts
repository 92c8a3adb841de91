import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { TOMBSTONE_MS } from '#core/lake/erase/old-tombstones'
import type { LakeStateStore } from '#core/lake/model/state'
import { createSavedViews } from '#core/projects/saved-views'
import { repeats, seed } from '#test/support/depth'
import { findText, openErasurePipeline, ERASURE_START as START } from '#test/support/erasure-pipeline'
import { openTestState, type TestState } from '#test/support/test-state'

const MINUTE = 60_000
const PROJECT = { id: 'proj_1', name: 'shop', account_id: 'acc_1', bucket: 7 }
/** What reads have returned of a person. The receipt says it; nothing else depends on it. */
const FOUND = [{ project: PROJECT, events: 5, sessions: 1 }] as const
/**
 * Of a job's writes, the first, one in the middle and the last are killed. At depth 1 the seed chooses one of
 * them.
 */
const WRITES_BEFORE_KILL = repeats(1) === 1 ? [1 + 2 * (seed % 3)] : [1, 3, 5]
const ADA = 'ada-3f1c'

/** The events that the erasures of the bucket have removed from files. */
async function removedEvents(lakeState: LakeStateStore): Promise<number> {
  const { tombstones } = await lakeState.manifest(PROJECT.bucket)
  return tombstones.reduce((sum, { removed }) => sum + removed.events, 0)
}

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

test('after an erasure no file of the lake and no item of the state has the id, and the receipt says what was removed', async () => {
  const { lake, erasures, store, consumeOnly, wait, waitUntilDone } = openErasurePipeline(state, dir)
  for (const users of [[ADA, 'bob'], ['bob'], [ADA, ADA], [ADA]]) await store(...users)
  await consumeOnly(ADA, 'eve')
  expect((await findText(state, lake, ADA)).length).toBeGreaterThan(3)
  const id = await erasures.erasePerson(FOUND, [ADA])
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'pending', completed_at: null })
  await wait(MINUTE)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'running' })
  await waitUntilDone(id)
  expect(await findText(state, lake, ADA)).toEqual([])
  expect((await findText(state, lake, 'bob')).length).toBeGreaterThan(0)
  const done = await erasures.progress('acc_1', id)
  expect(done).toMatchObject({ status: 'done', project: 'shop', sessions: 1, removed: { events: 5 } })
  expect(done?.completed_at).toBeGreaterThan(START)

  // Later the tombstone is forgotten, and the receipt stays.
  await wait(TOMBSTONE_MS)
  expect(await erasures.progress('acc_1', id)).toEqual(done)
  expect(await erasures.progress('acc_2', id)).toBeNull()
})

test('an erasure is done only when nothing outside the lake has its events', async () => {
  let scrubbedUntil = 0
  const needed: number[] = []
  const scrub = async (until: number) => {
    needed.push(until)
    return scrubbedUntil
  }
  const { erasures, store, wait } = openErasurePipeline(state, dir, { scrub })
  await store(ADA, 'bob')
  const id = await erasures.erasePerson(FOUND, [ADA])
  for (let i = 0; i < 5; i++) await wait(6 * MINUTE)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'running', removed: { files: 1 } })
  const [requested = expect.unreachable()] = needed
  expect(new Set(needed)).toEqual(new Set([requested]))
  scrubbedUntil = requested + 1
  await wait(MINUTE)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done' })
})

test('an erasure in a joined scope covers every member project, and one receipt counts for all of them', async () => {
  const { lake, lakeState, erasures, store, consumeFor, waitUntilDone } = openErasurePipeline(state, dir)
  const blog = { ...PROJECT, id: 'proj_2', name: 'blog', bucket: 8 }
  await consumeFor(blog, ADA, 'bob')
  await store(ADA, ADA)
  const id = await erasures.erasePerson(
    [
      { ...FOUND[0], events: 2 },
      { project: blog, events: 1, sessions: 1 },
    ],
    [ADA],
  )
  for (const bucket of [7, 8]) expect((await lakeState.manifest(bucket)).tombstones).toHaveLength(1)
  await waitUntilDone(id)
  expect(await findText(state, lake, ADA)).toEqual([])
  const done = await erasures.progress('acc_1', id)
  expect(done).toMatchObject({ status: 'done', project: 'shop', sessions: 2, removed: { events: 3 } })
})

test('ids that turn out later to be those of an erased person leave saved views too', async () => {
  const { clock, erasures } = openErasurePipeline(state, dir)
  const views = createSavedViews({ ...state, clock })
  await views.create(PROJECT.id, { name: 'Ada', query: `view=people&user=${ADA}` })
  await views.create(PROJECT.id, { name: 'Bob', query: 'view=people&user=bob' })
  await erasures.eraseIds(PROJECT, [ADA], clock.time)
  expect((await views.list(PROJECT.id)).map(({ name }) => name)).toEqual(['Bob'])
})

test('a later event of the same id is stored and stays', async () => {
  const { clock, lake, lakeState, erasures, store, wait } = openErasurePipeline(state, dir)
  await store(ADA)
  await erasures.erasePerson(FOUND, [ADA])
  clock.time += 2_000
  await store(ADA)
  for (let i = 0; i < 6; i++) await wait(6 * MINUTE)
  const { segments } = await lakeState.manifest(7)
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(1)
  expect(
    (await findText(state, lake, ADA)).every(
      key => key.startsWith('segments/events/') || key.startsWith('hot/'),
    ),
  ).toBe(true)
})

test('an event that arrived before the erasure and reaches the lake days later is left out, and counted', async () => {
  const { clock, lakeState, erasures, store, wait, waitUntilDone } = openErasurePipeline(state, dir)
  await store(ADA, 'bob')
  const id = await erasures.erasePerson(FOUND, [ADA])
  await waitUntilDone(id)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done' })
  expect(await removedEvents(lakeState)).toBe(1)
  const now = clock.time
  clock.time = START
  await store(ADA, 'bob')
  clock.time = now
  for (let i = 0; i < 6; i++) await wait(6 * MINUTE)
  expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done' })
  expect(await removedEvents(lakeState)).toBe(2)
  const { segments } = await lakeState.manifest(7)
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(2)
})

test('a job that is killed after any of its writes is finished by the next one, and counts nothing twice', async () => {
  for (const writes of WRITES_BEFORE_KILL) {
    await state.empty()
    await rm(dir, { recursive: true, force: true })
    const pipeline = openErasurePipeline(state, dir)
    const { lake, erasures, store, wait, waitUntilDone } = pipeline
    for (const users of [[ADA, 'bob'], [ADA]]) await store(...users)
    const id = await erasures.erasePerson(FOUND, [ADA])
    const put = lake.put
    let count = 0
    lake.put = async (key, bytes) => {
      if (++count === writes) throw new Error('killed')
      await put(key, bytes)
    }
    await wait(0).catch(() => {})
    lake.put = put
    pipeline.jobs.length = 0
    await waitUntilDone(id)
    expect(await findText(state, lake, ADA)).toEqual([])
    expect(await erasures.progress('acc_1', id)).toMatchObject({ status: 'done' })
    expect(await removedEvents(pipeline.lakeState)).toBe(2)
  }
})

test('a purged project has no row in any file, and other projects keep theirs', async () => {
  const { clock, lake, erasures, store, wait } = openErasurePipeline(state, dir)
  await store(ADA, 'bob')
  const number = await erasures.purgeProject(PROJECT)
  expect(await erasures.isGone(PROJECT.bucket, number)).toBe(false)
  clock.time += 1_000
  for (let i = 0; i < 6; i++) await wait(6 * MINUTE)
  expect(await erasures.isGone(PROJECT.bucket, number)).toBe(true)
  const files = await findText(state, lake, 'proj_1')
  // The tombstone and the manifests with it name the project until it is forgotten.
  expect(new Set(files.map(key => key.split('/')[0]))).toEqual(new Set(['manifests', 'tombstones', 'state']))
})
