import { expect, test, vi } from 'vitest'
import { lakeWorld } from '#test/support/lake-world'

const HOUR = 3_600_000

/** A lake with an epoch of one event every ten hours, all compacted, all copies still there. */
async function filled(epochs: number) {
  const world = lakeWorld({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  for (let epoch = 1; epoch <= epochs; epoch++) {
    await world.consumed(`in ${epoch}`)
    await world.settle()
    world.clock.time += 10 * HOUR
  }
  return world
}

const warmOf = (...epochs: number[]) => epochs.map(epoch => expect.stringContaining(`warm/epoch=${epoch}/`))

test('a compaction compares event_ids with the epochs of thirty hours before its own', async () => {
  const world = await filled(5)
  const compact = vi.spyOn(world.compactor, 'compactEpoch')
  await world.consumed('in 6')
  await world.settle()
  expect(compact.mock.calls.map(([job]) => job)).toEqual([
    expect.objectContaining({ epoch: 6, lookback: warmOf(3, 4, 5) }),
  ])
})

test('done again when all of them are cold, it compares them with these at least', async () => {
  const world = await filled(6)
  world.clock.time += 40 * HOUR
  await world.settle()
  expect((await world.state.lake()).cold).toBe(7)
  const compact = vi.spyOn(world.compactor, 'compactEpoch')
  await world.worker.repeatJob({ kind: 'compact-warm', epoch: 6, part: 0, parts: 1 })
  const [job] = compact.mock.calls[0] ?? []
  expect(job?.lookback).toEqual(expect.arrayContaining(warmOf(3, 4, 5)))
})
