import { expect, test, vi } from 'vitest'
import { lakeWorld } from '#test/support/lake-world'

const HOUR = 3_600_000

/** A world with one event in hot, warm and cold files: the superseded files still exist. */
async function worldWithAllTiers() {
  const world = lakeWorld({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  await world.consumed('a')
  await world.settle()
  world.clock.time += 31 * HOUR
  await world.settle()
  return world
}

test.each(['hot/', 'warm/', 'cold/'])(
  'a missing file in %s is written again from its sources',
  async prefix => {
    const world = await worldWithAllTiers()
    const [key] = world.keys(prefix) as [string]
    world.lake.objects.delete(key)
    expect(await world.repair(key)).toBe(true)
    expect(world.lake.rows(key).map(row => row.id)).toEqual(['a'])
    expect(world.logged).toContain('LAKE_OBJECT_REPAIRED')
  },
)

test('a compaction that a repair repeats changes no counters', async () => {
  const world = await worldWithAllTiers()
  vi.spyOn(world.compactor, 'compactEpoch').mockResolvedValue([
    { project_id: 'proj_1', day: '2026-11-01', events: 1 },
  ])
  const before = structuredClone(world.counted)
  expect(await world.repair('warm/epoch=1/bucket=1/events.parquet')).toBe(true)
  expect(world.counted).toEqual(before)
})

test('a cold file whose warm files are being deleted stays unchanged and is logged as lost', async () => {
  const world = await worldWithAllTiers()
  const [key] = world.keys('cold/') as [string]
  await world.state.finishJob('expire/warm/1')
  expect(await world.repair(key)).toBe(false)
  expect(world.lake.rows(key).map(row => row.id)).toEqual(['a'])
  expect(world.logged).toContain('LAKE_OBJECT_LOST')
})

test('a hot file is not written again if the stream has lost some of its records', async () => {
  const world = lakeWorld()
  world.accept('a')
  await world.consumed('b')
  const [key] = world.keys('hot/') as [string]
  world.stream.byName.get('s0')?.entries.shift()
  expect(await world.repair(key)).toBe(false)
  expect(world.lake.rows(key).map(row => row.id)).toEqual(['a', 'b'])
})
