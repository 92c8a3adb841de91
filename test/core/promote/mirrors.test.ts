import { expect, test } from 'vitest'
import { createExportStore } from '#core/exports/export-store'
import { createOpenExports } from '#core/exports/open-exports'
import { MARK_KEY } from '#core/promote/mark'
import { mirrorItems } from '#core/promote/mirror-items'
import { countDifferentObjects, mirrorObjects } from '#core/promote/mirror-objects'
import type { CopiedObjects, SourceObject } from '#core/promote/ports'
import { type Item, scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { createFolderLake } from '#local/lake/folder'
import { openBothTables, putItem } from '#test/support/both-tables'
import { createFakeClock } from '#test/support/fake-clock'
import { largestExport } from '#test/support/largest-export'
import { newFolder } from '#test/support/service-process'

const { local, aws } = await openBothTables()
const clock = createFakeClock(Date.parse('2026-11-21T12:00:00Z'))
async function itemsOf(state: StateTable) {
  const items: Item[] = []
  for await (const page of scanPages(state, {})) items.push(...page)
  return items.toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1))
}

/** One item with each type of value that stores write. */
const EVERY_TYPE = {
  ...{ pk: 'a', sk: '1', text: 'é', number: 1.5, flag: false, nothing: null, empty: '' },
  bytes: new Uint8Array([0, 255]),
  names: new Set(['b', 'a']),
  numbers: new Set([3, 1, 20]),
  list: [1, 'x', { deep: [new Uint8Array([7])] }],
  map: { b: 1, a: { c: new Set(['z', 'y']) } },
}

test.each([
  ['one machine to AWS', () => [local, aws] as const],
  ['AWS to one machine', () => [aws, local] as const],
])('items go from %s as they are, and again without a write', async (_, sides) => {
  const [from, to] = sides()
  const many = Array.from({ length: 60 }, (_, i) => ({ pk: 'many', sk: String(i), text: 'x'.repeat(20_000) }))
  for (const item of [EVERY_TYPE, ...many]) await putItem(from, item)
  expect(await mirrorItems(from, to, { clock })).toEqual({ items: 61, written: 61, deleted: 0 })
  expect(await itemsOf(to)).toEqual(await itemsOf(from))
  expect(await mirrorItems(from, to, { clock })).toEqual({ items: 61, written: 0, deleted: 0 })
})

test('what the source has changed or deleted since is changed and deleted, and the mark stays', async () => {
  await putItem(local, { pk: 'a', sk: '1', names: new Set(['x', 'y']) })
  await putItem(local, { pk: 'b', sk: '1', value: 2 })
  const mark = { ...MARK_KEY, source: 'id', step: 'begun', are_stopped: true }
  for (const item of [{ pk: 'a', sk: '1', names: new Set(['x']) }, { pk: 'revoked', sk: '1' }, mark])
    await putItem(aws, item)
  const trial = await mirrorItems(local, aws, { clock, isTrial: true })
  expect(trial).toEqual({ items: 2, written: 2, deleted: 1 })
  expect(await itemsOf(aws)).toHaveLength(3)
  expect(await mirrorItems(local, aws, { clock })).toEqual(trial)
  expect(await itemsOf(aws)).toEqual([...(await itemsOf(local)), mark])
})

test('an item whose time is over is not copied, and differs from nothing', async () => {
  const now = Math.floor(clock.now() / 1_000)
  await putItem(local, { pk: 'over', sk: '1', expires_at: now })
  await putItem(local, { pk: 'soon', sk: '1', expires_at: now + 1 })
  await putItem(aws, { pk: 'deleted by itself', sk: '1', expires_at: now - 9 })
  expect(await mirrorItems(local, aws, { clock })).toEqual({ items: 1, written: 1, deleted: 0 })
  expect((await itemsOf(aws)).map(({ pk }) => pk)).toEqual(['deleted by itself', 'soon'])
})

test('exports stay where their files are', async () => {
  const made = largestExport({ account_id: 'acc_1', id: 'proj_1' }, clock.now())
  await createOpenExports({ ...local, clock }).take(made)
  await createExportStore({ ...local, clock }).put(made)
  expect(await itemsOf(local)).toHaveLength(3)
  expect(await mirrorItems(local, aws, { clock })).toEqual({ items: 0, written: 0, deleted: 0 })
})

test('what a target writes while it takes events is neither deleted nor different', async () => {
  const counted = (count: number) => ({ pk: 'refusals#proj_1', sk: '2026-11-21', count })
  await putItem(local, counted(1))
  const own = [
    { pk: 'install', sk: 'address-salt#2026-11-21', salt: 'x' },
    { pk: 'limit#token#aat_1', sk: 'window', count: 3 },
    { pk: 'live#proj_1', sk: '1', events: new Uint8Array(3) },
    { pk: 'live-checkpoint', sk: 'shardId-0', sequence: '7' },
  ]
  for (const item of own) await putItem(aws, item)
  expect(await mirrorItems(local, aws, { clock })).toEqual({ items: 1, written: 1, deleted: 0 })
  await putItem(aws, counted(2))
  expect(await mirrorItems(local, aws, { clock, isTrial: true })).toMatchObject({ written: 0, deleted: 0 })
  expect(await itemsOf(aws)).toEqual([...own, counted(2)])
})

/** A lake in memory that counts the versions of its objects, and notes of what was copied. */
function openObjects() {
  const objects = new Map<string, { bytes: Uint8Array; version: number }>()
  let version = 0
  const noted = new Map<string, string>()
  const copied: CopiedObjects = {
    has: ({ key, version }) => noted.get(key) === version,
    note: ({ key, version }) => noted.set(key, version),
  }
  return {
    copied,
    set: (key: string, text: string) =>
      objects.set(key, { bytes: new TextEncoder().encode(text), version: version++ }),
    delete: (key: string) => objects.delete(key),
    from: {
      list: async (): Promise<SourceObject[]> =>
        [...objects].map(([key, { bytes, version }]) => ({ key, size: bytes.length, version: `${version}` })),
      get: async (key: string) => objects.get(key)?.bytes ?? null,
    },
  }
}

const HOT = 'hot/epoch=3/local-1-2.parquet'
const SEGMENT = 'segments/events/bucket=1/1-2-0-0.parquet'

test('objects are copied once, and again when the source has written them anew', async () => {
  const { from, copied, set } = openObjects()
  const to = createFolderLake(newFolder())
  set(HOT, 'before')
  set(SEGMENT, 'rows')
  expect(await mirrorObjects(from, to, { copied, isLast: false })).toMatchObject({ objects: 2, copied: 2 })
  expect(await mirrorObjects(from, to, { copied, isLast: true })).toMatchObject({ copied: 0, deleted: 0 })
  // An erasure writes a hot file anew, perhaps in as many bytes.
  set(HOT, 'erased')
  expect(await mirrorObjects(from, to, { copied, isLast: true })).toMatchObject({ copied: 1 })
  expect(new TextDecoder().decode((await to.get(HOT)) ?? undefined)).toBe('erased')
  await to.delete([SEGMENT])
  expect(await mirrorObjects(from, to, { copied, isLast: true })).toMatchObject({ copied: 1 })
  expect(await countDifferentObjects(from, to)).toBe(0)
})

test('what the source deletes is deleted by the last copy alone, and other names are left alone', async () => {
  const { from, copied, set, delete: remove } = openObjects()
  const to = createFolderLake(newFolder())
  const failed = 'aws/lambda/lake/failed.json'
  await to.put(failed, new Uint8Array(1))
  set(HOT, 'rows')
  set(SEGMENT, 'rows')
  set('.DS_Store', 'foreign')
  set('exports/acc_1/exp_1/events-0.parquet', 'of an export of a stack')
  await mirrorObjects(from, to, { copied, isLast: false })
  remove(HOT)
  expect(await mirrorObjects(from, to, { copied, isLast: false })).toMatchObject({ deleted: 0 })
  expect(await countDifferentObjects(from, to)).toBe(1)
  expect(await mirrorObjects(from, to, { copied, isLast: true })).toMatchObject({ objects: 1, deleted: 1 })
  expect((await to.list('')).map(({ key }) => key)).toEqual([failed, SEGMENT])
})

test('an object that goes while it is copied is left out', async () => {
  const { from, copied, set, delete: remove } = openObjects()
  const to = createFolderLake(newFolder())
  set(HOT, 'rows')
  const going = { ...from, list: async () => from.list().finally(() => remove(HOT)) }
  expect(await mirrorObjects(going, to, { copied, isLast: false })).toMatchObject({ objects: 1, copied: 0 })
  expect(await to.list('')).toEqual([])
})
