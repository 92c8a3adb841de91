import { expect, test } from 'vitest'
import { finishOrphanedClaims } from '#core/lake/orphaned-claims'
import { lakeWorld } from '#test/support/lake-world'

const HOUR = 3_600_000

/** A claim on `shard` that is open since an hour and a minute; the stream has the shard s0 alone. */
async function claimed(shard: string) {
  const world = lakeWorld()
  world.accept('a')
  await world.state.addShard(shard)
  await world.state.joinEpoch(shard, 1)
  const sequence = world.stream.byName.get('s0')?.entries[0]?.sequence as string
  const claim = { first: sequence, last: sequence, epoch: 1 }
  await world.state.claim(shard, claim, null, world.clock.time)
  world.clock.time += HOUR + 60_000
  return { world, sequence }
}

test('a claim of a shard that is no more is ended, and what was lost is told', async () => {
  const { world, sequence } = await claimed('gone')
  await finishOrphanedClaims(world)
  expect(await world.state.shard('gone')).toMatchObject({ claim: null, highWater: sequence })
  expect(world.logged).toContain('RECORDS_MISSING')
})

test('a claim of a shard that is there is left to its own consumer', async () => {
  const { world } = await claimed('s0')
  await finishOrphanedClaims(world)
  expect((await world.state.shard('s0')).claim).not.toBe(null)
  expect(world.logged).toEqual([])
})

test('a young claim is left alone', async () => {
  const { world } = await claimed('gone')
  world.clock.time -= HOUR / 2
  await finishOrphanedClaims(world)
  expect((await world.state.shard('gone')).claim).not.toBe(null)
})
