import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { scrubSteps } from '#local/state/item-tables'
import { scrubState } from '#local/state/scrub-state'
import { connectState, openState, type StateConnection } from '#local/state/state'
import { repeats } from '#test/support/depth'

let folder: string
let path: string
const openStates: StateConnection[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-scrub-'))
  path = join(folder, 'state.db')
})
afterEach(async () => {
  for (const state of openStates.splice(0)) await state.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open() {
  const state = await openState(path)
  openStates.push(state)
  return state
}

function connect() {
  const connection = connectState(path)
  openStates.push(connection)
  return connection
}

type State = Pick<StateConnection, 'client' | 'table'>
type Item = { pk: string; sk: string; [name: string]: unknown }

const put = ({ client, table: TableName }: State, Item: Item) => client.put({ TableName, Item })
const remove = ({ client, table: TableName }: State, Key: { pk: string; sk: string }) =>
  client.delete({ TableName, Key })

/** All items in the order of their keys, over pages of 50. */
async function allItems({ client, table: TableName }: State): Promise<Item[]> {
  const items: Item[] = []
  let ExclusiveStartKey: Record<string, unknown> | undefined
  do {
    const page = await client.scan({ TableName, Limit: 50, ExclusiveStartKey })
    items.push(...((page.Items ?? []) as Item[]))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
  return items
}

const secretText = () => `secret-${randomBytes(12).toString('hex')}`

/** Which of these texts are in a file of the folder. */
function foundInFiles(texts: ReadonlySet<string>): string[] {
  const found = new Set<string>()
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name), 'latin1')
    for (const [text] of content.matchAll(/secret-[0-9a-f]{24}/g)) if (texts.has(text)) found.add(text)
  }
  return [...found]
}

/** Writes items whose pages SQLite has to split, and deletes a third of them. Returns the deleted texts. */
async function writeAndDelete(state: State, count: number): Promise<Set<string>> {
  const texts = Array.from({ length: count }, secretText)
  const key = (i: number) => ({ pk: `user#${(i * 7919) % count}`, sk: '-' })
  // A larger item moves to another page. Its old bytes may stay in the page where it was.
  for (const filling of ['', 'x'.repeat(150), 'y'.repeat(500)])
    await Promise.all(texts.map((text, i) => put(state, { ...key(i), text, filling })))
  await Promise.all(texts.map((_, i) => (i % 3 === 0 ? remove(state, key(i)) : undefined)))
  return new Set(texts.filter((_, i) => i % 3 === 0))
}

test('no text of thousands of deleted items is in a file after a scrub, and all others are', async () => {
  const state = await open()
  const deleted = await writeAndDelete(state, 3_000)
  const rest = await allItems(state)
  await connect().scrub()
  expect(foundInFiles(deleted)).toEqual([])
  expect(await allItems(state)).toEqual(rest)
  expect(rest).toHaveLength(2_000)
})

test('requests of the same thread and of others are answered while a scrub runs', async () => {
  const state = await open()
  await writeAndDelete(state, 3_000)
  let isOver = false
  const scrub = connect()
    .scrub()
    .then(() => {
      isOver = true
    })
  let answered = 0
  while (!isOver) {
    await put(state, { pk: 'meanwhile', sk: '-', n: answered })
    if (!isOver) answered++
  }
  await scrub
  expect(answered).toBeGreaterThan(10)
})

test('what is written, deleted and read during scrubs is as without them', async () => {
  const state = await open()
  const other = connect()
  const expected = new Map<string, Item>()
  let isOver = false
  const scrubs = (async () => {
    for (let i = 0; i < repeats(3); i++) await other.scrub()
    isOver = true
  })()
  let n = 0
  const random = (below: number) => (n++ * 7919 + 13) % below
  for (let i = 0; i < 800; i++) {
    const item = {
      pk: `p${random(5)}`,
      sk: `s${String(i).padStart(4, '0')}`,
      text: 'x'.repeat(random(2_000)),
    }
    expected.set(item.pk + item.sk, item)
    await put(state, item)
  }
  while (!isOver) {
    const item = { pk: `p${random(5)}`, sk: `s${String(random(800)).padStart(4, '0')}`, n }
    if (random(3) === 0) {
      expected.delete(item.pk + item.sk)
      await remove(state, item)
    } else {
      expected.set(item.pk + item.sk, item)
      await put(random(2) === 0 ? state : other, item)
    }
    const { Items } = await state.client.query({
      TableName: state.table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': item.pk },
      ScanIndexForward: false,
      Limit: 40,
    })
    const newest = [...expected.values()].filter(({ pk }) => pk === item.pk).toSorted(byKey)
    expect(Items).toEqual(newest.reverse().slice(0, 40))
  }
  await scrubs
  expect(await allItems(state)).toEqual([...expected.values()].toSorted(byKey))
})

function byKey(a: Item, b: Item): number {
  return a.pk + a.sk < b.pk + b.sk ? -1 : 1
}

test('a scrub that ended half way loses nothing, and a later one removes what it had to', async () => {
  const state = await open()
  const deleted = await writeAndDelete(state, 2_000)
  const rest = await allItems(state)
  for (let round = 0; round < 2; round++) {
    const database = new DatabaseSync(path)
    database.exec('PRAGMA secure_delete = ON')
    const steps = scrubSteps(database)
    while (round === 1 && steps.move());
    steps.turn()
    for (let step = 0; step < 3; step++) expect(steps.move()).toBe(true)
    database.close()
    expect(await allItems(state)).toEqual(rest)
  }
  const ending = new AbortController()
  const scrub = scrubState(path, ending.signal)
  ending.abort()
  await expect(scrub).rejects.toThrow('was ended')
  expect(await allItems(state)).toEqual(rest)
  await scrubState(path, new AbortController().signal)
  expect(foundInFiles(deleted)).toEqual([])
  expect(await allItems(state)).toEqual(rest)
})

test('a scrub gives the room of most deleted items back to the system', async () => {
  const state = await open()
  const keys = Array.from({ length: 40 }, (_, i) => ({ pk: `p${i}`, sk: '-' }))
  for (const key of keys) await put(state, { ...key, text: 'x'.repeat(300_000) })
  for (const key of keys.slice(1)) await remove(state, key)
  await connect().scrub()
  expect(statSync(path).size).toBeLessThan(6_000_000)
  expect(await allItems(state)).toHaveLength(1)
})

/** A file as versions until 2026-11-29 made it. */
function createOldFile(): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE items (
      pk TEXT NOT NULL, sk TEXT NOT NULL, item TEXT NOT NULL, expires_at REAL, PRIMARY KEY (pk, sk)
    ) STRICT;
    CREATE INDEX expiring ON items (expires_at) WHERE expires_at IS NOT NULL;
  `)
  return database
}

test('a file of an older version keeps its items, and loses the bytes that its unused pages have', async () => {
  const old = createOldFile()
  const insert = old.prepare('INSERT INTO items (pk, sk, item, expires_at) VALUES (?, ?, ?, ?)')
  const deleted = new Set<string>()
  for (let i = 0; i < 300; i++) {
    const text = secretText()
    if (i % 3 === 0) deleted.add(text)
    const item = JSON.stringify({
      pk: `p${String(i).padStart(3, '0')}`,
      sk: '-',
      text: text.repeat(i % 2 ? 1 : 400),
    })
    insert.run(`p${String(i).padStart(3, '0')}`, '-', item, i % 10 === 1 ? 500 : null)
  }
  old.exec(`DELETE FROM items WHERE CAST(substr(pk, 2) AS INTEGER) % 3 = 0`)
  old.close()
  expect(foundInFiles(deleted)).not.toEqual([])
  const state = await open()
  expect(await allItems(state)).toHaveLength(200)
  await connect().scrub()
  expect(foundInFiles(deleted)).toEqual([])
  await put(state, { pk: 'p001', sk: '-', n: 1 })
  await state.deleteExpired(1_000)
  expect(await allItems(state)).toHaveLength(181)
})

test('an older version refuses a file of this one, instead of taking it for a new install', async () => {
  await (await open()).close()
  const database = new DatabaseSync(path)
  expect(() =>
    database.exec(`
      CREATE TABLE IF NOT EXISTS items (pk TEXT NOT NULL, sk TEXT NOT NULL, PRIMARY KEY (pk, sk)) STRICT;
      CREATE INDEX IF NOT EXISTS expiring ON items (expires_at) WHERE expires_at IS NOT NULL;
    `),
  ).toThrow('views may not be indexed')
  database.close()
})
