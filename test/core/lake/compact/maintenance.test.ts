import { expect, test, vi } from 'vitest'
import { emptyManifest } from '#core/lake/model/manifest'
import { createManifestItems } from '#core/lake/model/manifest-items'
import { BUCKETS } from '#schemas/columns'
import { encodeSimulatedTombstones } from '#test/simulation/simulated-ports'
import { addErasure } from '#test/support/add-erasure'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000

/** The bucket of all events of these tests (test/support/events-record.ts). */
const BUCKET = 1
const ALL_BUCKETS = Array.from({ length: BUCKETS }, (_, bucket) => bucket)

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

test('an epoch that an erasure waits for is closed earlier', async () => {
  const MINUTE = 60_000
  const pipeline = createLakePipeline({ epochMs: HOUR, erasureEpochMs: 10 * MINUTE, settlingMs: 0 })
  const epoch = async () => (await pipeline.state.lake()).epoch
  await pipeline.acceptAndConsume('before')
  await pipeline.settle()
  const opened = await epoch()
  await pipeline.acceptAndConsume('a')
  const erased = { project_id: 'proj_1', users: null, until: 2 ** 50 }
  const manifest = await addErasure(
    pipeline.lake,
    await pipeline.state.manifest(BUCKET),
    erased,
    pipeline.clock.time,
    encodeSimulatedTombstones,
  )
  await pipeline.state.saveManifest(manifest)
  await pipeline.settle()
  expect((await pipeline.state.manifest(BUCKET)).tombstones).toMatchObject([{ lastEpoch: opened }])
  pipeline.clock.time += 9 * MINUTE
  await pipeline.settle()
  expect(await epoch()).toBe(opened)
  pipeline.clock.time += MINUTE
  await pipeline.settle()
  expect(await epoch()).toBe(opened + 1)
  // The next epoch has nothing that is erased.
  await pipeline.acceptAndConsume('b')
  pipeline.clock.time += 59 * MINUTE
  await pipeline.settle()
  expect(await epoch()).toBe(opened + 1)
})

test('an epoch is not compacted while it has an open claim, and its watermark waits for the job', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  const claim = { first: '200000000000000000000', last: '200000000000000000000', epoch: 1 }
  await pipeline.state.claim('s0', claim, (await pipeline.state.shard('s0')).highWater, 1)
  await pipeline.settle()
  expect((await pipeline.state.lake()).epoch).toBe(2)
  expect(await pipeline.state.manifest(BUCKET)).toEqual(emptyManifest(BUCKET))
  expect(pipeline.keys('segments/')).toEqual([])
  await pipeline.state.commit('s0', claim)
  await pipeline.maintenance.tick()
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(1)
  await pipeline.settle()
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(2)
  expect(pipeline.keys('segments/events/')).toEqual(['segments/events/bucket=1/1-2-0-0.parquet'])
})

test('the watermark of a bucket without events moves too, so that old hot files can be deleted', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  const watermarks = (await pipeline.state.manifests()).map(({ compacted }) => compacted)
  expect(watermarks).toEqual(ALL_BUCKETS.map(() => 2))
})

test('a bucket that fails stays behind alone, and catches up when it works again', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  const { compactEpoch } = pipeline.compactor
  const failing = vi.spyOn(pipeline.compactor, 'compactEpoch').mockImplementation(async job => {
    const results = await compactEpoch(job)
    return results.map(result => (result.bucket === 5 ? { bucket: 5, failure: new Error('broken') } : result))
  })
  const watermark = async (bucket: number) => (await pipeline.state.manifest(bucket)).compacted
  for (const name of ['a', 'b', 'c']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settleIgnoringFailures()
  }
  expect([await watermark(BUCKET), await watermark(5)]).toEqual([4, 1])
  expect(pipeline.logged).toContain('JOB_FAILED')
  failing.mockRestore()
  pipeline.clock.time += HOUR
  await pipeline.settle()
  expect(await watermark(5)).toBe(4)
})

test('a bucket whose manifest is damaged waits alone, keeps all hot files, and goes on when it can be read', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  const { state, lake, clock, logged } = pipeline
  const watermarks = async () => (await state.manifestHeads()).map(({ compacted }) => compacted)
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  // Another process saves it, so this one does not have it in memory.
  const manifest = await state.manifest(5)
  const other = createManifestItems(state.pointers, { lake, clock })
  expect(await other.saveManifest({ ...manifest, version: manifest.version + 1 })).toBe(true)
  const key = pipeline.keys('manifests/bucket=5/').at(-1) ?? ''
  const bytes = lake.objects.get(key) ?? expect.unreachable()
  await lake.put(key, bytes.slice(1))
  for (const name of ['b', 'c']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
  }
  expect(await watermarks()).toEqual(ALL_BUCKETS.map(bucket => (bucket === 5 ? 2 : 4)))
  await expect(state.manifest(5)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for (let day = 0; day < 3; day++) {
    clock.time += 25 * HOUR
    await pipeline.settle()
  }
  expect(pipeline.keys('hot/')).toHaveLength(3)
  // Once when it was met, and once after each of the three pauses.
  expect(logged.filter(code => code === 'LAKE_OBJECT_DAMAGED')).toHaveLength(4)
  expect(logged).not.toContain('JOB_FAILED')

  await lake.put(key, bytes)
  await pipeline.settle()
  expect(logged).toContain('LAKE_OBJECT_REPAIRED')
  expect(await watermarks()).toEqual(ALL_BUCKETS.map(() => 4))
  for (let day = 0; day < 2; day++) {
    clock.time += 25 * HOUR
    await pipeline.settle()
  }
  expect(pipeline.keys('hot/')).toEqual([])
})

test('a backlog of epochs is compacted by one job, one epoch after the other', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  for (const name of ['a', 'b', 'c', 'd']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.maintenance.tick()
    pipeline.jobs.jobs.length = 0
  }
  pipeline.clock.time += HOUR
  await pipeline.maintenance.tick()
  expect(pipeline.jobs.jobs).toEqual([{ kind: 'compact', from: 1, until: 5, buckets: ALL_BUCKETS }])
  await pipeline.settle()
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(5)
})

test('a job stops after five minutes of a long backlog, and the next job continues', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  for (const name of ['a', 'b', 'c', 'd']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.maintenance.tick()
    pipeline.jobs.jobs.length = 0
  }
  const { compactEpoch } = pipeline.compactor
  vi.spyOn(pipeline.compactor, 'compactEpoch').mockImplementation(job => {
    pipeline.clock.time += 3 * 60_000
    return compactEpoch(job)
  })
  await pipeline.worker.run({ kind: 'compact', from: 1, until: 5, buckets: ALL_BUCKETS })
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(3)
  await pipeline.settle()
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(5)
})

test('the buckets of a large epoch are split among several jobs', async () => {
  // A simulated file has one byte.
  const pipeline = createLakePipeline({ epochFiles: 3, jobBytes: 1 })
  for (const name of ['a', 'b', 'c']) await pipeline.acceptAndConsume(name)
  await pipeline.maintenance.tick()
  const buckets = pipeline.jobs.jobs.map(job => (job.kind === 'compact' ? job.buckets : []))
  expect(buckets).toHaveLength(3)
  expect(buckets.flat().toSorted((a, b) => a - b)).toEqual(ALL_BUCKETS)
})

test('an unfinished job is sent again after five minutes, not earlier', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.maintenance.tick()
  await pipeline.maintenance.tick()
  expect(pipeline.jobs.jobs).toEqual([{ kind: 'compact', from: 1, until: 2, buckets: ALL_BUCKETS }])
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

test('without a lease time a tick works although an earlier process was killed in one', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1, leaseMs: 0 })
  await pipeline.acceptAndConsume('a')
  const { time } = pipeline.clock
  for (const leftUntil of [time, time + 60_000])
    expect(await pipeline.state.lease(time, leftUntil)).toBeTypeOf('number')
  await pipeline.settle()
  expect((await pipeline.state.lake()).epoch).toBe(2)
})

test('segments of one size are merged when there are enough, and reads find each event in one of them', async () => {
  // A simulated event has 100,000 bytes.
  const pipeline = createLakePipeline({ epochFiles: 1, mergeSegments: 4 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
  }
  const { segments, retired } = await pipeline.state.manifest(BUCKET)
  expect(segments.map(({ from, until, rows }) => [from, until, rows])).toEqual([
    [1, 5, 4],
    [5, 6, 1],
  ])
  expect(retired.map(({ from }) => from)).toEqual([1, 2, 3, 4])
  expect(pipeline.lake.rows('segments/events/bucket=1/1-5-0-0.parquet').map(({ id }) => id)).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
})

test.each(['hot', 'segments'])(
  'superseded %s files are kept for a day after they were superseded, however old they are',
  async tier => {
    const pipeline = createLakePipeline({ epochFiles: 1, mergeSegments: 4 })
    const areKept = () =>
      pipeline.keys(tier === 'hot' ? 'hot/epoch=1/' : 'segments/events/bucket=1/1-2-0-').length > 0
    for (const name of ['a', 'b', 'c', 'd']) {
      await pipeline.acceptAndConsume(name)
      if (tier === 'segments') await pipeline.settle()
      // Compaction or merge is two days late.
      pipeline.clock.time += 12 * HOUR
    }
    await pipeline.settle()
    await pipeline.settle()
    expect(areKept()).toBe(true)
    pipeline.clock.time += 11 * HOUR
    await pipeline.settle()
    expect(areKept()).toBe(true)
    pipeline.clock.time += 14 * HOUR
    await pipeline.settle()
    expect(areKept()).toBe(false)
    expect((await pipeline.state.manifest(BUCKET)).retired).toEqual([])
  },
)

test('a file that no manifest names is deleted when no job can add it any more', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1, mergeSegments: 4 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
  }
  const key = (range: string) => `segments/events/bucket=1/${range}-0-0.parquet`
  const orphans = [key('1-3'), key('2-3').replace('2-3-0', '2-3-1')]
  // A merge of 1-6 and the compaction of epoch 6 are still possible.
  const possible = [key('1-6'), key('6-7')]
  for (const each of [...orphans, ...possible]) await pipeline.lake.put(each, new Uint8Array(0))
  pipeline.clock.time += 3 * HOUR
  await pipeline.settle()
  const kept = pipeline.keys('segments/events/')
  expect(kept).toEqual(expect.arrayContaining([...possible, key('1-5'), key('5-6'), key('1-2')]))
  expect(kept).not.toEqual(expect.arrayContaining(orphans.slice(0, 1)))
  expect(kept).not.toEqual(expect.arrayContaining(orphans.slice(1)))
})

test('event_ids are deleted when no later event can be a copy of theirs', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1, mergeSegments: 100 })
  const ids = () => pipeline.keys('segments/event-ids/')
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) {
    pipeline.clock.time += 6 * HOUR
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
  }
  expect(ids()).toContain('segments/event-ids/bucket=1/7-8-0-0.parquet')
  for (let pass = 0; pass < 2; pass++) {
    pipeline.clock.time += 3 * HOUR
    await pipeline.settle()
  }
  expect(ids()).toHaveLength(6)
  expect(ids()).not.toContain('segments/event-ids/bucket=1/1-2-0-0.parquet')
  const { segments } = await pipeline.state.manifest(BUCKET)
  expect(segments.map(({ eventIds }) => eventIds)).toEqual([0, 1, 1, 1, 1, 1, 1])
})

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

test('the hot files of an open epoch are not deleted, however old they are', async () => {
  const pipeline = createLakePipeline({ epochFiles: 100, epochMs: 1_000 * HOUR })
  await pipeline.acceptAndConsume('a')
  pipeline.clock.time += 72 * HOUR
  await pipeline.settle()
  expect(pipeline.keys('hot/')).toHaveLength(1)
})
