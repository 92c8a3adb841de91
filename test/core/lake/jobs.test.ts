import { expect, test, vi } from 'vitest'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000

/** A world with an epoch of one event every ten hours. All are compacted, and superseded files still exist. */
async function worldWithEpochs(epochs: number) {
  const pipeline = createLakePipeline({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  for (let epoch = 1; epoch <= epochs; epoch++) {
    await pipeline.acceptAndConsume(`in ${epoch}`)
    await pipeline.settle()
    pipeline.clock.time += 10 * HOUR
  }
  return pipeline
}

const warmFilesOf = (...epochs: number[]) =>
  epochs.map(epoch => expect.stringContaining(`warm/epoch=${epoch}/`))

test('warm compaction compares event_ids with the epochs of the thirty hours before its epoch', async () => {
  const pipeline = await worldWithEpochs(5)
  const compact = vi.spyOn(pipeline.compactor, 'compactEpoch')
  await pipeline.acceptAndConsume('in 6')
  await pipeline.settle()
  expect(compact.mock.calls.map(([job]) => job)).toEqual([
    expect.objectContaining({ epoch: 6, lookback: warmFilesOf(3, 4, 5) }),
  ])
})

test('a repeated compaction compares event_ids with at least the same epochs, also if they are cold by now', async () => {
  const pipeline = await worldWithEpochs(6)
  pipeline.clock.time += 40 * HOUR
  await pipeline.settle()
  expect((await pipeline.state.lake()).cold).toBe(7)
  const compact = vi.spyOn(pipeline.compactor, 'compactEpoch')
  await pipeline.worker.repeatJob({ kind: 'compact-warm', epoch: 6, part: 0, parts: 1 })
  const [job] = compact.mock.calls[0] ?? []
  expect(job?.lookback).toEqual(expect.arrayContaining(warmFilesOf(3, 4, 5)))
})
