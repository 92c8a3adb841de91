import { expect, test } from 'vitest'
import { finishOrphanedClaims } from '#core/lake/orphaned-claims'
import { lakeWorld } from '#test/support/lake-world'

const HOUR = 3_600_000

/** A claim of `shard` has been open for an hour and a minute. The stream has only the shard s0. */
async function worldWithClaim(shard: string) {
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

test('a claim of a shard that no longer exists is finished, and its lost records are logged', async () => {
  const { world, sequence } = await worldWithClaim('gone')
  await finishOrphanedClaims(world)
  expect(await world.state.shard('gone')).toMatchObject({ claim: null, highWater: sequence })
  expect(world.logged).toContain('RECORDS_MISSING')
})

test('a claim of an existing shard is left to its consumer', async () => {
  const { world } = await worldWithClaim('s0')
  await finishOrphanedClaims(world)
  expect((await world.state.shard('s0')).claim).not.toBe(null)
  expect(world.logged).toEqual([])
})

test('a claim that is less than an hour old stays open', async () => {
  const { world } = await worldWithClaim('gone')
  world.clock.time -= HOUR / 2
  await finishOrphanedClaims(world)
  expect((await world.state.shard('gone')).claim).not.toBe(null)
})
