import { expect, test, vi } from 'vitest'
import { lakeWorld } from '#test/support/lake-world'

const HOUR = 3_600_000

/** A lake with one event in hot, warm and cold, all copies still there. */
async function filled() {
  const world = lakeWorld({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  await world.consumed('a')
  await world.settle()
  world.clock.time += 31 * HOUR
  await world.settle()
  return world
}

test.each(['hot/', 'warm/', 'cold/'])(
  'a missing object under %s is made anew from its finer copy',
  async prefix => {
    const world = await filled()
    const [key] = world.keys(prefix) as [string]
    world.lake.objects.delete(key)
    expect(await world.repair(key)).toBe(true)
    expect(world.lake.rows(key).map(row => row.id)).toEqual(['a'])
    expect(world.logged).toContain('LAKE_OBJECT_REPAIRED')
  },
)

test('a compaction that is done again for a repair is not counted again', async () => {
  const world = await filled()
  vi.spyOn(world.compactor, 'compactEpoch').mockResolvedValue([
    { project_id: 'proj_1', day: '2026-11-01', events: 1 },
  ])
  const before = structuredClone(world.counted)
  expect(await world.repair('warm/epoch=1/bucket=1/events.parquet')).toBe(true)
  expect(world.counted).toEqual(before)
})

test('what has no finer copy any more is left as it is, and said', async () => {
  const world = await filled()
  const [key] = world.keys('cold/') as [string]
  await world.state.finishJob('expire/warm/1')
  expect(await world.repair(key)).toBe(false)
  expect(world.lake.rows(key).map(row => row.id)).toEqual(['a'])
  expect(world.logged).toContain('LAKE_OBJECT_LOST')
})

test('a hot file whose records the stream has dropped in part is not made from the rest', async () => {
  const world = lakeWorld()
  world.accept('a')
  await world.consumed('b')
  const [key] = world.keys('hot/') as [string]
  world.stream.byName.get('s0')?.entries.shift()
  expect(await world.repair(key)).toBe(false)
  expect(world.lake.rows(key).map(row => row.id)).toEqual(['a', 'b'])
})
