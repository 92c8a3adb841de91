import { expect, test, vi } from 'vitest'
import { lakeWorld } from '#test/support/lake-world'

const HOUR = 3_600_000

/** A world with an epoch of one event every ten hours. All are compacted, and superseded files still exist. */
async function worldWithEpochs(epochs: number) {
  const world = lakeWorld({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  for (let epoch = 1; epoch <= epochs; epoch++) {
    await world.consumed(`in ${epoch}`)
    await world.settle()
    world.clock.time += 10 * HOUR
  }
  return world
}

const warmFilesOf = (...epochs: number[]) =>
  epochs.map(epoch => expect.stringContaining(`warm/epoch=${epoch}/`))

test('warm compaction compares event_ids with the epochs of the thirty hours before its epoch', async () => {
  const world = await worldWithEpochs(5)
  const compact = vi.spyOn(world.compactor, 'compactEpoch')
  await world.consumed('in 6')
  await world.settle()
  expect(compact.mock.calls.map(([job]) => job)).toEqual([
    expect.objectContaining({ epoch: 6, lookback: warmFilesOf(3, 4, 5) }),
  ])
})

test('a repeated compaction compares event_ids with at least the same epochs, also if they are cold by now', async () => {
  const world = await worldWithEpochs(6)
  world.clock.time += 40 * HOUR
  await world.settle()
  expect((await world.state.lake()).cold).toBe(7)
  const compact = vi.spyOn(world.compactor, 'compactEpoch')
  await world.worker.repeatJob({ kind: 'compact-warm', epoch: 6, part: 0, parts: 1 })
  const [job] = compact.mock.calls[0] ?? []
  expect(job?.lookback).toEqual(expect.arrayContaining(warmFilesOf(3, 4, 5)))
})
