import { expect, test, vi } from 'vitest'
import { DAY_MS, utcDate } from '#core/time'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000

test('an epoch is closed at its age limit, but not while it is empty', async () => {
  const pipeline = createLakePipeline()
  pipeline.clock.time += HOUR
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).epoch).toBe(1)
  await pipeline.acceptAndConsume('a')
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).epoch).toBe(2)
})

test('an epoch is closed at its file limit, however young it is', async () => {
  const pipeline = createLakePipeline({ epochFiles: 3, epochMs: HOUR })
  await pipeline.maintenance.tick()
  const opened = (await pipeline.state.lake()).epoch
  for (const name of ['a', 'b', 'c']) await pipeline.acceptAndConsume(name)
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).epoch).toBe(opened + 1)
})

test('an epoch is closed at its byte limit, so that a small machine can compact it', async () => {
  const pipeline = createLakePipeline({ epochFiles: 100, epochMs: HOUR, epochBytes: 3 })
  await pipeline.maintenance.tick()
  const opened = (await pipeline.state.lake()).epoch
  // A simulated file has one byte.
  for (const name of ['a', 'b', 'c']) await pipeline.acceptAndConsume(name)
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).epoch).toBe(opened + 1)
})

test('an epoch is not compacted while it has an open claim, and the warm watermark waits for its job', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  const claim = { first: '200000000000000000000', last: '200000000000000000000', epoch: 1 }
  await pipeline.state.claim('s0', claim, (await pipeline.state.shard('s0')).highWater, 1)
  await pipeline.settle()
  expect(await pipeline.state.lake()).toMatchObject({ epoch: 2, warm: 1 })
  expect(pipeline.keys('warm/')).toEqual([])
  await pipeline.state.commit('s0', claim)
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).warm).toBe(1)
  await pipeline.settle()
  expect((await pipeline.state.lake()).warm).toBe(2)
  expect(pipeline.keys('warm/')).toEqual(['warm/epoch=1/bucket=1/events.parquet'])
})

test('an unfinished job is sent again after five minutes, not earlier', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.maintenance.tick()
  await pipeline.maintenance.tick()
  expect(pipeline.jobs.jobs).toEqual([{ kind: 'compact-warm', epoch: 1, part: 0, parts: 1 }])
  pipeline.clock.time += 4 * 60_000
  await pipeline.maintenance.tick()
  expect(pipeline.jobs.jobs).toHaveLength(1)
  pipeline.clock.time += 2 * 60_000
  await pipeline.maintenance.tick()
  expect(pipeline.jobs.jobs).toHaveLength(2)
})

test('a job is never sent twice if the queue keeps jobs until they are done', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1, resendMs: Number.POSITIVE_INFINITY })
  await pipeline.acceptAndConsume('a')
  await pipeline.maintenance.tick()
  pipeline.clock.time += 24 * HOUR
  await pipeline.maintenance.tick()
  expect(pipeline.jobs.jobs).toHaveLength(1)
})

test('a tick that fails releases the lease', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  const { list } = pipeline.lake
  pipeline.lake.list = () => Promise.reject(new Error('no listing'))
  await expect(pipeline.maintenance.tick()).rejects.toThrow('no listing')
  pipeline.lake.list = list
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).epoch).toBe(2)
})

test('a tick does nothing while another process holds the lease', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.state.lease(pipeline.clock.time, pipeline.clock.time + 60_000)
  await pipeline.settle()
  expect((await pipeline.state.lake()).epoch).toBe(1)
})

test('epochs go cold 30 hours after they were closed, if they are warm', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  pipeline.clock.time += 29 * HOUR
  await pipeline.settle()
  expect(pipeline.keys('cold/')).toEqual([])
  pipeline.clock.time += 2 * HOUR
  await pipeline.settle()
  expect(await pipeline.state.lake()).toMatchObject({ cold: 2, coldUntil: null })
  expect(pipeline.keys('cold/')).toEqual(['cold/date=2026-11-01/bucket=1/1-2.parquet'])
  expect(pipeline.keys('warm/')).toHaveLength(1)
})

test('while warm compaction lags behind, the epochs of its dedupe look-back stay warm', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  pipeline.clock.time += 2 * HOUR
  await pipeline.acceptAndConsume('b')
  await pipeline.maintenance.tick()
  pipeline.jobs.jobs.splice(0)
  pipeline.clock.time += 100 * HOUR
  await pipeline.acceptAndConsume('c')
  await pipeline.maintenance.tick()
  expect(await pipeline.state.lake()).toMatchObject({ warm: 2, cold: 1, coldUntil: null })
  await pipeline.settle()
  await pipeline.settle()
  expect(await pipeline.state.lake()).toMatchObject({ warm: 4, cold: 3 })
})

test.each([
  ['hot', 'warm', 0],
  ['warm', 'cold', 31],
])(
  'superseded %s files are kept for a day after the watermark has passed them, however old they are',
  async (tier, _, hours) => {
    const pipeline = createLakePipeline({ epochFiles: 1 })
    await pipeline.acceptAndConsume('a')
    // Compaction is two days late.
    if (tier === 'hot') pipeline.clock.time += 48 * HOUR
    await pipeline.settle()
    pipeline.clock.time += hours * HOUR
    await pipeline.settle()
    await pipeline.restartMaintenance().tick()
    expect(pipeline.keys(`${tier}/`)).toHaveLength(1)
    pipeline.clock.time += 23 * HOUR
    await pipeline.restartMaintenance().tick()
    expect(pipeline.keys(`${tier}/`)).toHaveLength(1)
    pipeline.clock.time += 2 * HOUR
    await pipeline.restartMaintenance().tick()
    expect(pipeline.keys(`${tier}/`)).toEqual([])
  },
)

test('a new shard does not join a closed epoch, even if maintenance paused after it listed the shards', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  const { shards } = pipeline.state
  pipeline.state.shards = async () => {
    pipeline.state.shards = shards
    const { fence, epoch } = await pipeline.state.lake()
    await pipeline.state.openEpoch(fence, epoch, pipeline.clock.time)
    await pipeline.state.addShard('new')
    return shards()
  }
  await pipeline.maintenance.tick()
  expect((await pipeline.state.shard('new')).epoch).toBe((await pipeline.state.lake()).epoch)
})

test('a cold compaction takes the epochs that fit its byte limit, and the next one continues there', async () => {
  // A simulated object counts as one byte.
  const pipeline = createLakePipeline({ epochFiles: 1, coldBytes: 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
    pipeline.clock.time += HOUR
  }
  pipeline.clock.time += 31 * HOUR
  for (let i = 0; i < 3; i++) await pipeline.settle()
  const names = pipeline.keys('cold/').map(key => key.slice(key.lastIndexOf('/') + 1))
  expect(names).toEqual(['1-3.parquet', '3-5.parquet', '5-6.parquet'])
})

test('a job is sent by the next tick if sending it failed', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  const send = pipeline.jobs.send
  pipeline.jobs.send = () => Promise.reject(new Error('no queue'))
  await expect(pipeline.maintenance.tick()).rejects.toThrow('no queue')
  pipeline.jobs.send = send
  pipeline.clock.time += 60_001
  await pipeline.maintenance.tick()
  expect(pipeline.jobs.jobs).toHaveLength(1)
})

test('a job that was sent before the process started is sent again, because its queue was in memory', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.maintenance.tick()
  pipeline.jobs.jobs.length = 0
  pipeline.clock.time += 61_000
  await pipeline.restartMaintenance().tick()
  expect(pipeline.jobs.jobs).toEqual([])
  pipeline.clock.time += 61_000
  await pipeline.restartMaintenance({ queueSince: pipeline.clock.time - 1_000 }).tick()
  expect(pipeline.jobs.jobs).toHaveLength(1)
})

test('a cold compaction waits for a day of epochs, so that a date does not get many small files', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1, coldSpanMs: 24 * HOUR })
  for (let hour = 0; hour < 60; hour += 2) {
    await pipeline.acceptAndConsume(`e${hour}`)
    await pipeline.settle()
    pipeline.clock.time += 2 * HOUR
  }
  const names = new Set(pipeline.keys('cold/').map(key => key.slice(key.lastIndexOf('/'))))
  expect(names.size).toBe(1)
  const cold = pipeline.keys('cold/').flatMap(key => pipeline.lake.rows(key))
  expect(cold.length).toBeGreaterThanOrEqual(12)
})

test('the hot files of an open epoch are not deleted, however old they are', async () => {
  const pipeline = createLakePipeline({ epochFiles: 100, epochMs: 1_000 * HOUR })
  await pipeline.acceptAndConsume('a')
  pipeline.clock.time += 72 * HOUR
  await pipeline.settle()
  expect(pipeline.keys('hot/')).toHaveLength(1)
})

test('a lost cold compaction is searched in the dates that it can have written, not in all cold files', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  pipeline.clock.time += 31 * HOUR
  await pipeline.acceptAndConsume('b')
  await pipeline.settle()
  pipeline.clock.time += 2 * HOUR
  await pipeline.acceptAndConsume('c')
  await pipeline.settle()
  const { cold } = await pipeline.state.lake()
  expect(cold).toBe(2)
  const date = utcDate(pipeline.clock.time - 80 * DAY_MS)
  await pipeline.lake.put(`cold/date=2026-11-02/bucket=1/3-4.parquet`, new Uint8Array(0))
  await pipeline.lake.put(`cold/date=${date}/bucket=1/1-2.parquet`, new Uint8Array(0))
  pipeline.clock.time += 31 * HOUR
  const list = vi.spyOn(pipeline.lake, 'list')
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).coldUntil).toBe(3)
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
  const pipeline = createLakePipeline({ epochFiles: 1 })
  for (const name of ['a', 'b', 'c', 'd']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
    pipeline.clock.time += 2 * HOUR
  }
  await pipeline.lake.put(`cold/date=2026-11-01/bucket=1/${lost}.parquet`, new Uint8Array(0))
  pipeline.clock.time += 31 * HOUR
  await pipeline.maintenance.tick()
  expect((await pipeline.state.lake()).coldUntil).toBe(planned)
  await pipeline.settle()
  const cold = pipeline.keys('cold/').flatMap(key => pipeline.lake.rows(key).map(row => row.id))
  expect(cold.toSorted()).toEqual(['a', 'b', 'c', 'd'])
})
