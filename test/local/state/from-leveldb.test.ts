import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openState } from '#local/state/state'

const FIXTURE = resolve(import.meta.dirname, '../../fixtures/2026-11-23/data/state')

let folder: string
let path: string
let old: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-leveldb-'))
  path = join(folder, 'state.db')
  old = join(folder, 'state')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function readItems(): Promise<Record<string, unknown>[]> {
  const { client, table, close } = await openState(path)
  const { Items = [] } = await client.scan({ TableName: table })
  await close()
  return Items
}

/** Opens the LevelDB store of an earlier version. */
async function openOld() {
  const level = new ClassicLevel<string, unknown>(old, { valueEncoding: 'json' })
  await level.open()
  return level
}

test('the state of an earlier version moves into the file once, with every item and type, and its folder goes', async () => {
  const level = await openOld()
  await level.put('table~footfall', { TableName: 'footfall' })
  for (let n = 0; n < 2_500; n++) {
    await level.put(`item-footfall~${n}`, { pk: { S: `p${n}` }, sk: { S: '-' }, n: { N: `${n}` } })
  }
  await level.put('item-footfall~x', {
    ...{ pk: { S: 'ü' }, sk: { S: 'x' }, text: { S: '' }, fraction: { N: '-1.5' }, bytes: { B: 'AP8=' } },
    ...{ yes: { BOOL: true }, no: { BOOL: false }, none: { NULL: true }, expires_at: { N: '1' } },
    ...{ texts: { SS: ['a', 'b'] }, numbers: { NS: ['1', '2'] } },
    list: { L: [{ N: '1' }, { L: [{ M: { a: { B: 'Bw==' } } }] }] },
  })
  await level.close()
  const items = await readItems()
  expect(items).toHaveLength(2_501)
  expect(items.filter(({ n, pk }) => pk === `p${n}`)).toHaveLength(2_500)
  expect(items.at(-1)).toEqual({
    ...{ pk: 'ü', sk: 'x', text: '', fraction: -1.5, bytes: new Uint8Array([0, 255]) },
    ...{ yes: true, no: false, none: null, expires_at: 1 },
    ...{ texts: new Set(['a', 'b']), numbers: new Set([1, 2]) },
    list: [1, [{ a: new Uint8Array([7]) }]],
  })
  expect(readdirSync(folder)).toEqual(['state.db'])
  expect(await readItems()).toEqual(items)
  const { deleteExpired, close } = await openState(path)
  await deleteExpired(2)
  await close()
  expect(await readItems()).toEqual(items.slice(0, -1))
})

test('the state of the fixture moves', async () => {
  cpSync(FIXTURE, old, { recursive: true })
  const items = await readItems()
  expect(items.length).toBeGreaterThan(50)
  expect(existsSync(old)).toBe(false)
})

test('a start after a crash moves the state again, or removes the folder of a state that has moved', async () => {
  cpSync(FIXTURE, old, { recursive: true })
  // The crash came while the file was written.
  writeFileSync(`${path}.unfinished`, 'half a file')
  writeFileSync(`${path}.unfinished-wal`, 'half a log')
  const items = await readItems()
  expect(items.length).toBeGreaterThan(50)
  // The crash came while the folder was removed: what is left of it is not read again.
  cpSync(FIXTURE, old, { recursive: true })
  rmSync(join(old, 'CURRENT'))
  const { client, table, close } = await openState(path)
  await client.put({ TableName: table, Item: { pk: 'new', sk: '-' } })
  await close()
  expect(await readItems()).toHaveLength(items.length + 1)
  expect(readdirSync(folder)).toEqual(['state.db'])
})

test('a damaged state of an earlier version is repaired before it moves', async () => {
  cpSync(FIXTURE, old, { recursive: true })
  const manifest = readdirSync(old).find(name => name.startsWith('MANIFEST')) as string
  writeFileSync(join(old, manifest), 'damaged')
  const state = await openState(path)
  expect(state.isRepaired).toBe(true)
  expect((await state.client.scan({ TableName: state.table })).Items?.length).toBeGreaterThan(50)
  await state.close()
})
