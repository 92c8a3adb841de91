import { expect, test, vi } from 'vitest'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000
const BUCKET = 1

/** A pipeline with an epoch of one event every ten hours. All are compacted, and superseded files still exist. */
async function pipelineWithEpochs(epochs: number) {
  const pipeline = createLakePipeline({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  for (let epoch = 1; epoch <= epochs; epoch++) {
    await pipeline.acceptAndConsume(`in ${epoch}`)
    await pipeline.settle()
    pipeline.clock.time += 10 * HOUR
  }
  return pipeline
}

const idsOf = (...epochs: number[]) =>
  epochs.map(epoch => `segments/event-ids/bucket=${BUCKET}/${epoch}-${epoch + 1}-0-0.parquet`)

test('compaction looks for copies in the segments of the thirty hours before the newest one', async () => {
  const pipeline = await pipelineWithEpochs(6)
  const compact = vi.spyOn(pipeline.compactor, 'compactEpoch')
  await pipeline.acceptAndConsume('in 7')
  await pipeline.settle()
  const bucket = compact.mock.calls[0]?.[0].buckets.find(candidate => candidate.bucket === BUCKET)
  expect(bucket?.eventIds).toEqual(idsOf(3, 4, 5, 6))
})

test('a compaction that is repeated changes neither manifest nor counters', async () => {
  const pipeline = await pipelineWithEpochs(2)
  const before = { manifest: await pipeline.state.manifest(BUCKET), folded: new Map(pipeline.folded) }
  await pipeline.worker.run({ kind: 'compact', from: 1, until: 3, buckets: [BUCKET] })
  expect({ manifest: await pipeline.state.manifest(BUCKET), folded: pipeline.folded }).toEqual(before)
})

test('of two workers that compact the same epoch, the slower one changes nothing', async () => {
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
