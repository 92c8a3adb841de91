import { expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { createTombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { manifestKey, manifestPageKey, parseManifestKey, segmentKeys } from '#core/lake/model/keys'
import type { Manifest } from '#core/lake/model/manifest'
import type { ManifestObject } from '#core/lake/model/manifest-objects'
import { packJson, unpackJson } from '#core/lake/model/packed-json'
import { findSweep, firstHotEpoch, newSweep } from '#core/lake/model/sweep'
import { openLake } from '#core/lake/read/snapshot'
import { reconcile } from '#core/lake/restore/reconcile'
import { restoreLake } from '#core/lake/restore/restore-lake'
import { DAY_MS } from '#core/time'
import { encodeSimulatedTombstones as encode } from '#test/simulation/simulated-ports'
import { ProcessCrashedError } from '#test/support/crashing-state'
import { repeats, seed } from '#test/support/depth'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'
import type { MemoryLakeState } from '#test/support/memory-lake-state'
import { noMending, nothingErased } from '#test/support/no-receipts'
import { withRollups } from '#test/support/with-rollups'

const EPOCH_MS = 600_000
/** The bucket of all events. */
const BUCKET = 1

function openPipeline() {
  const pipeline = createLakePipeline({ epochMs: EPOCH_MS, mergeSegments: 3 })
  const { lake, state, stream, consumer, compactor, clock, log } = pipeline
  const services = { state, stream, lake: withRollups(lake), consumer, compactor, clock, log }
  const folded: string[] = []
  const usage = {
    openCounts: async () => [],
    async foldEpoch(epoch: number, bucket: number) {
      folded.push(`${bucket} ${epoch}`)
    },
  }

  /** Accepts an event and compacts it. */
  async function addEpoch(name: string): Promise<void> {
    await pipeline.acceptAndConsume(name)
    clock.time += EPOCH_MS
    await pipeline.settle()
  }

  /** The events that a read gets, sorted. */
  async function readEvents(): Promise<string[]> {
    const { segments, hot, compacted } = await (await openLake({ state, lake })).ofBucket(BUCKET)
    expect(compacted).toBeLessThanOrEqual((await state.lake()).epoch)
    const keys = segments.flatMap(segment => segmentKeys('segment_events', BUCKET, segment))
    return [...keys, ...hot].flatMap(key => lake.rows(key).map(({ id }) => id)).toSorted()
  }

  async function restore(): Promise<void> {
    await reconcile(services)
    await restoreLake({ ...services, usage, tombstones: noMending, repeatErasures: nothingErased })
  }

  return { ...pipeline, services, usage, folded, addEpoch, readEvents, restore }
}

test('nothing changes when lake and state agree', async () => {
  const { addEpoch, restore, readEvents, logged, lake, state } = openPipeline()
  for (const name of ['a', 'b', 'c', 'd']) await addEpoch(name)
  logged.length = 0
  const before = [lake.keys(''), await state.manifests(), await state.lake()]
  await restore()
  expect([lake.keys(''), await state.manifests(), await state.lake()]).toEqual(before)
  expect(await readEvents()).toEqual(['a', 'b', 'c', 'd'])
  expect(logged).toEqual([])
})

test('hot files that come back after they were deleted let the sweeps begin anew, because a search begins at the first one', async () => {
  const { addEpoch, restore, settle, clock, lake, state } = openPipeline()
  const firstHot = async () => firstHotEpoch(findSweep(await state.sweeps(), 'hot'))
  await addEpoch('a')
  const [key = expect.unreachable()] = lake.keys('hot/')
  const bytes = lake.objects.get(key) ?? expect.unreachable()
  for (const name of ['b', 'c', 'd', 'e']) {
    await addEpoch(name)
    clock.time += DAY_MS
    await settle()
  }
  expect(lake.objects.has(key)).toBe(false)
  const before = await firstHot()
  expect(before).toBeGreaterThan(1)
  await restore()
  expect(await firstHot()).toBe(before)
  lake.objects.set(key, bytes)
  await restore()
  expect(await firstHot()).toBe(0)
})

test('an older lake gets its records from the stream, and each event is read once before and after compaction', async () => {
  const { addEpoch, acceptAndConsume, restore, readEvents, settle, clock, logged, lake } = openPipeline()
  for (const name of ['a', 'b']) await addEpoch(name)
  await acceptAndConsume('c')
  const backup = new Map(lake.objects)
  for (const name of ['d', 'e', 'f']) await addEpoch(name)
  await acceptAndConsume('g')
  lake.objects.clear()
  for (const [key, bytes] of backup) lake.objects.set(key, bytes)

  await restore()
  expect(logged).toContain('LAKE_RESTORED')
  expect(logged).not.toContain('LAKE_BEHIND')
  const events = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  expect(await readEvents()).toEqual(events)
  await acceptAndConsume('h')
  clock.time += EPOCH_MS
  await settle()
  expect(await readEvents()).toEqual([...events, 'h'])
  const before = lake.keys('')
  await restore()
  expect(lake.keys('')).toEqual(before)
})

test('a lake that is lost is filled from the stream', async () => {
  const { addEpoch, restore, readEvents, logged, lake } = openPipeline()
  for (const name of ['a', 'b', 'c']) await addEpoch(name)
  lake.objects.clear()
  await restore()
  expect(await readEvents()).toEqual(['a', 'b', 'c'])
  expect(logged).toContain('LAKE_RESTORED')
})

test('events of files that are missing, and of which the stream has no records, are logged as lost', async () => {
  const { addEpoch, restore, readEvents, logged, lake, stream } = openPipeline()
  for (const name of ['a', 'b']) await addEpoch(name)
  const backup = new Map(lake.objects)
  await addEpoch('c')
  lake.objects.clear()
  for (const [key, bytes] of backup) lake.objects.set(key, bytes)
  stream.byName.get('s0')?.entries.splice(0)
  await restore()
  expect(logged).toContain('LAKE_BEHIND')
  expect(await readEvents()).toEqual(['a', 'b'])
})

test('an older state gets the segments whose hot files are deleted, and new events follow them', async () => {
  const { addEpoch, acceptAndConsume, restore, readEvents, settle, clock, lake, state, stream } =
    openPipeline()
  await addEpoch('a')
  const saved = state.save()
  for (const name of ['b', 'c', 'd', 'e']) await addEpoch(name)
  // Two days later the superseded files are deleted, and the log keeps an hour.
  for (let day = 0; day < 3; day++) {
    clock.time += 24 * 3_600_000
    await settle()
  }
  expect(lake.keys('hot/')).toEqual([])
  stream.byName.get('s0')?.entries.splice(0)
  state.restore(saved)
  await restore()
  expect(await readEvents()).toEqual(['a', 'b', 'c', 'd', 'e'])
  await acceptAndConsume('f')
  clock.time += EPOCH_MS
  await settle()
  expect(await readEvents()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('records before a lost claim that are in no file come in claims of the usual size', async () => {
  const { accept, consumer, restore, lake, state, stream, clock } = openPipeline()
  const saved = state.save()
  // As large as a request may be: a claim has 30 of them.
  const text = 'a'.repeat(780_000)
  for (let i = 0; i < 31; i++)
    stream.accept('s0', eventsRecord([`${i}`], clock.time, { properties: { text } }))
  for (let i = 0; i < 2; i++) await consumer.consume('s0')
  accept('last')
  await consumer.consume('s0')
  const files = lake.keys('hot/')
  expect(files).toHaveLength(3)
  for (const key of files.slice(0, 2)) lake.objects.delete(key)
  state.restore(saved)
  await restore()
  expect(lake.keys('hot/')).toEqual(files)
})

test('segments that are newer than state and hot files are not used while the stream has their records', async () => {
  const { addEpoch, restore, readEvents, logged, lake, state, consumer } = openPipeline()
  const saved = state.save()
  for (const name of ['a', 'b']) await addEpoch(name)
  for (const key of lake.keys('hot/')) lake.objects.delete(key)
  state.restore(saved)
  await restore()
  expect(logged).toContain('LAKE_BEHIND')
  await consumer.consume('s0')
  expect(await readEvents()).toEqual(['a', 'b'])
})

test('a restoration that is killed at any change and repeated gives the same events', async () => {
  for (let changes = 0; ; changes++) {
    const { addEpoch, readEvents, restore, settle, clock, lake, services, usage } = openPipeline()
    for (const name of ['a', 'b', 'c']) await addEpoch(name)
    const backup = new Map(lake.objects)
    for (const name of ['d', 'e', 'f']) await addEpoch(name)
    lake.objects.clear()
    for (const [key, bytes] of backup) lake.objects.set(key, bytes)
    let left = changes
    const { state, consumer } = services
    const crash =
      <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        if (--left < 0) throw new ProcessCrashedError()
        return run(...args)
      }
    const isKilled = await restoreLake({
      ...services,
      tombstones: noMending,
      repeatErasures: nothingErased,
      usage: { ...usage, foldEpoch: crash(usage.foldEpoch) },
      state: { ...state, saveManifest: crash(state.saveManifest), openEpoch: crash(state.openEpoch) },
      consumer: { ...consumer, rewriteHotFile: crash(consumer.rewriteHotFile) },
    }).then(
      () => false,
      () => true,
    )
    await restore()
    const events = ['a', 'b', 'c', 'd', 'e', 'f']
    expect(await readEvents(), `after ${changes} changes`).toEqual(events)
    clock.time += EPOCH_MS
    await settle()
    expect(await readEvents(), `after ${changes} changes`).toEqual(events)
    if (!isKilled) {
      expect(changes).toBeGreaterThan(3)
      return
    }
  }
})

test('no sweep goes on with what it knew before a restoration that is killed', async () => {
  const { addEpoch, services, usage, state, lake } = openPipeline()
  for (const name of ['a', 'b', 'c', 'd']) await addEpoch(name)
  await state.saveSweep({ ...newSweep('hot'), version: 1 })
  const [first] = (await state.manifest(BUCKET)).segments
  await lake.delete(segmentKeys('segment_events', BUCKET, first ?? expect.unreachable()))
  const parts = { ...services, usage, tombstones: noMending, repeatErasures: nothingErased }
  const killed = async (): Promise<never> => {
    throw new ProcessCrashedError()
  }
  const saveManifest = async (manifest: Manifest) => {
    await state.saveManifest(manifest)
    return killed()
  }
  await expect(restoreLake({ ...parts, state: { ...state, saveManifest } })).rejects.toThrow()
  expect(await state.sweeps()).toEqual([])
})

test('an erasure that is saved during a restoration stays, and the files are found', async () => {
  const { addEpoch, services, usage, state, lake, readEvents } = openPipeline()
  for (const name of ['a', 'b', 'c', 'd']) await addEpoch(name)
  const [first] = (await state.manifest(BUCKET)).segments
  await lake.delete(segmentKeys('segment_events', BUCKET, first ?? expect.unreachable()))
  const tombstones = createTombstoneWriter({ state, lake, clock: { now: () => 0 }, encode })
  const manifests = async () => {
    const found = await state.manifests()
    await tombstones.add(BUCKET, { project_id: 'p', users: ['ab'], until: 0 })
    return found
  }
  await restoreLake({
    ...{ ...services, usage, tombstones: noMending, repeatErasures: nothingErased },
    state: { ...state, manifests },
  })
  expect(await readEvents()).toEqual(['a', 'b', 'c', 'd'])
  expect((await state.manifest(BUCKET)).tombstones).toHaveLength(1)
})

test('the segments of a damaged page of a manifest are found again, and its erasures stay', async () => {
  const { addEpoch, restore, state, lake, clock, readEvents, settle } = openPipeline()
  for (const name of ['a', 'b', 'c', 'd', 'e']) await addEpoch(name)
  const tombstones = createTombstoneWriter({ state, lake, clock, encode })
  await tombstones.add(BUCKET, { project_id: 'p', users: ['ab'], until: 0 })
  await pageManifest({ state, lake }, 2)
  // Hot files are kept for a day.
  for (const key of lake.keys('hot/')) if (/epoch=0*1[/]/.test(key)) await lake.delete([key])
  const [page] = lake.keys(`manifests/bucket=${BUCKET}/page-`)
  await lake.put(page ?? expect.unreachable(), new Uint8Array(3))
  await restore()
  expect(await readEvents()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect((await state.manifest(BUCKET)).tombstones).toHaveLength(1)
  clock.time += EPOCH_MS
  await settle()
  expect(await readEvents()).toEqual(['a', 'b', 'c', 'd', 'e'])
})

/** Leaves one manifest, with its first segments in a page. Usually only 1,000 of them make one. */
async function pageManifest(
  { state, lake }: Pick<ReturnType<typeof openPipeline>, 'state' | 'lake'>,
  segments: number,
): Promise<void> {
  const manifest = await state.manifest(BUCKET)
  expect(manifest.segments.length).toBeGreaterThanOrEqual(segments)
  const version = manifest.version + 1
  await state.saveManifest({ ...manifest, version })
  const key = lake.keys(`manifests/bucket=${BUCKET}/`).at(-1) ?? ''
  const written = parseManifestKey(key)?.name ?? expect.unreachable()
  const object = unpackJson(lake.objects.get(key) ?? new Uint8Array(), written.hash) as ManifestObject
  const page = packJson(object.segments.slice(0, segments))
  const pageName = { version: version + 1, writtenAt: 1, hash: page.hash }
  await lake.put(manifestPageKey(BUCKET, pageName), page.bytes)
  const paged = packJson({
    ...{ ...object, version: version + 1, pages: [pageName] },
    segments: object.segments.slice(segments),
  })
  const name = { writtenAt: 1, hash: paged.hash }
  await lake.put(manifestKey(BUCKET, { version: version + 1, ...name }), paged.bytes)
  const { compacted } = manifest
  const pointer = { bucket: BUCKET, version: version + 1, compacted, object: name, bytes: 1 }
  expect(await state.pointers.savePointer(pointer, version)).toBe(true)
  // Those before it are kept for a day.
  const isBefore = (old: string) => (parseManifestKey(old)?.name.version ?? 0) <= version
  await lake.delete(lake.keys(`manifests/bucket=${BUCKET}/`).filter(isBefore))
}

type Moment = {
  objects: Map<string, Uint8Array>
  state: ReturnType<MemoryLakeState['save']>
  events: string[]
}

test('parts of random times give each event once, and none is lost without a line in the log', async () => {
  const random = createRandom(seed)
  const pick = random.below
  for (let run = 0; run < repeats(12); run++) {
    const pipeline = openPipeline()
    const { lake, state, clock, consumer, accept, settle, restore, readEvents, logged } = pipeline
    const moments: Moment[] = []
    const events: string[] = []
    for (let step = 0; step < 20; step++) {
      const names = Array.from({ length: pick(3) }, () => `event ${events.length + pick(1_000_000)}`)
      if (names.length > 0) accept(...names)
      events.push(...names)
      await consumer.consume('s0')
      clock.time += pick(1.3 * EPOCH_MS)
      if (pick(3) > 0) await settle()
      moments.push({ objects: new Map(lake.objects), state: state.save(), events: events.toSorted() })
    }
    const times = [pick(20), pick(20), pick(20)].toSorted((a, b) => a - b)
    const [first, second, third] = times.map(time => moments[time]) as [Moment, Moment, Moment]
    const isLakeOlder = pick(2) === 0
    // A copy of a running lake has its folders at different times.
    const parts = isLakeOlder
      ? { hot: first, segments: second, state: third }
      : { hot: second, segments: third, state: first }
    lake.objects.clear()
    for (const [key, bytes] of parts.hot.objects) if (key.startsWith('hot/')) lake.objects.set(key, bytes)
    for (const [key, bytes] of parts.segments.objects) {
      if (key.startsWith('segments/')) lake.objects.set(key, bytes)
    }
    state.restore(parts.state.state)
    logged.length = 0

    const label = `seed ${seed}, run ${run}, times ${times}, ${isLakeOlder ? 'older lake' : 'older state'}`
    await restore()
    for (let i = 0; i < 3; i++) await consumer.consume('s0')
    const expected = (isLakeOlder ? third : second).events
    for (const moment of ['restored', 'compacted']) {
      const read = await readEvents()
      expect(read, `${label}, ${moment}`).toEqual([...new Set(read)])
      if (!logged.includes('LAKE_BEHIND'))
        expect(read, `${label}, ${moment}`).toEqual(expect.arrayContaining(expected))
      clock.time += EPOCH_MS
      await settle()
    }
    expect(await readEvents(), label).toEqual([...new Set(await readEvents())])
  }
})
