import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { unpackText } from '#core/ingest/packing'
import { toTombstoneRows } from '#core/lake/erase/tombstone-file'
import { userHash } from '#core/lake/erase/tombstones'
import { createLiveBuffer, LATE_MS } from '#core/live/buffer'
import { toWritten } from '#core/live/chunk'
import { createTails, TAIL_DEFAULTS } from '#core/live/tails'
import { bucketOf } from '#core/state/bucket-of'
import type { StateTable } from '#core/state/state-table'
import { writeItems } from '#core/state/write-items'
import { systemClock } from '#providers/system-clock'
import { liveRecord, writeLive } from '#test/support/live-records'
import { NO_LINKS } from '#test/support/no-links'
import { openTestState, type TestState } from '#test/support/test-state'

const START = Date.UTC(2026, 10, 22, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

async function storedItems() {
  return (await state.client.scan({ TableName: state.table })).Items ?? []
}

test('a chunk expires a minute after its events', async () => {
  const buffer = createLiveBuffer(state, { clock: { now: () => START }, bufferMs: 300_000 })
  await writeLive(buffer, 'expiring', 's', [liveRecord(1, START, [{}])])
  expect(await storedItems()).toMatchObject([
    { pk: expect.stringContaining('live#'), expires_at: START / 1_000 + 360 },
  ])
})

test('a chunk whose write took long is written again, so that readers who have gone on find it', async () => {
  let now = START
  // Each reading of the clock takes the time of a slow write, twice.
  const delays = [0, 1_600, 0, 1_600, 0, 0]
  const clock = {
    now() {
      now += delays.shift() ?? 0
      return now
    },
  }
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  await writeLive(buffer, 'slow', 's', [liveRecord(1, START, [{}])])
  const stamps = (await buffer.chunksFrom('slow', '')).map(({ stamp }) => stamp)
  expect(stamps).toEqual([START, START + 1_600, START + 3_200])
  expect(now - (stamps.at(-1) ?? 0)).toBeLessThan(LATE_MS)
})

test('erased events leave the chunks, and all other events keep their ids and positions', async () => {
  const buffer = createLiveBuffer(state, { clock: { now: () => START }, bufferMs: 300_000 })
  const users = ['ada', 'bob', null, 'ada', 'cy'].map(user_id => ({ user_id }))
  const secret = { event: 'x'.repeat(20_000), user_id: 'ada' }
  await writeLive(buffer, 'erased', 's', [liveRecord(1, START, users), liveRecord(2, START + 1, users)])
  await writeLive(buffer, 'erased', 's', [liveRecord(3, START, [secret])])
  await writeLive(buffer, 'other', 's', [liveRecord(1, START, users)])
  const eventsOf = async (project: string) =>
    (await buffer.chunksFrom(project, '')).flatMap(({ events }) => events)
  const before = await eventsOf('erased')
  const others = await eventsOf('other')
  const erased = { project_id: 'erased', users: [userHash('ada')] }
  // In a later millisecond the id is one of a new person.
  await buffer.erase(toTombstoneRows({ ...erased, until: START }, 1))
  const isErased = ({ user_id, received_at }: (typeof before)[number]) =>
    user_id === 'ada' && received_at === START
  expect(before.filter(isErased)).toHaveLength(3)
  expect(await eventsOf('erased')).toEqual(before.filter(event => !isErased(event)))
  expect(await eventsOf('other')).toEqual(others)
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  const texts = Items.filter(({ events }) => events !== undefined).map(({ events }) => unpackText(events))
  expect(texts.filter(text => text.includes(secret.event))).toEqual([])
})

test('a tail sends events of a chunk that becomes readable late, and no event twice', async () => {
  let now = START
  const buffer = createLiveBuffer(state, { clock: { now: () => now }, bufferMs: 300_000 })
  const tails = createTails(
    { buffer, users: NO_LINKS, clock: systemClock, log: () => {} },
    { ...TAIL_DEFAULTS, pollMs: 1 },
  )
  const subscription = tails.subscribe('late')
  onTestFinished(subscription.close)
  const nextNames = async () => (await subscription.next()).map(({ event }) => event)
  now += 5_000
  await writeLive(buffer, 'late', 's1', [liveRecord(1, now, [{ event: 'first' }])])
  expect(await nextNames()).toEqual(['first'])
  // Another writer's chunk, with a stamp before the one that the tail has read.
  now -= 1_400
  await writeLive(buffer, 'late', 's2', [liveRecord(2, now, [{ event: 'late' }])])
  now += 1_400
  expect(await nextNames()).toEqual(['late'])
  await writeLive(buffer, 'late', 's1', [
    liveRecord(1, now, [{ event: 'first' }]),
    liveRecord(3, now, [{ event: 'second' }]),
  ])
  expect(await nextNames()).toEqual(['second'])
})

test('a slow stream is told that it has lost events, and keeps none of them', async () => {
  const buffer = createLiveBuffer(state, { clock: { now: () => START }, bufferMs: 300_000 })
  const tails = createTails(
    { buffer, users: NO_LINKS, clock: systemClock, log: () => {} },
    { pollMs: 1, maxWaitingBytes: 700 },
  )
  const [slow, fast] = [tails.subscribe('busy'), tails.subscribe('busy')]
  for (const { close } of [slow, fast]) onTestFinished(close)
  let taken = 0
  for (let i = 0; i < 3; i++) {
    await writeLive(buffer, 'busy', 's', [liveRecord(i, START, [{}, {}])])
    taken += (await fast.next()).length
  }
  expect(taken).toBe(6)
  expect([slow.hasOverflowed(), fast.hasOverflowed()]).toEqual([true, false])
  expect(await slow.next()).toEqual([])
})

test('small projects of a bucket share a chunk, and a project with many events has one of its own', async () => {
  await state.empty()
  const buffer = createLiveBuffer(state, { clock: { now: () => START }, bufferMs: 300_000 })
  const [small, neighbour, large] = projectsOfOneBucket(3) as [string, string, string]
  const random = () => ({ properties: { value: randomBytes(100).toString('hex') } })
  await buffer.write(
    's',
    new Map([
      [small, [toWritten(liveRecord(1, START, [{ event: 'small' }]))]],
      [large, [toWritten(liveRecord(2, START, Array.from({ length: 100 }, random)))]],
      [neighbour, [toWritten(liveRecord(3, START, [{ event: 'neighbour' }]))]],
    ]),
  )
  const partitions = (await storedItems()).map(({ pk }) => pk)
  expect(partitions.toSorted()).toEqual([`live#bucket#${bucketOf(small)}`, `live#project#${large}`])
  const eventsOf = async (project: string) =>
    (await buffer.chunksFrom(project, '')).flatMap(({ events }) => events.map(({ event }) => event))
  expect(await eventsOf(small)).toEqual(['small'])
  expect(await eventsOf(neighbour)).toEqual(['neighbour'])
  expect(await eventsOf(large)).toHaveLength(100)
})

test('the chunks of both partitions of a project are read in the order in which they were written', async () => {
  let now = START
  const buffer = createLiveBuffer(state, { clock: { now: () => now }, bufferMs: 300_000 })
  const random = () => ({ properties: { value: randomBytes(100).toString('hex') } })
  for (const [i, count] of [1, 100, 2, 101, 3].entries()) {
    now += 1_000
    await writeLive(buffer, 'mixed', 's', [liveRecord(i, now, Array.from({ length: count }, random))])
  }
  const sizes = (await buffer.chunksFrom('mixed', '')).map(({ events }) => events.length)
  expect(sizes).toEqual([1, 100, 2, 101, 3])
  const newestFirst: number[] = []
  for await (const { events } of buffer.newestFirst('mixed', 0)) newestFirst.push(events.length)
  expect(newestFirst).toEqual([3, 101, 2, 100, 1])
})

test('chunks that a busy table leaves unwritten are written again', async () => {
  const calls: number[] = []
  const client = {
    async batchWrite({ RequestItems }: { RequestItems: Record<string, object[]> }) {
      const writes = RequestItems.table ?? []
      calls.push(writes.length)
      return { UnprocessedItems: { table: writes.slice(0, writes.length - 2) } }
    },
  }
  const busy = { client: client as unknown as StateTable['client'], table: 'table' }
  const keys = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ DeleteRequest: { Key: { pk: 'p', sk: String(i) } } }))
  await writeItems(busy, keys(5))
  expect(calls).toEqual([5, 3, 1])
  await expect(writeItems(busy, keys(25))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

/** Ids of projects that have the same bucket. */
function projectsOfOneBucket(count: number): string[] {
  const ids = Array.from({ length: 2_000 }, (_, i) => `proj_${i}`)
  return ids.filter(id => bucketOf(id) === bucketOf('proj_0')).slice(0, count)
}
