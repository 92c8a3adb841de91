import { expect, test } from 'vitest'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000

/** A pipeline with a merged segment, one of a single epoch, and all superseded files. */
async function pipelineWithAllFiles() {
  const pipeline = createLakePipeline({
    epochFiles: 1,
    mergeSegments: 4,
    keepSupersededMs: 1_000 * HOUR,
  })
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
  }
  return pipeline
}

const MERGED = 'segments/events/bucket=1/1-5-0-0.parquet'
const SINGLE = 'segments/events/bucket=1/5-6-0-0.parquet'

test.each([
  ['hot file', 'hot/epoch=1/', ['a']],
  ['merged segment', MERGED, ['a', 'b', 'c', 'd']],
  ['segment of one epoch', SINGLE, ['e']],
])('a missing %s is written again from its sources', async (_, prefix, ids) => {
  const pipeline = await pipelineWithAllFiles()
  const [key] = pipeline.keys(prefix) as [string]
  pipeline.lake.objects.delete(key)
  const before = { manifest: await pipeline.state.manifest(1), folded: new Map(pipeline.folded) }
  expect(await pipeline.repair(key)).toBe(true)
  expect(pipeline.lake.rows(key).map(row => row.id)).toEqual(ids)
  expect(pipeline.logged).toContain('LAKE_OBJECT_REPAIRED')
  // The events were counted when the segment was first written.
  expect({ manifest: await pipeline.state.manifest(1), folded: pipeline.folded }).toEqual(before)
})

test('a segment whose hot files are being deleted stays unchanged and is logged as lost', async () => {
  const pipeline = await pipelineWithAllFiles()
  await pipeline.state.finishJob('expire/hot/5')
  expect(await pipeline.repair(SINGLE)).toBe(false)
  expect(pipeline.lake.rows(SINGLE).map(row => row.id)).toEqual(['e'])
  expect(pipeline.logged).toContain('LAKE_OBJECT_LOST')
})

test('a file that no manifest names is not written again', async () => {
  const pipeline = await pipelineWithAllFiles()
  expect(await pipeline.repair('segments/events/bucket=1/1-2-0-0.parquet')).toBe(false)
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

test('a segment whose hot files are gone, all or some, is logged as lost and not as repaired', async () => {
  const pipeline = createLakePipeline({ epochFiles: 2, keepSupersededMs: 1_000 * HOUR })
  await pipeline.acceptAndConsume('a')
  await pipeline.acceptAndConsume('b')
  await pipeline.settle()
  const key = 'segments/events/bucket=1/1-2-0-0.parquet'
  const [first, second] = pipeline.keys('hot/epoch=1/') as [string, string]
  pipeline.lake.objects.delete(first)
  expect(await pipeline.repair(key)).toBe(false)
  pipeline.lake.objects.delete(second)
  pipeline.lake.objects.delete(key)
  expect(await pipeline.repair(key)).toBe(false)
  expect(pipeline.lake.objects.has(key)).toBe(false)
  expect(pipeline.logged.filter(code => code.startsWith('LAKE_OBJECT'))).toEqual([
    'LAKE_OBJECT_LOST',
    'LAKE_OBJECT_LOST',
  ])
})
