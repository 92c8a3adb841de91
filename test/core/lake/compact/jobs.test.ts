import { expect, test, vi } from 'vitest'
import type { StreamRecord } from '#core/ingest/record'
import { changeManifest } from '#core/lake/model/change-manifest'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'

type Pipeline = ReturnType<typeof createLakePipeline>

const HOUR = 3_600_000
const BUCKET = 1

/**
 * A pipeline with an epoch of one event every six hours, which is no jump. All are compacted, and superseded
 * files still exist.
 */
async function pipelineWithEpochs(epochs: number) {
  const pipeline = createLakePipeline({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  for (let epoch = 1; epoch <= epochs; epoch++) {
    await pipeline.acceptAndConsume(`in ${epoch}`)
    await pipeline.settle()
    pipeline.clock.time += 6 * HOUR
  }
  return pipeline
}

const idsOf = (...epochs: number[]) =>
  epochs.map(epoch => `segments/event-ids/bucket=${BUCKET}/${epoch}-${epoch + 1}-0-0.parquet`)

test('compaction looks for copies in the segments of the thirty hours before the newest one', async () => {
  const pipeline = await pipelineWithEpochs(7)
  const compact = vi.spyOn(pipeline.compactor, 'compactEpoch')
  await pipeline.acceptAndConsume('in 8')
  await pipeline.settle()
  const bucket = compact.mock.calls[0]?.[0].buckets.find(candidate => candidate.bucket === BUCKET)
  expect(bucket?.eventIds).toEqual(idsOf(2, 3, 4, 5, 6, 7))
})

test('a compaction that is repeated changes neither manifest nor counters', async () => {
  const pipeline = await pipelineWithEpochs(2)
  const before = { manifest: await pipeline.state.manifest(BUCKET), folded: new Map(pipeline.folded) }
  await pipeline.worker.run({ kind: 'compact', from: 1, until: 3, buckets: [BUCKET] })
  expect({ manifest: await pipeline.state.manifest(BUCKET), folded: pipeline.folded }).toEqual(before)
})

test.each([
  [
    'is open again',
    async ({ state }: Pipeline, saved: ReturnType<Pipeline['state']['save']>) => state.restore(saved),
  ],
  [
    'has an open claim again',
    async ({ state, clock }: Pipeline) => {
      await state.addShard('s1')
      await state.joinEpoch('s1', 1)
      await state.claim('s1', { first: '1', last: '2', epoch: 1 }, null, clock.time)
    },
  ],
])('a compaction that was sent before a restoration leaves an epoch alone that %s', async (_, restore) => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  const saved = pipeline.state.save()
  await pipeline.maintenance.tick()
  const job = pipeline.jobs.jobs.find(({ kind }) => kind === 'compact') ?? expect.unreachable()
  await restore(pipeline, saved)
  await pipeline.worker.run(job)
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(1)
})

test('the slower of two workers that compact the same epoch changes nothing', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.maintenance.tick()
  const job = { kind: 'compact', from: 1, until: 2, buckets: [BUCKET] } as const
  await Promise.all([pipeline.worker.run(job), pipeline.worker.run(job)])
  const { compacted, segments } = await pipeline.state.manifest(BUCKET)
  expect([compacted, segments.length]).toEqual([2, 1])
  expect(pipeline.folded.get(`${BUCKET} 1`)).toBe(1)
})

test('a merge whose segments another merge has replaced changes nothing', async () => {
  const pipeline = await pipelineWithEpochs(4)
  const { mergeSegments } = pipeline.compactor
  vi.spyOn(pipeline.compactor, 'mergeSegments').mockImplementationOnce(async job => {
    const merged = await mergeSegments(job)
    await pipeline.worker.run({ kind: 'merge', bucket: BUCKET, from: 1, until: 3 })
    return merged
  })
  await pipeline.worker.run({ kind: 'merge', bucket: BUCKET, from: 1, until: 5 })
  const { segments } = await pipeline.state.manifest(BUCKET)
  expect(segments.map(({ from, until }) => [from, until])).toEqual([
    [1, 3],
    [3, 4],
    [4, 5],
  ])
})

test('an epoch whose hot files are being deleted is not compacted', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  await pipeline.acceptAndConsume('a')
  await pipeline.maintenance.tick()
  await pipeline.state.finishJob('expire/hot/1')
  const job = { kind: 'compact', from: 1, until: 2, buckets: [BUCKET] } as const
  await expect(pipeline.worker.run(job)).rejects.toThrow('The hot files of epoch 1 are deleted')
  expect((await pipeline.state.manifest(BUCKET)).compacted).toBe(1)
})

/** An epoch with a visitor's copy of an event_id, and one with the server's. Only the first is compacted. */
async function pipelineWithReplacement() {
  const pipeline = createLakePipeline({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  const send = async (changes: object) => {
    const record = eventsRecord(['invoice'], pipeline.clock.time, { event_id: 'inv-1' })
    pipeline.stream.accept('s0', { ...record, ...changes } as StreamRecord)
    await pipeline.consumer.consume('s0')
  }
  pipeline.accept('other')
  await send({})
  await pipeline.settle()
  await send({ credentialed: true })
  await pipeline.maintenance.tick()
  return pipeline
}

const compactSecond = { kind: 'compact', from: 2, until: 3, buckets: [BUCKET] } as const

test('a compaction that replaces a stored event exchanges its segment in the change that adds the new one', async () => {
  const pipeline = await pipelineWithReplacement()
  const versions: number[][] = []
  const { saveManifest } = pipeline.state
  vi.spyOn(pipeline.state, 'saveManifest').mockImplementation(async manifest => {
    versions.push(manifest.segments.map(({ rows }) => rows))
    return saveManifest(manifest)
  })
  await pipeline.worker.run(compactSecond)
  // The generation is counted on, and then everything changes at once.
  expect(versions).toEqual([[2], [1, 1]])
  const { segments, tombstoneCount } = await pipeline.state.manifest(BUCKET)
  expect(segments.map(({ generation, erased }) => [generation, erased])).toEqual([
    [1, 3],
    [0, 3],
  ])
  expect(tombstoneCount).toBe(3)
  expect([1, 2].map(epoch => pipeline.folded.get(`${BUCKET} ${epoch}`))).toEqual([2, 0])
})

test('a compaction whose older segment was merged meanwhile fails, and replaces the event when it runs again', async () => {
  const pipeline = await pipelineWithReplacement()
  const { rewriteSegment } = pipeline.compactor
  vi.spyOn(pipeline.compactor, 'rewriteSegment').mockImplementationOnce(async job => {
    const rewritten = await rewriteSegment(job)
    await changeManifest(pipeline.state, BUCKET, manifest => ({
      ...manifest,
      version: manifest.version + 1,
      segments: manifest.segments.map(segment => ({
        ...segment,
        generation: 0,
        until: segment.until,
        erased: 9,
      })),
    }))
    return rewritten
  })
  await expect(pipeline.worker.run(compactSecond)).rejects.toThrow('have changed meanwhile')
  await pipeline.worker.run(compactSecond)
  const { segments } = await pipeline.state.manifest(BUCKET)
  expect(segments.map(({ rows }) => rows)).toEqual([1, 1])
  expect([1, 2].map(epoch => pipeline.folded.get(`${BUCKET} ${epoch}`))).toEqual([2, 0])
})

test('of merges that were sent for longer and longer runs while one ran, only the first rewrites events', async () => {
  const pipeline = await pipelineWithEpochs(4)
  const merge = vi.spyOn(pipeline.compactor, 'mergeSegments')
  // Each epoch has one event, and the second job was sent when one more was compacted.
  const jobs = [3, 4].map(until => ({ kind: 'merge', bucket: BUCKET, from: 1, until }) as const)
  for (const job of jobs) await pipeline.worker.run(job)
  expect(merge.mock.calls.map(([{ target }]) => [target.from, target.until])).toEqual([[1, 3]])
  const { segments } = await pipeline.state.manifest(BUCKET)
  expect(segments.map(({ from, until }) => [from, until])).toEqual([
    [1, 3],
    [3, 4],
    [4, 5],
  ])
})
