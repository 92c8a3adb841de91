import { expect, test, vi } from 'vitest'
import { createLakeWorker } from '#core/lake/compact/jobs'
import { emptyManifest } from '#core/lake/model/manifest'
import { createManifestStore } from '#core/lake/model/manifest-store'
import { openLake } from '#core/lake/read/snapshot'
import type { Project } from '#core/projects/project'
import { BUCKETS } from '#schemas/columns'
import { createLakePipeline } from '#test/support/lake-pipeline'
import { noMending } from '#test/support/no-receipts'

const HOUR = 3_600_000
/** The bucket of all events, and one that never has any. */
const [BUCKET, EMPTY] = [1, 5]

/** Closes an epoch with one event of BUCKET, without compacting it. */
async function closeEpoch(pipeline: ReturnType<typeof createLakePipeline>, name: string): Promise<void> {
  await pipeline.acceptAndConsume(name)
  await pipeline.maintenance.tick()
  pipeline.jobs.jobs.length = 0
}

const compact = (from: number, until: number, buckets: readonly number[]) =>
  ({ kind: 'compact', from, until, buckets }) as const

test('a compaction saves the manifests of the buckets that have events, and one item for all others', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await closeEpoch(pipeline, 'a')
  const saveManifest = vi.spyOn(pipeline.state.items, 'saveManifest')
  const saveEmptyEpochs = vi.spyOn(pipeline.state.items, 'saveEmptyEpochs')
  await pipeline.worker.run(
    compact(
      1,
      2,
      Array.from({ length: BUCKETS }, (_, bucket) => bucket),
    ),
  )
  expect(saveManifest.mock.calls.map(([{ bucket }]) => bucket)).toEqual([BUCKET])
  expect(saveEmptyEpochs).toHaveBeenCalledTimes(1)
  const watermarks = (await pipeline.state.manifests()).map(({ compacted }) => compacted)
  expect(watermarks).toEqual(Array.from({ length: BUCKETS }, () => 2))
})

test('a read of a bucket opens no hot files of epochs that the bucket has skipped', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await closeEpoch(pipeline, 'a')
  await pipeline.worker.run(compact(1, 2, [EMPTY]))
  const lake = await openLake(pipeline)
  expect((await lake.ofBucket(EMPTY)).hot).toEqual([])
  expect((await lake.ofBucket(BUCKET)).hot).toHaveLength(1)
})

test('a slow job of an earlier epoch, in which the bucket is empty, does not move a later watermark', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  for (const name of ['a', 'b', 'c']) await closeEpoch(pipeline, name)
  const { compactEpoch } = pipeline.compactor
  vi.spyOn(pipeline.compactor, 'compactEpoch').mockImplementationOnce(async job => {
    const results = await compactEpoch(job)
    // Other workers come to the end of the backlog meanwhile.
    await pipeline.worker.run(compact(1, 4, [BUCKET, EMPTY]))
    return results
  })
  await pipeline.worker.run(compact(1, 2, [BUCKET, EMPTY]))
  const [busy, empty] = [await pipeline.state.manifest(BUCKET), await pipeline.state.manifest(EMPTY)]
  expect([busy.compacted, empty.compacted]).toEqual([4, 4])
  expect(busy.segments.map(({ from }) => from)).toEqual([1, 2, 3])
})

test('a slow job of an epoch with events, whose bucket has skipped epochs since, stores nothing twice', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await closeEpoch(pipeline, 'a')
  const { compactEpoch } = pipeline.compactor
  vi.spyOn(pipeline.compactor, 'compactEpoch').mockImplementationOnce(async job => {
    const results = await compactEpoch(job)
    await pipeline.worker.run(compact(1, 2, [BUCKET]))
    await pipeline.state.skipEpoch(2, [BUCKET])
    return results
  })
  await pipeline.worker.run(compact(1, 2, [BUCKET]))
  const { compacted, segments } = await pipeline.state.manifest(BUCKET)
  expect([compacted, segments.length]).toEqual([3, 1])
})

test.each(['saveManifest', 'saveEmptyEpochs'] as const)(
  'a worker that is killed before %s is repeated with the same result',
  async write => {
    const pipeline = createLakePipeline({ epochFiles: 1 })
    await closeEpoch(pipeline, 'a')
    const { state, lake, compactor, clock, log } = pipeline
    const killed = {
      ...state.items,
      [write]: () => Promise.reject(new Error('killed')),
    }
    const worker = createLakeWorker({
      ...{ lake, compactor, tombstones: noMending, clock, log },
      state: { ...state, ...createManifestStore(killed) },
      usage: { foldEpoch: async () => {} },
      projects: { byId: async () => ({ account_id: 'acct_1' }) as Project },
    })
    await expect(worker.run(compact(1, 2, [BUCKET, EMPTY]))).rejects.toThrow('killed')
    await pipeline.worker.run(compact(1, 2, [BUCKET, EMPTY]))
    const manifests = [await state.manifest(BUCKET), await state.manifest(EMPTY)]
    expect(manifests.map(({ compacted }) => compacted)).toEqual([2, 2])
    expect(manifests[0]?.segments).toHaveLength(1)
  },
)

test('an epoch whose only event of a bucket is a copy moves the watermark in the manifest', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await closeEpoch(pipeline, 'a')
  const { compactEpoch } = pipeline.compactor
  vi.spyOn(pipeline.compactor, 'compactEpoch').mockImplementationOnce(async job =>
    (await compactEpoch(job)).map(({ bucket }) => ({
      ...{ bucket, isEmpty: false, segment: null, stored: [], removed: [], replaced: [] },
    })),
  )
  await pipeline.worker.run(compact(1, 2, [BUCKET]))
  await pipeline.state.forgetSkippedEpochs()
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(2)
})

test('hot files are deleted only when the manifests say that their epochs are compacted', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1, keepSupersededMs: HOUR })
  for (const name of ['a', 'b']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
  }
  for (let i = 0; i < 3; i++) {
    pipeline.clock.time += HOUR
    await pipeline.settle()
  }
  expect(pipeline.keys('hot/')).toEqual([])
  // An older version knows the manifests alone.
  const { manifests: saved } = await pipeline.state.items.readReadable()
  expect(saved.map(({ compacted }) => compacted)).toEqual(Array.from({ length: BUCKETS }, () => 3))
})

test('a state of an older version, in which each manifest has its own watermark, goes on', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  for (const name of ['a', 'b']) await closeEpoch(pipeline, name)
  for (let bucket = 0; bucket < BUCKETS; bucket++)
    await pipeline.state.items.saveManifest({ ...emptyManifest(bucket), version: 1, compacted: 2 })
  await pipeline.settle()
  const watermarks = (await pipeline.state.manifests()).map(({ compacted }) => compacted)
  expect(watermarks).toEqual(Array.from({ length: BUCKETS }, () => 3))
})
