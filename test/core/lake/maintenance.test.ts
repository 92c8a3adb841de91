import { expect, test, vi } from 'vitest'
import { DAY_MS, utcDate } from '#core/time'
import { lakeWorld } from '#test/support/lake-world'

const HOUR = 3_600_000

test('an epoch is closed at its age limit, but not while it is empty', async () => {
  const world = lakeWorld()
  world.clock.time += HOUR
  await world.maintenance.tick()
  expect((await world.state.lake()).epoch).toBe(1)
  await world.consumed('a')
  await world.maintenance.tick()
  expect((await world.state.lake()).epoch).toBe(2)
})

test('an epoch is closed at its file limit, however young it is', async () => {
  const world = lakeWorld({ epochFiles: 3, epochMs: HOUR })
  await world.maintenance.tick()
  const opened = (await world.state.lake()).epoch
  for (const name of ['a', 'b', 'c']) await world.consumed(name)
  await world.maintenance.tick()
  expect((await world.state.lake()).epoch).toBe(opened + 1)
})

test('an epoch is closed at its byte limit, so that a small machine can compact it', async () => {
  const world = lakeWorld({ epochFiles: 100, epochMs: HOUR, epochBytes: 3 })
  await world.maintenance.tick()
  const opened = (await world.state.lake()).epoch
  // A simulated file has one byte.
  for (const name of ['a', 'b', 'c']) await world.consumed(name)
  await world.maintenance.tick()
  expect((await world.state.lake()).epoch).toBe(opened + 1)
})

test('an epoch is not compacted while it has an open claim, and the warm watermark waits for its job', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  const claim = { first: '200000000000000000000', last: '200000000000000000000', epoch: 1 }
  await world.state.claim('s0', claim, (await world.state.shard('s0')).highWater, 1)
  await world.settle()
  expect(await world.state.lake()).toMatchObject({ epoch: 2, warm: 1 })
  expect(world.keys('warm/')).toEqual([])
  await world.state.commit('s0', claim)
  await world.maintenance.tick()
  expect((await world.state.lake()).warm).toBe(1)
  await world.settle()
  expect((await world.state.lake()).warm).toBe(2)
  expect(world.keys('warm/')).toEqual(['warm/epoch=1/bucket=1/events.parquet'])
})

test('an unfinished job is sent again after five minutes, not earlier', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  await world.maintenance.tick()
  await world.maintenance.tick()
  expect(world.jobs.jobs).toEqual([{ kind: 'compact-warm', epoch: 1, part: 0, parts: 1 }])
  world.clock.time += 4 * 60_000
  await world.maintenance.tick()
  expect(world.jobs.jobs).toHaveLength(1)
  world.clock.time += 2 * 60_000
  await world.maintenance.tick()
  expect(world.jobs.jobs).toHaveLength(2)
})

test('a job is never sent twice if the queue keeps jobs until they are done', async () => {
  const world = lakeWorld({ epochFiles: 1, resendMs: Number.POSITIVE_INFINITY })
  await world.consumed('a')
  await world.maintenance.tick()
  world.clock.time += 24 * HOUR
  await world.maintenance.tick()
  expect(world.jobs.jobs).toHaveLength(1)
})

test('a tick that fails releases the lease', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  const { list } = world.lake
  world.lake.list = () => Promise.reject(new Error('no listing'))
  await expect(world.maintenance.tick()).rejects.toThrow('no listing')
  world.lake.list = list
  await world.maintenance.tick()
  expect((await world.state.lake()).epoch).toBe(2)
})

test('a tick does nothing while another process holds the lease', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  await world.state.lease(world.clock.time, world.clock.time + 60_000)
  await world.settle()
  expect((await world.state.lake()).epoch).toBe(1)
})

test('epochs go cold 30 hours after they were closed, if they are warm', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  await world.settle()
  world.clock.time += 29 * HOUR
  await world.settle()
  expect(world.keys('cold/')).toEqual([])
  world.clock.time += 2 * HOUR
  await world.settle()
  expect(await world.state.lake()).toMatchObject({ cold: 2, coldUntil: null })
  expect(world.keys('cold/')).toEqual(['cold/date=2026-11-01/bucket=1/1-2.parquet'])
  expect(world.keys('warm/')).toHaveLength(1)
})

test('while warm compaction lags behind, the epochs of its dedupe look-back stay warm', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  await world.settle()
  world.clock.time += 2 * HOUR
  await world.consumed('b')
  await world.maintenance.tick()
  world.jobs.jobs.splice(0)
  world.clock.time += 100 * HOUR
  await world.consumed('c')
  await world.maintenance.tick()
  expect(await world.state.lake()).toMatchObject({ warm: 2, cold: 1, coldUntil: null })
  await world.settle()
  await world.settle()
  expect(await world.state.lake()).toMatchObject({ warm: 4, cold: 3 })
})

test.each([
  ['hot', 'warm', 0],
  ['warm', 'cold', 31],
])(
  'superseded %s files are kept for a day after the watermark has passed them, however old they are',
  async (tier, _, hours) => {
    const world = lakeWorld({ epochFiles: 1 })
    await world.consumed('a')
    // Compaction is two days late.
    if (tier === 'hot') world.clock.time += 48 * HOUR
    await world.settle()
    world.clock.time += hours * HOUR
    await world.settle()
    await world.restarted().tick()
    expect(world.keys(`${tier}/`)).toHaveLength(1)
    world.clock.time += 23 * HOUR
    await world.restarted().tick()
    expect(world.keys(`${tier}/`)).toHaveLength(1)
    world.clock.time += 2 * HOUR
    await world.restarted().tick()
    expect(world.keys(`${tier}/`)).toEqual([])
  },
)

test('a new shard does not join a closed epoch, even if maintenance paused after it listed the shards', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  const { shards } = world.state
  world.state.shards = async () => {
    world.state.shards = shards
    const { fence, epoch } = await world.state.lake()
    await world.state.openEpoch(fence, epoch, world.clock.time)
    await world.state.addShard('new')
    return shards()
  }
  await world.maintenance.tick()
  expect((await world.state.shard('new')).epoch).toBe((await world.state.lake()).epoch)
})

test('a cold compaction takes the epochs that fit its byte limit, and the next one continues there', async () => {
  // A simulated object counts as one byte.
  const world = lakeWorld({ epochFiles: 1, coldBytes: 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await world.consumed(name)
    await world.settle()
    world.clock.time += HOUR
  }
  world.clock.time += 31 * HOUR
  for (let i = 0; i < 3; i++) await world.settle()
  const names = world.keys('cold/').map(key => key.slice(key.lastIndexOf('/') + 1))
  expect(names).toEqual(['1-3.parquet', '3-5.parquet', '5-6.parquet'])
})

test('a job is sent by the next tick if sending it failed', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  const send = world.jobs.send
  world.jobs.send = () => Promise.reject(new Error('no queue'))
  await expect(world.maintenance.tick()).rejects.toThrow('no queue')
  world.jobs.send = send
  world.clock.time += 60_001
  await world.maintenance.tick()
  expect(world.jobs.jobs).toHaveLength(1)
})

test('a job that was sent before the process started is sent again, because its queue was in memory', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  await world.maintenance.tick()
  world.jobs.jobs.length = 0
  world.clock.time += 61_000
  await world.restarted().tick()
  expect(world.jobs.jobs).toEqual([])
  world.clock.time += 61_000
  await world.restarted({ queueSince: world.clock.time - 1_000 }).tick()
  expect(world.jobs.jobs).toHaveLength(1)
})

test('a cold compaction waits for a day of epochs, so that a date does not get many small files', async () => {
  const world = lakeWorld({ epochFiles: 1, coldSpanMs: 24 * HOUR })
  for (let hour = 0; hour < 60; hour += 2) {
    await world.consumed(`e${hour}`)
    await world.settle()
    world.clock.time += 2 * HOUR
  }
  const names = new Set(world.keys('cold/').map(key => key.slice(key.lastIndexOf('/'))))
  expect(names.size).toBe(1)
  const cold = world.keys('cold/').flatMap(key => world.lake.rows(key))
  expect(cold.length).toBeGreaterThanOrEqual(12)
})

test('the hot files of an open epoch are not deleted, however old they are', async () => {
  const world = lakeWorld({ epochFiles: 100, epochMs: 1_000 * HOUR })
  await world.consumed('a')
  world.clock.time += 72 * HOUR
  await world.settle()
  expect(world.keys('hot/')).toHaveLength(1)
})

test('a lost cold compaction is searched in the dates that it can have written, not in all cold files', async () => {
  const world = lakeWorld({ epochFiles: 1 })
  await world.consumed('a')
  await world.settle()
  world.clock.time += 31 * HOUR
  await world.consumed('b')
  await world.settle()
  world.clock.time += 2 * HOUR
  await world.consumed('c')
  await world.settle()
  const { cold } = await world.state.lake()
  expect(cold).toBe(2)
  const date = utcDate(world.clock.time - 80 * DAY_MS)
  await world.lake.put(`cold/date=2026-11-02/bucket=1/3-4.parquet`, new Uint8Array(0))
  await world.lake.put(`cold/date=${date}/bucket=1/1-2.parquet`, new Uint8Array(0))
  world.clock.time += 31 * HOUR
  const list = vi.spyOn(world.lake, 'list')
  await world.maintenance.tick()
  expect((await world.state.lake()).coldUntil).toBe(3)
  const listed = list.mock.calls.map(([prefix]) => prefix).filter(prefix => prefix.startsWith('cold/'))
  expect(listed).toContain('cold/date=2026-11-02/')
  expect(listed).toContain('cold/date=2026-09-03/')
  expect(listed).not.toContain(`cold/date=${date}/`)
  expect(listed).not.toContain('cold/')
})

test.each([
  { lost: '1-3', planned: 3, rule: 'from the same epoch, it is repeated' },
  { lost: '2-3', planned: 2, rule: 'from a later epoch, it is not overlapped' },
])('if the state has lost a cold compaction $rule', async ({ lost, planned }) => {
  const world = lakeWorld({ epochFiles: 1 })
  for (const name of ['a', 'b', 'c', 'd']) {
    await world.consumed(name)
    await world.settle()
    world.clock.time += 2 * HOUR
  }
  await world.lake.put(`cold/date=2026-11-01/bucket=1/${lost}.parquet`, new Uint8Array(0))
  world.clock.time += 31 * HOUR
  await world.maintenance.tick()
  expect((await world.state.lake()).coldUntil).toBe(planned)
  await world.settle()
  const cold = world.keys('cold/').flatMap(key => world.lake.rows(key).map(row => row.id))
  expect(cold.toSorted()).toEqual(['a', 'b', 'c', 'd'])
})
