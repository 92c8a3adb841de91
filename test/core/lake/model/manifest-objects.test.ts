import { describe, expect, test } from 'vitest'
import { toSegmentNumbers } from '#core/lake/model/encode-manifest'
import { manifestKey, parseManifestKey } from '#core/lake/model/keys'
import { addEpoch, emptyManifest, type Manifest, replaceSegments } from '#core/lake/model/manifest'
import { createManifestItems } from '#core/lake/model/manifest-items'
import { createManifestObjects, MAX_LISTED, PAGE_SEGMENTS } from '#core/lake/model/manifest-objects'
import { findOldManifests } from '#core/lake/model/old-manifests'
import { packJson } from '#core/lake/model/packed-json'
import type { Segment } from '#core/lake/model/segment'
import { DAY_MS } from '#core/time'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { segmentOf } from '#test/support/fixed-lake'
import { createMemoryLakeState } from '#test/support/memory-lake-state'

const HOUR_MS = 3_600_000

function setUp() {
  const lake = createSimulatedLake()
  const clock = { time: Date.UTC(2026, 10, 1), now: () => clock.time }
  const state = createMemoryLakeState(lake, clock)
  /** The items as another process has them. */
  const open = () => createManifestItems(state.pointers, { lake, clock })
  const keys = () => lake.keys('manifests/bucket=7/')
  return { lake, clock, state, open, keys }
}

const epochOf = (from: number): Segment => segmentOf({ from, until: from + 1, bytes: 20e6 })

/** A manifest with so many segments, as version 1. */
function manifestOf(segments: number): Manifest {
  const list = Array.from({ length: segments }, (_, i) => epochOf(i + 1))
  return { ...emptyManifest(7), version: 1, compacted: segments + 1, segments: list }
}

test('another process reads exactly the manifest that was saved', async () => {
  const { state, open } = setUp()
  const retired = [{ ...epochOf(4), retiredAt: 5, knowsSplit: true, knowsSources: true }]
  const batch = {
    ...{ number: 3, first: 2, writer: '1-ab', rows: 2, createdAt: 1, oldestUntil: null, newestUntil: 4 },
    ...{ projects: ['p'], lastEpoch: null, hotUntil: 0, doneAt: null, removed: { events: 1, files: 2 } },
  }
  for (const segments of [0, 1, PAGE_SEGMENTS, MAX_LISTED - 1, MAX_LISTED, 3 * PAGE_SEGMENTS + 7]) {
    const { version } = await state.manifest(7)
    const given = { ...manifestOf(segments), version: version + 1, retired, tombstones: [batch] }
    const manifest = { ...given, tombstoneCount: 3, round: { at: 9, number: 3 } }
    expect(await state.saveManifest(manifest)).toBe(true)
    expect(await open().readManifest(7)).toEqual(manifest)
  }
})

test('of two processes that change one manifest the first to save it wins, and the other sees its change', async () => {
  const { state, open } = setUp()
  const [a, b] = [open(), open()]
  await state.saveManifest(manifestOf(3))
  await Promise.all([a.readManifest(7), b.readManifest(7)])
  expect(await a.saveManifest({ ...manifestOf(4), version: 2 })).toBe(true)
  expect(await b.saveManifest({ ...manifestOf(5), version: 2 })).toBe(false)
  expect((await b.readManifest(7))?.segments).toHaveLength(4)
})

test('a process that ends between the object and its pointer has changed nothing', async () => {
  const { lake, clock, state, open, keys } = setUp()
  await state.saveManifest(manifestOf(3))
  const dying = createManifestItems(
    { ...state.pointers, savePointer: () => Promise.reject(new Error('killed')) },
    { lake, clock },
  )
  await expect(dying.saveManifest({ ...manifestOf(4), version: 2 })).rejects.toThrow('killed')
  expect(keys()).toHaveLength(2)
  expect((await open().readManifest(7))?.segments).toHaveLength(3)
  expect(await open().saveManifest({ ...manifestOf(5), version: 2 })).toBe(true)
})

test('a change writes the object alone while older pages stay, and the page of a segment that changes', async () => {
  const { state, keys } = setUp()
  let manifest = manifestOf(2 * PAGE_SEGMENTS + MAX_LISTED - 1)
  await state.saveManifest(manifest)
  const before = new Set(keys())
  expect(before.size).toBe(3)
  manifest = addEpoch(await state.manifest(7), manifest.compacted, null)
  await state.saveManifest(manifest)
  expect(keys().filter(key => !before.has(key))).toHaveLength(1)
  const rewritten = { ...(manifest.segments[10] as Segment), generation: 1 }
  const changed = replaceSegments(await state.manifest(7), manifest.segments.slice(10, 11), rewritten, 0)
  await state.saveManifest(changed ?? expect.unreachable())
  expect(keys().filter(key => !before.has(key))).toHaveLength(3)
})

test('a read whose pointer is old takes the new one when the old object is gone', async () => {
  const { lake, state, open, keys } = setUp()
  await state.saveManifest(manifestOf(3))
  const old = await state.pointers.readEntry(7)
  await state.saveManifest({ ...manifestOf(4), version: 2 })
  await lake.delete(keys().filter(key => parseManifestKey(key)?.name.version === 1))
  let reads = 0
  const late = createManifestItems(
    {
      ...state.pointers,
      readEntry: async bucket => (reads++ === 0 ? old : state.pointers.readEntry(bucket)),
    },
    { lake, clock: { now: () => 0 } },
  )
  expect((await late.readManifest(7))?.segments).toHaveLength(4)
  await lake.delete(keys())
  await expect(open().readManifest(7)).rejects.toThrow('The lake cannot be read now.')
})

test('an item of the first edition is read as it is, and names an object from its next change on', async () => {
  const { state, open, keys } = setUp()
  const { segments } = manifestOf(3)
  state.putInline({ ...manifestOf(3), tombstoneCount: 2 })
  expect(await open().readManifest(7)).toMatchObject({ segments, tombstoneCount: 2 })
  expect(keys()).toEqual([])
  await state.saveManifest(addEpoch(await state.manifest(7), 4, null))
  expect(await open().readManifest(7)).toMatchObject({ segments, tombstoneCount: 2, compacted: 5 })
  expect(keys()).toHaveLength(1)
})

describe('a manifest is not read', () => {
  test('whose bytes are not those that its name says', async () => {
    const { lake, state, open, keys } = setUp()
    await state.saveManifest(manifestOf(3))
    await lake.put(keys()[0] ?? '', packJson({}).bytes)
    await expect(open().readManifest(7)).rejects.toThrow('The lake cannot be read now.')
  })

  test('of a form that only a newer version knows', async () => {
    const { lake, state, open } = setUp()
    const { bytes, hash } = packJson({ format: 2 })
    const object = { writtenAt: 1, hash }
    await lake.put(manifestKey(7, { version: 1, ...object }), bytes)
    await state.pointers.savePointer({ bucket: 7, version: 1, compacted: 1, object, bytes: 1 }, 0)
    await expect(open().readManifest(7)).rejects.toThrow('the form 2, which this version does not know')
  })
})

describe('of replaced manifests', () => {
  const NOW = Date.UTC(2026, 10, 3)
  const nameOf = (version: number, writtenAt: number) => manifestKey(7, { version, writtenAt, hash: 'ab' })
  const find = (keys: readonly string[], version: number, named: readonly string[]) =>
    findOldManifests(
      keys.map(key => ({ key, size: 1 })),
      { version, keys: named },
      { now: NOW, keepMs: DAY_MS },
    )

  test('with a change a minute those of a day stay', () => {
    const minutes = 3 * 24 * 60
    const keys = Array.from({ length: minutes }, (_, i) => nameOf(i + 1, NOW - (minutes - i - 1) * 60_000))
    expect(find(keys, minutes, keys.slice(-1)).old).toEqual(keys.slice(0, -24 * 60 - 1))
  })

  test('one that may still be saved stays, and the one in force, however old', () => {
    const keys = [nameOf(4, NOW - 9 * DAY_MS), nameOf(5, NOW - 9 * DAY_MS), nameOf(6, NOW - 9 * DAY_MS)]
    expect(find(keys, 5, keys.slice(1, 2)).old).toEqual(keys.slice(0, 1))
    // It was in force until an hour ago.
    const late = [nameOf(4, NOW - 9 * DAY_MS), nameOf(5, NOW - HOUR_MS)]
    expect(find(late, 5, late.slice(1)).old).toEqual([])
    expect(find(keys, 0, []).old).toEqual([])
  })

  test('one goes whose next one is of a clock that was a year ahead', () => {
    const keys = [nameOf(4, NOW - HOUR_MS), nameOf(5, NOW + 365 * DAY_MS), nameOf(6, NOW)]
    expect(find(keys, 6, keys.slice(2)).old).toEqual(keys.slice(0, 1))
  })
})

describe('when state and lake are of different times', () => {
  const batch = {
    ...{ number: 1, first: 1, writer: '1-ab', rows: 1, createdAt: 1, oldestUntil: 4, newestUntil: 4 },
    ...{ projects: ['p'], lastEpoch: 3, hotUntil: 4, doneAt: 9, removed: { events: 1, files: 2 } },
  }

  test('an older state gets the tombstones of the newest manifest, as not done, and keeps its segments', async () => {
    const { state } = setUp()
    await state.saveManifest(manifestOf(3))
    const saved = state.save()
    await state.saveManifest({ ...manifestOf(4), version: 2, tombstones: [batch], tombstoneCount: 1 })
    state.restore(saved)
    expect(await state.adoptManifests()).toEqual({ buckets: 1, behind: [] })
    const manifest = await state.manifest(7)
    expect(manifest).toMatchObject({ version: 3, compacted: 4, tombstoneCount: 1 })
    expect(manifest.tombstones).toEqual([{ ...batch, lastEpoch: null, hotUntil: 0, doneAt: null }])
    expect(await state.adoptManifests()).toEqual({ buckets: 0, behind: [] })
  })

  test.each([0, 1])(
    'of two manifests of one version the erasure of one is in force after a restoration, whichever was written first (%i)',
    async first => {
      const { state, lake, clock } = setUp()
      await state.saveManifest(manifestOf(3))
      const saved = state.save()
      const erased = { ...manifestOf(3), version: 2, tombstones: [batch], tombstoneCount: 1 }
      // A replacement of an event counts further than an erasure.
      const written = [erased, { ...manifestOf(4), version: 2, tombstoneCount: 2 }]
      // Two processes write at the same time. One of them saves its pointer, and the other is killed before.
      const objects = createManifestObjects({ lake, clock })
      for (const manifest of first === 0 ? written : written.toReversed()) {
        clock.time += 1
        await objects.write(manifest)
      }
      state.restore(saved)
      expect(await state.adoptManifests()).toEqual({ buckets: 1, behind: [] })
      expect(await state.manifest(7)).toMatchObject({ compacted: 4, tombstones: [{ number: 1 }] })
    },
  )

  test('an older state whose manifest is deleted gets the one before it, with the tombstones', async () => {
    const { lake, state, keys } = setUp()
    await state.saveManifest(manifestOf(2))
    await state.saveManifest({ ...manifestOf(3), version: 2 })
    const saved = state.save()
    await state.saveManifest({ ...manifestOf(4), version: 3, tombstones: [batch], tombstoneCount: 1 })
    await lake.delete(keys().filter(key => parseManifestKey(key)?.name.version === 2))
    state.restore(saved)
    await state.adoptManifests()
    expect(await state.manifest(7)).toMatchObject({ version: 4, compacted: 3, tombstoneCount: 1 })
  })

  test('a lost state gets the tombstones too', async () => {
    const { state } = setUp()
    const saved = state.save()
    await state.saveManifest({ ...manifestOf(4), tombstones: [batch], tombstoneCount: 1 })
    state.restore(saved)
    await state.adoptManifests()
    expect(await state.manifest(7)).toMatchObject({ compacted: 1, segments: [], tombstoneCount: 1 })
  })

  test('an older lake has its own newest manifest, and a lake without any an empty one', async () => {
    const { lake, state, keys } = setUp()
    await state.saveManifest(manifestOf(3))
    const older = new Map(lake.objects)
    await state.saveManifest({ ...manifestOf(4), version: 2 })
    await lake.delete(keys().filter(key => !older.has(key)))
    expect(await state.adoptManifests()).toEqual({ buckets: 1, behind: [{ from: 4, until: 5 }] })
    expect(await state.manifest(7)).toMatchObject({ version: 3, compacted: 4 })
    await lake.delete(keys())
    await state.adoptManifests()
    expect(await state.manifest(7)).toMatchObject({ version: 4, compacted: 1, segments: [] })
  })

  test('a damaged object of the newest version is passed over', async () => {
    const { lake, state, keys } = setUp()
    await state.saveManifest(manifestOf(3))
    await state.saveManifest({ ...manifestOf(4), version: 2 })
    await lake.put(keys().find(key => parseManifestKey(key)?.name.version === 2) ?? '', new Uint8Array(3))
    await state.adoptManifests()
    expect(await state.manifest(7)).toMatchObject({ version: 3, compacted: 4 })
  })

  describe('a damaged page', () => {
    const paged = { ...manifestOf(3 * PAGE_SEGMENTS), tombstones: [batch], tombstoneCount: 1 }
    const undone = { ...batch, lastEpoch: null, hotUntil: 0, doneAt: null }
    const damage = async ({ lake, keys }: ReturnType<typeof setUp>, from: number, version = 1) => {
      const { segments } = paged
      const page = segments.slice(from, from + PAGE_SEGMENTS)
      const found = keys().filter(key => {
        const parsed = parseManifestKey(key)
        return parsed?.isPage && parsed.name.version === version && keyOfPage(key, page)
      })
      expect(found).toHaveLength(1)
      await lake.put(found[0] ?? '', new Uint8Array(3))
    }
    const keyOfPage = (key: string, page: readonly Segment[]) =>
      key.includes(packJson(page.map(toSegmentNumbers)).hash)

    test.each([0, PAGE_SEGMENTS])(
      'takes the segments from there on (%i), and no erasure, also in a process that knows the manifest',
      async from => {
        const parts = setUp()
        await parts.state.saveManifest(paged)
        await damage(parts, from)
        expect(await parts.state.adoptManifests()).toEqual({
          buckets: 1,
          behind: [{ from: from + 1, until: 3 * PAGE_SEGMENTS + 1 }],
        })
        const manifest = await parts.open().readManifest(7)
        expect(manifest).toMatchObject({ version: 2, compacted: from + 1, tombstones: [undone] })
        expect(manifest?.segments).toEqual(paged.segments.slice(0, from))
      },
    )

    test('of the newest version gives way to the version before, with the erasures of the newest', async () => {
      const parts = setUp()
      const { tombstones: _, ...before } = manifestOf(MAX_LISTED - 1)
      await parts.state.saveManifest({ ...before, tombstones: [] })
      await parts.state.saveManifest({ ...paged, version: 2 })
      await damage(parts, 0, 2)
      await parts.state.adoptManifests()
      const manifest = await parts.open().readManifest(7)
      expect(manifest).toMatchObject({ version: 3, compacted: MAX_LISTED, tombstones: [undone] })
      expect(manifest?.segments).toEqual(before.segments)
    })
  })

  test('an erasure that is saved meanwhile stays', async () => {
    const { lake, clock, state, open } = setUp()
    await state.saveManifest(manifestOf(3))
    const saved = state.save()
    await state.saveManifest({ ...manifestOf(4), version: 2, tombstones: [batch], tombstoneCount: 1 })
    state.restore(saved)
    const late = { ...batch, number: 2, first: 2, writer: '2-ab' }
    let changes = 0
    const adopting = createManifestItems(
      {
        ...state.pointers,
        async savePointer(pointer, before) {
          if (changes++ === 0)
            await state.saveManifest({ ...manifestOf(3), version: 2, tombstones: [late], tombstoneCount: 2 })
          return state.pointers.savePointer(pointer, before)
        },
      },
      { lake, clock },
    )
    await adopting.adoptManifests()
    expect((await open().readManifest(7))?.tombstones).toContainEqual(expect.objectContaining({ number: 2 }))
  })
})
