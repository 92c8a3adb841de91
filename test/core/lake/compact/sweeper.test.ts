import { expect, test, vi } from 'vitest'
import { dueSweeps } from '#core/lake/compact/due-sweeps'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { emptyManifest } from '#core/lake/model/manifest'
import { newSweep, type Sweep, segmentsSweep } from '#core/lake/model/sweep'
import type { Lake } from '#core/ports'
import { segmentOf } from '#test/support/fixed-lake'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000
/** The bucket of all events of these tests (test/support/events-record.ts). */
const BUCKET = 1
const TABLES = ['sessions', 'activity', 'event-ids', 'events']

type Pipeline = Awaited<ReturnType<typeof pipelineWithSegments>>

/** Five epochs: four in a merged segment, whose sources are kept, and one in its own. */
async function pipelineWithSegments(slicePages?: number) {
  const pipeline = createLakePipeline(
    { epochFiles: 1, mergeSegments: 4 },
    { pageKeys: 10, ...(slicePages !== undefined && { slicePages }) },
  )
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await pipeline.acceptAndConsume(name)
    await pipeline.settle()
  }
  return pipeline
}

/** Files of segments of the same epochs that a job can no longer add, in each table. */
async function addOrphans(lake: Pick<Lake, 'put'>, bucket: number, count: number): Promise<void> {
  for (const table of TABLES)
    for (let i = 0; i < count; i++)
      await lake.put(`segments/${table}/bucket=${bucket}/1-3-0-${i}.parquet`, new Uint8Array())
}

const orphansOf = ({ keys }: Pipeline, bucket = BUCKET) =>
  keys('segments/').filter(key => key.includes(`bucket=${bucket}/1-3-0-`))

/** Runs the slices of the sweep, one after the other. Returns where each of them has ended. */
async function runSlices({ state, worker }: Pipeline, name: Sweep['name']): Promise<(string | null)[]> {
  const ends: (string | null)[] = []
  for (;;) {
    const { version = 0 } = (await state.sweeps()).find(sweep => sweep.name === name) ?? {}
    await worker.run({ kind: 'sweep', sweep: name, version })
    const next = (await state.sweeps()).find(sweep => sweep.name === name)
    ends.push(next?.after ?? null)
    if (next?.beganAt === null) return ends
  }
}

test('a tick lists no more objects when there are more of them, and what follows it runs', async () => {
  const listed = async (orphans: number) => {
    const pipeline = await pipelineWithSegments()
    await addOrphans(pipeline.lake, BUCKET, orphans)
    pipeline.clock.time += 4 * HOUR
    const keys = [vi.spyOn(pipeline.lake, 'list'), vi.spyOn(pipeline.lake, 'listPage')]
    await pipeline.maintenance.tick()
    return keys.flatMap(spy => spy.mock.calls.map(([prefix]) => prefix))
  }
  expect(await listed(200)).toEqual(await listed(0))
  expect(await listed(0)).not.toContainEqual(expect.stringContaining('segments'))
})

test('a slice ends after its pages, and the next one goes on behind its last key', async () => {
  const pipeline = await pipelineWithSegments(3)
  await addOrphans(pipeline.lake, BUCKET, 25)
  const ends = await runSlices(pipeline, segmentsSweep(BUCKET))
  expect(ends.length).toBeGreaterThan(3)
  const places = ends.slice(0, -1)
  expect(places).not.toContain(null)
  expect(new Set(places).size).toBe(places.length)
  expect(orphansOf(pipeline)).toEqual([])
  expect(pipeline.keys(`segments/events/bucket=${BUCKET}/`)).toHaveLength(6)
})

test.each([1, 2, 5, 100])('with %i pages a slice the same files are deleted', async slicePages => {
  const pipeline = await pipelineWithSegments(slicePages)
  await addOrphans(pipeline.lake, BUCKET, 25)
  await addOrphans(pipeline.lake, 2, 3)
  const kept = pipeline.keys('segments/').filter(key => !orphansOf(pipeline).includes(key))
  await runSlices(pipeline, segmentsSweep(BUCKET))
  expect(pipeline.keys('segments/')).toEqual(kept)
})

test('a slice that was killed runs again from its beginning, and one that is late changes nothing', async () => {
  const pipeline = await pipelineWithSegments(2)
  await addOrphans(pipeline.lake, BUCKET, 25)
  const versionOf = async () =>
    (await pipeline.state.sweeps()).find(({ name }) => name === segmentsSweep(BUCKET))?.version ?? 0
  const version = await versionOf()
  const job: LakeJob = { kind: 'sweep', sweep: segmentsSweep(BUCKET), version }
  const saving = vi.spyOn(pipeline.state, 'saveSweep').mockRejectedValueOnce(new Error('killed'))
  await expect(pipeline.worker.run(job)).rejects.toThrow('killed')
  await pipeline.worker.run(job)
  expect(await versionOf()).toBe(version + 1)
  const calls = saving.mock.calls.length
  await pipeline.worker.run(job)
  expect(saving.mock.calls).toHaveLength(calls)
  await runSlices(pipeline, segmentsSweep(BUCKET))
  expect(orphansOf(pipeline)).toEqual([])
})

test('a bucket whose files cannot be listed stops no other one, and no erasure, retention or billing', async () => {
  const pipeline = await pipelineWithSegments()
  const { lake, state, clock } = pipeline
  await state.saveManifest({
    ...(await state.manifest(2)),
    version: (await state.manifest(2)).version + 1,
    segments: [segmentOf({ from: 1, until: 5, bytes: 1 })],
  })
  await addOrphans(lake, BUCKET, 1)
  await addOrphans(lake, 2, 1)
  const { listPage } = lake
  lake.listPage = (prefix, after) =>
    prefix.includes('bucket=2/') ? Promise.reject(new Error('no listing')) : listPage(prefix, after)
  clock.time += 4 * HOUR
  await pipeline.settleIgnoringFailures()
  expect(orphansOf(pipeline)).toEqual([])
  expect(orphansOf(pipeline, 2)).toHaveLength(TABLES.length)
  const sweptAt = new Map((await state.sweeps()).map(sweep => [sweep.name, sweep.sweptAt]))
  expect([sweptAt.get('hot'), sweptAt.get('manifests'), sweptAt.get('segments/1')]).not.toContain(0)
  lake.listPage = listPage
  clock.time += HOUR
  await pipeline.settle()
  expect(orphansOf(pipeline, 2)).toEqual([])
})

test('the hot files of an epoch are deleted before those of a later one, over any number of slices', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 }, { pageKeys: 3, slicePages: 1 })
  for (let i = 0; i < 12; i++) {
    await pipeline.acceptAndConsume(`e${i}`)
    await pipeline.settle()
  }
  const deleted: number[] = []
  const remove = pipeline.lake.delete
  pipeline.lake.delete = keys => {
    for (const key of keys) {
      const [, epoch] = /^hot\/epoch=(\d+)\//.exec(key) ?? []
      if (epoch !== undefined) deleted.push(Number(epoch))
    }
    return remove(keys)
  }
  for (let hours = 0; hours < 33; hours += 3) {
    pipeline.clock.time += 3 * HOUR
    for (let i = 0; i < 4; i++) await pipeline.settle()
  }
  expect(deleted).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
})

test('a hot file of long ago does not keep the others, and they do not keep it', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  for (let i = 0; i < 40; i++) {
    await pipeline.acceptAndConsume(`e${i}`)
    await pipeline.settle()
  }
  for (const key of pipeline.keys('hot/'))
    if (!/epoch=(3[6-9]|40)\//.test(key)) await pipeline.lake.delete([key])
  await pipeline.lake.put('hot/epoch=2/s0-1-1.parquet', new Uint8Array())
  for (let hours = 0; hours < 36; hours += 3) {
    pipeline.clock.time += 3 * HOUR
    await pipeline.settle()
  }
  expect(pipeline.keys('hot/')).toEqual([])
})

test('old manifests of all buckets are deleted, over any number of slices', async () => {
  const pipeline = createLakePipeline({ epochFiles: 1 }, { pageKeys: 40, slicePages: 1 })
  for (let day = 0; day < 3; day++) {
    await pipeline.acceptAndConsume(`day ${day}`)
    for (let hours = 0; hours < 24; hours += 3) {
      pipeline.clock.time += 3 * HOUR
      for (let i = 0; i < 5; i++) await pipeline.settle()
    }
  }
  const named = await pipeline.state.namedKeys()
  expect(named.size).toBe(64)
  for (const [bucket, { keys }] of named) {
    const stored = pipeline.keys(`manifests/bucket=${bucket}/`)
    expect(stored).toEqual(expect.arrayContaining([...keys]))
    // One for each of the last watermarks, of a day.
    expect(stored.length).toBeLessThan(5)
  }
})

test('a pass begins every three hours, those that run go first, and a clock that was ahead delays none', () => {
  const now = Date.UTC(2026, 10, 1)
  const manifests = [1, 2, 3, 4].map(bucket => ({
    ...emptyManifest(bucket),
    ...{ version: 1, compacted: 2, segments: [segmentOf({ from: 1, until: 2, bytes: 1 })] },
  }))
  const swept = (name: Sweep['name'], sweptAt: number, changes: Partial<Sweep> = {}): Sweep => ({
    ...newSweep(name),
    ...{ version: 1, sweptAt, ...changes },
  })
  const sweeps = [
    swept('hot', now - 3 * HOUR),
    swept('manifests', now - 2 * HOUR),
    swept('segments/1', now - 4 * HOUR),
    swept('segments/2', now - HOUR, { beganAt: now - 1 }),
    swept('segments/3', now - 2 * HOUR),
    swept('segments/4', now + 1),
  ]
  const due = dueSweeps(manifests, sweeps, MAINTENANCE_DEFAULTS, now)
  expect(due.map(({ name }) => name)).toEqual(['segments/2', 'segments/1', 'hot', 'segments/4'])
})

test('a message of a sweep that nobody knows any more is done at once', async () => {
  const pipeline = await pipelineWithSegments()
  const worker = createLakeWorker({
    ...pipeline,
    usage: {} as never,
    projects: {} as never,
    tombstones: {} as never,
  })
  await pipeline.state.forgetSweeps()
  await worker.run({ kind: 'sweep', sweep: segmentsSweep(BUCKET), version: 9 })
  expect(await pipeline.state.sweeps()).toEqual([])
})
