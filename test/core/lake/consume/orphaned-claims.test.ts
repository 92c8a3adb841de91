import { expect, test } from 'vitest'
import { finishOrphanedClaims } from '#core/lake/consume/orphaned-claims'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000

/** A claim of `shard` has been open for an hour and a minute. The stream has only the shard s0. */
async function worldWithClaim(shard: string) {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  await pipeline.state.addShard(shard)
  await pipeline.state.joinEpoch(shard, 1)
  const sequence = pipeline.stream.byName.get('s0')?.entries[0]?.sequence as string
  const claim = { first: sequence, last: sequence, epoch: 1 }
  await pipeline.state.claim(shard, claim, null, pipeline.clock.time)
  pipeline.clock.time += HOUR + 60_000
  return { pipeline, sequence }
}

test('a claim of a shard that no longer exists is finished, and its lost records are logged', async () => {
  const { pipeline, sequence } = await worldWithClaim('gone')
  await finishOrphanedClaims(pipeline)
  expect(await pipeline.state.shard('gone')).toMatchObject({ claim: null, highWater: sequence })
  expect(pipeline.logged).toContain('RECORDS_MISSING')
})

test('a claim of an existing shard is left to its consumer', async () => {
  const { pipeline } = await worldWithClaim('s0')
  await finishOrphanedClaims(pipeline)
  expect((await pipeline.state.shard('s0')).claim).not.toBe(null)
  expect(pipeline.logged).toEqual([])
})

test('a claim that is less than an hour old stays open', async () => {
  const { pipeline } = await worldWithClaim('gone')
  pipeline.clock.time -= HOUR / 2
  await finishOrphanedClaims(pipeline)
  expect((await pipeline.state.shard('gone')).claim).not.toBe(null)
})
