import { expect, test } from 'vitest'
import { jobName, type LakeJob } from '#core/lake/compact/jobs'
import { createRewriter } from '#core/lake/erase/rewriter'
import { nextHotRewrite } from '#core/lake/erase/tombstones'
import type { HotRewriteJob } from '#core/lake/model/compactor'
import { hotKey } from '#core/lake/model/keys'
import { compactedByAll, emptyManifest, type Manifest } from '#core/lake/model/manifest'
import { firstHotEpoch, newSweep } from '#core/lake/model/sweep'
import type { TombstoneBatch } from '#core/lake/model/tombstone-batch'
import { raiseEpoch } from '#core/lake/restore/raise-epoch'
import type { Lake } from '#core/ports'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { createFakeClock } from '#test/support/fake-clock'
import { createMemoryLakeState } from '#test/support/memory-lake-state'

const SECOND = 1_000

function batch(number: number, changes: Partial<TombstoneBatch> = {}): TombstoneBatch {
  return {
    ...{ number, first: number, writer: `${number}-00`, rows: 1, createdAt: 0, oldestUntil: 0 },
    ...{ newestUntil: 0, projects: null, lastEpoch: 10, hotUntil: 0, doneAt: null },
    removed: { events: 0, files: 0 },
    ...changes,
  }
}

function manifestWith(bucket: number, tombstones: TombstoneBatch[], compacted = 20): Manifest {
  const round = { at: 0, number: Math.max(0, ...tombstones.map(({ number }) => number)) }
  return { ...emptyManifest(bucket), version: 1, compacted, tombstones, round }
}

/**
 * Ten epochs with three hot files each, of which those before `newest` are closed. A call of the compactor
 * takes `callMs`.
 */
async function openRewriter({
  callMs,
  tombstones,
  newest = 20,
}: {
  callMs: number
  tombstones: TombstoneBatch[]
  newest?: number
}) {
  const clock = createFakeClock()
  const lake = createSimulatedLake()
  const state = createMemoryLakeState(lake, clock)
  for (let epoch = 1; epoch <= 10; epoch++)
    for (const file of ['1', '2', '3'])
      await lake.put(
        hotKey('0', { first: `${epoch}${file}`, last: `${epoch}${file}`, epoch }),
        new Uint8Array(),
      )
  await raiseEpoch({ state, clock }, newest)
  await state.saveManifest(manifestWith(7, tombstones))
  const calls: HotRewriteJob[] = []
  const compactor = {
    async rewriteHot(job: HotRewriteJob) {
      calls.push(job)
      clock.time += callMs
      return 0
    },
    rewriteSegment: async () => null,
    mergeTombstones: async () => null,
  }
  const pace = { sliceMs: 10 * SECOND, files: 6 }
  const services = { state, lake, compactor, clock, log: () => {}, pace }
  /** The epochs of each call since the last look. */
  const epochs = () =>
    calls.splice(0).map(({ keys }) => [...new Set(keys.map(key => Number(key.split(/[=/]/)[2])))])
  const next = async () => hotRewriteOf([await state.manifest(7)])
  /** The epochs that were listed since the last look. */
  const listed: string[] = []
  const listedLake: Lake = {
    ...lake,
    async list(prefix) {
      listed.push(prefix)
      return lake.list(prefix)
    },
  }
  const listedEpochs = () => listed.splice(0)
  const rewriter = createRewriter({ ...services, lake: listedLake })
  return { rewriter, clock, state, lake, epochs, listedEpochs, next, compactor }
}

/** What a sweep of hot files has seen: all buckets have the epochs below `epoch` in segments. */
const supersededAt = (epoch: number) => [{ epoch, at: 0 }]

/** The next job when all manifests can be read. */
const hotRewriteOf = (manifests: readonly Manifest[]) => nextHotRewrite(manifests, compactedByAll(manifests))

test('a job that has had its slice of time keeps how far it has come, and the next one goes on there', async () => {
  const { rewriter, epochs, next } = await openRewriter({ callMs: 6 * SECOND, tombstones: [batch(1)] })
  const names: string[] = []
  const done: number[][][] = []
  for (let job = await next(); job !== null; job = await next()) {
    names.push(jobName({ kind: 'rewrite-hot', ...job } satisfies LakeJob))
    await rewriter.rewriteHot(job, job.tombstones)
    done.push(epochs())
  }
  expect(done).toEqual([
    [
      [1, 2],
      [3, 4],
    ],
    [
      [5, 6],
      [7, 8],
    ],
    [[9, 10]],
  ])
  expect(new Set(names).size).toBe(3)
})

test('a job that is killed begins again where the one before it ended', async () => {
  const { rewriter, epochs, next, compactor, state } = await openRewriter({
    callMs: 12 * SECOND,
    tombstones: [batch(1)],
  })
  await rewriter.rewriteHot(expectJob(await next()), [{ bucket: 7, number: 1 }])
  const { rewriteHot } = compactor
  compactor.rewriteHot = async () => {
    throw new Error('killed')
  }
  await expect(rewriter.rewriteHot(expectJob(await next()), [{ bucket: 7, number: 1 }])).rejects.toThrow()
  compactor.rewriteHot = rewriteHot
  epochs()
  await rewriter.rewriteHot(expectJob(await next()), [{ bucket: 7, number: 1 }])
  expect(epochs()).toEqual([[3, 4]])
  expect((await state.manifest(7)).tombstones[0]?.hotUntil).toBe(5)
})

test('a slow job does at least one group of epochs, so it always comes to an end', async () => {
  const { rewriter, next } = await openRewriter({ callMs: 3_600 * SECOND, tombstones: [batch(1)] })
  let jobs = 0
  for (let job = await next(); job !== null; job = await next(), jobs++)
    await rewriter.rewriteHot(job, job.tombstones)
  expect(jobs).toBe(5)
})

test('a job lists the epochs that it searches alone: none before the first one with hot files, and none after its slice', async () => {
  const { rewriter, state, epochs, listedEpochs, next } = await openRewriter({
    callMs: 12 * SECOND,
    tombstones: [batch(1)],
  })
  const sweep = newSweep('hot')
  const hot = { ...sweep.hot, superseded: supersededAt(4), cleared: 6 }
  expect(await state.saveSweep({ ...sweep, version: 1, hot })).toBe(true)
  const job = expectJob(await next())
  await rewriter.rewriteHot(job, job.tombstones)
  expect(epochs()).toEqual([[4, 5]])
  expect(listedEpochs()).toEqual(['hot/epoch=4/', 'hot/epoch=5/'])
  const later = expectJob(await next())
  await rewriter.rewriteHot(later, later.tombstones)
  expect(epochs()).toEqual([[6, 7]])
  expect(listedEpochs()).toEqual(['hot/epoch=6/', 'hot/epoch=7/'])
})

test('epochs without hot files take their slice of time, too, and hide none of those behind them', async () => {
  const { rewriter, clock, state, lake, epochs, listedEpochs, next } = await openRewriter({
    callMs: 0,
    tombstones: [batch(1)],
  })
  await lake.delete(lake.keys('hot/').filter(key => !key.includes('epoch=10/')))
  const { list } = lake
  lake.list = prefix => {
    clock.time += 2 * SECOND
    return list(prefix)
  }
  const job = expectJob(await next())
  await rewriter.rewriteHot(job, job.tombstones)
  expect(listedEpochs()).toHaveLength(5)
  expect((await state.manifest(7)).tombstones[0]?.hotUntil).toBe(5)
  for (let each = await next(); each !== null; each = await next())
    await rewriter.rewriteHot(each, each.tombstones)
  expect(epochs()).toEqual([[10]])
})

test.each([
  ['no pass of the sweep has ended', { superseded: supersededAt(4), cleared: 0 }, 0],
  ['nobody knows which epochs are in segments', { superseded: [], cleared: 6 }, 0],
  [
    'a claim of epoch 4 was open and had no file when the pass began',
    { superseded: supersededAt(4), cleared: 6 },
    4,
  ],
  ['a file of long ago was there', { superseded: supersededAt(7), cleared: 2 }, 2],
])('where %s, hot files are searched from there on', (_, notes, first) => {
  const sweep = newSweep('hot')
  expect(firstHotEpoch({ hot: { ...sweep.hot, ...notes } })).toBe(first)
})

test('a job from before a restoration stops before the first open epoch', async () => {
  const { rewriter, state, epochs, next } = await openRewriter({
    callMs: 0,
    tombstones: [batch(1)],
    newest: 4,
  })
  const job = expectJob(await next())
  await rewriter.rewriteHot(job, job.tombstones)
  expect(epochs().flat()).toEqual([1, 2, 3])
  expect((await state.manifest(7)).tombstones[0]?.hotUntil).toBe(4)
})

test('a message of an older version, without `from`, is for all epochs', async () => {
  const { rewriter, epochs, next } = await openRewriter({ callMs: 0, tombstones: [batch(1)] })
  const { from: _, ...message } = expectJob(await next())
  await rewriter.rewriteHot({ from: 0, ...message }, message.tombstones)
  expect(epochs().flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('a pass over the hot files ends before the next one begins, however many erasures come meanwhile', () => {
  const under = batch(1, { hotUntil: 6 })
  const waiting = [batch(2), batch(3, { lastEpoch: 12 })]
  const before = [manifestWith(7, [under, ...waiting]), manifestWith(9, [batch(1, { lastEpoch: 11 })])]
  expect(hotRewriteOf(before)).toEqual({ from: 6, until: 11, tombstones: [{ bucket: 7, number: 1 }] })
  const after = [
    manifestWith(7, [{ ...under, hotUntil: 11 }, ...waiting]),
    manifestWith(9, [batch(1, { lastEpoch: 11 })]),
  ]
  expect(hotRewriteOf(after)).toEqual({
    from: 0,
    until: 13,
    tombstones: [
      { bucket: 7, number: 2 },
      { bucket: 7, number: 3 },
      { bucket: 9, number: 1 },
    ],
  })
})

test.each([
  ['whose last epoch nobody knows yet', { lastEpoch: null }, 20],
  ['whose last epoch some bucket has not compacted', {}, 10],
  ['of the next round', { number: 2 }, 20],
  ['whose hot files are done', { hotUntil: 11 }, 20],
])('hot files do not get a job for a batch %s', (_, changes, compacted) => {
  const manifest = manifestWith(7, [batch(1, changes)], compacted)
  expect(hotRewriteOf([{ ...manifest, round: { at: 0, number: 1 } }])).toBeNull()
})

function expectJob<T>(job: T | null): T {
  if (job === null) throw new Error('No hot file is left.')
  return job
}
