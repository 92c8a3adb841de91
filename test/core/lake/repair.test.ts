import { expect, test, vi } from 'vitest'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000

/** A world with one event in hot, warm and cold files: the superseded files still exist. */
async function worldWithAllTiers() {
  const pipeline = createLakePipeline({ epochFiles: 1, keepSupersededMs: 1_000 * HOUR })
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  pipeline.clock.time += 31 * HOUR
  await pipeline.settle()
  return pipeline
}

test.each(['hot/', 'warm/', 'cold/'])(
  'a missing file in %s is written again from its sources',
  async prefix => {
    const pipeline = await worldWithAllTiers()
    const [key] = pipeline.keys(prefix) as [string]
    pipeline.lake.objects.delete(key)
    expect(await pipeline.repair(key)).toBe(true)
    expect(pipeline.lake.rows(key).map(row => row.id)).toEqual(['a'])
    expect(pipeline.logged).toContain('LAKE_OBJECT_REPAIRED')
  },
)

test('a compaction that a repair repeats changes no counters', async () => {
  const pipeline = await worldWithAllTiers()
  vi.spyOn(pipeline.compactor, 'compactEpoch').mockResolvedValue([
    { project_id: 'proj_1', day: '2026-11-01', events: 1 },
  ])
  const before = structuredClone(pipeline.counted)
  expect(await pipeline.repair('warm/epoch=1/bucket=1/events.parquet')).toBe(true)
  expect(pipeline.counted).toEqual(before)
})

test('a cold file whose warm files are being deleted stays unchanged and is logged as lost', async () => {
  const pipeline = await worldWithAllTiers()
  const [key] = pipeline.keys('cold/') as [string]
  await pipeline.state.finishJob('expire/warm/1')
  expect(await pipeline.repair(key)).toBe(false)
  expect(pipeline.lake.rows(key).map(row => row.id)).toEqual(['a'])
  expect(pipeline.logged).toContain('LAKE_OBJECT_LOST')
})

test('a hot file is not written again if the stream has lost some of its records', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  await pipeline.acceptAndConsume('b')
  const [key] = pipeline.keys('hot/') as [string]
  pipeline.stream.byName.get('s0')?.entries.shift()
  expect(await pipeline.repair(key)).toBe(false)
  expect(pipeline.lake.rows(key).map(row => row.id)).toEqual(['a', 'b'])
})
