import { expect, test } from 'vitest'
import { BUCKETS } from '#schemas/columns'
import { isDeepRun } from '#test/support/depth'
import { segmentOf } from '#test/support/fixed-lake'
import { createLakePipeline } from '#test/support/lake-pipeline'

/** How long S3 took for a page of a listing: 166 pages in 55 s. */
const PAGE_MS = 330
const PAGE_KEYS = 1_000
const TABLES = ['sessions', 'activity', 'event-ids', 'events']

/**
 * A lake with so many pages of hot files and of segments. No sweep deletes them, because their epochs are not
 * compacted. Each page of a listing takes PAGE_MS.
 */
async function openLargeLake({ hotPages, segmentPages }: { hotPages: number; segmentPages: number }) {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  const { state, lake, clock } = pipeline
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  for (const manifest of await state.saveSkippedEpochs())
    await state.saveManifest({
      ...manifest,
      version: manifest.version + 1,
      segments: [segmentOf({ from: 1, until: 2, bytes: 1 })],
    })
  const folders = new Map<string, string[]>()
  const add = (folder: string, files: number) =>
    folders.set(
      folder,
      Array.from({ length: files }, (_, i) => `${folder}${1e6 + i}-${1e6 + i}.parquet`),
    )
  for (let epoch = 100; epoch < 200; epoch++) add(`hot/epoch=${epoch}/s0-`, 10 * hotPages)
  for (const table of TABLES)
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      add(
        `segments/${table}/bucket=${bucket}/100-101-`,
        Math.floor((segmentPages * PAGE_KEYS) / TABLES.length / BUCKETS),
      )
  const names = [...folders.keys()].toSorted()
  const listed = { pages: 0 }
  const take = (pages: number) => {
    listed.pages += pages
    clock.time += pages * PAGE_MS
  }
  const { list } = lake
  lake.list = async prefix => {
    const found = await list(prefix)
    take(Math.max(1, Math.ceil(found.length / PAGE_KEYS)))
    return found
  }
  lake.listPage = async (prefix, after) => {
    take(1)
    const own = lake.keys(prefix).filter(key => after === null || key > after)
    const keys: string[] = []
    for (const name of names.filter(each => each.startsWith(prefix))) {
      if (keys.length > PAGE_KEYS) break
      if (after !== null && name < after && !after.startsWith(name)) continue
      keys.push(...(folders.get(name) ?? []).filter(key => after === null || key > after))
    }
    const left = [...own, ...keys].toSorted()
    const page = left.slice(0, PAGE_KEYS)
    const next = left.length > PAGE_KEYS ? (page.at(-1) ?? null) : null
    return { objects: page.map(key => ({ key, size: 1 })), next }
  }
  return { ...pipeline, listed }
}

test.each([
  { name: '10B events a month', hotPages: 58, segmentPages: 106 },
  // In deep runs.
  ...(isDeepRun() ? [{ name: '100B events a month', hotPages: 578, segmentPages: 879 }] : []),
])('with the objects of $name a tick lists one page, and a slice of a sweep 200', async size => {
  const { maintenance, worker, jobs, state, clock, listed } = await openLargeLake(size)
  clock.time += 4 * 3_600_000
  const startedAt = clock.time
  let [longestTick, longestJob] = [0, 0]
  for (let isDone = false; !isDone; ) {
    const tickAt = clock.time
    await maintenance.tick()
    longestTick = Math.max(longestTick, clock.time - tickAt)
    for (const job of jobs.jobs.splice(0)) {
      const jobAt = clock.time
      await worker.run(job)
      longestJob = Math.max(longestJob, clock.time - jobAt)
    }
    clock.time = Math.max(clock.time, tickAt + 60_000)
    const sweeps = await state.sweeps()
    isDone = sweeps.length === BUCKETS + 2 && sweeps.every(({ sweptAt }) => sweptAt >= startedAt)
  }
  console.info(
    `${size.name}: a tick takes at most ${longestTick / 1_000} s, a job ${longestJob / 1_000} s, ` +
      `a pass over all ${listed.pages} pages ${Math.round((clock.time - startedAt) / 60_000)} minutes`,
  )
  // It counts the files of the newest epoch.
  expect(longestTick).toBe(PAGE_MS)
  expect(longestJob).toBeLessThanOrEqual(200 * PAGE_MS)
})
