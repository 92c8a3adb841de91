import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { Entity } from 'electrodb'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { conditionHeld } from '#core/state/state-table'
import { FolderError } from '#local/lock'
import { connectState, type OpenState, openState } from '#local/state/state'
import { repeats } from '#test/support/depth'

let folder: string
let path: string
const WRITER = join(import.meta.dirname, 'state-writer.ts')
const openStates: { close(): Promise<void> }[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-state-'))
  path = join(folder, 'state.db')
})
afterEach(async () => {
  for (const state of openStates.splice(0)) await state.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(): Promise<OpenState> {
  const state = await openState(path)
  openStates.push(state)
  return state
}

function connect() {
  const connection = connectState(path)
  openStates.push(connection)
  return connection
}

type State = Pick<OpenState, 'client' | 'table'>

function put({ client, table }: State, pk: string, n = 0) {
  return client.put({ TableName: table, Item: { pk, sk: '-', n } })
}

async function get({ client, table }: State, pk: string) {
  return (await client.get({ TableName: table, Key: { pk, sk: '-' }, ConsistentRead: true })).Item
}

async function allItems({ client, table }: State) {
  return (await client.scan({ TableName: table })).Items
}

test('items are there after a restart', async () => {
  const state = await open()
  await put(state, 'a', 7)
  await state.close()
  const reopened = await open()
  expect(reopened.isRepaired).toBe(false)
  expect(await get(reopened, 'a')).toEqual({ pk: 'a', sk: '-', n: 7 })
})

test('only the owner may read the files', async () => {
  await put(await open(), 'a')
  const modes = readdirSync(folder).map(name => [name, statSync(join(folder, name)).mode & 0o777])
  expect(Object.fromEntries(modes)).toEqual({
    'state.db': 0o600,
    'state.db-wal': 0o600,
    'state.db-shm': 0o600,
  })
})

test('a write of another connection is seen as soon as it is acknowledged', async () => {
  const state = await open()
  const connection = connect()
  for (let n = 0; n < 20; n++) {
    await put(connection, 'a', n)
    expect(await get(state, 'a')).toMatchObject({ n })
    await put(state, 'b', n)
    expect(await get(connection, 'b')).toMatchObject({ n })
  }
})

/** Whether this process has a lock on the file, by which other processes know that it is open. */
function hasLock(): boolean {
  return readFileSync('/proc/locks', 'utf8').includes(`:${statSync(path).ino} `)
}

// The system ends all locks of a process on a file when it closes the file anywhere.
test.skipIf(process.platform !== 'linux')('the file stays locked while threads connect', async () => {
  await put(await open(), 'a')
  expect(hasLock()).toBe(true)
  await put(connect(), 'b')
  expect(hasLock()).toBe(true)
})

test('a write waits while another connection writes, and other work of the thread goes on', async () => {
  const state = await open()
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  let isWritten = false
  const write = put(state, 'a').then(() => {
    isWritten = true
  })
  for (let turns = 0; turns < 20; turns++) await new Promise(resolve => setImmediate(resolve))
  expect(isWritten).toBe(false)
  expect(await get(state, 'a')).toBeUndefined()
  other.exec('COMMIT')
  other.close()
  await write
  expect(await get(state, 'a')).toMatchObject({ n: 0 })
})

test('a thread that ends at any moment leaves no lock', async () => {
  const state = await open()
  for (let round = 0; round < repeats(3); round++) {
    const worker = new Worker(WRITER, { argv: [path, '0', '1000'], stdout: true })
    await new Promise(resolve => worker.stdout.once('data', resolve))
    await worker.terminate()
    await put(state, 'after', round)
    expect(await get(state, 'after')).toMatchObject({ n: round })
  }
})

test('other work of the thread runs between the reads of a long series', async () => {
  const state = await open()
  let turns = 0
  let isOver = false
  const takeTurns = () => {
    turns++
    if (!isOver) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  for (let n = 0; n < 200; n++) await get(state, 'missing')
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(9)
})

test('ElectroDB reads and writes its entities', async () => {
  const { client, table } = await open()
  const model = { entity: 'thing', version: '1', service: 'footfall' }
  const key = { field: 'pk', composite: ['group'] as ['group'], casing: 'none' as const }
  const entity = new Entity(
    {
      model,
      attributes: { group: { type: 'string' }, id: { type: 'string' }, n: { type: 'number' } },
      indexes: { main: { pk: key, sk: { field: 'sk', composite: ['id'], casing: 'none' } } },
    },
    { client, table },
  )
  await entity.create({ group: 'g', id: 'a', n: 1 }).go()
  expect(await conditionHeld(entity.create({ group: 'g', id: 'a', n: 2 }).go())).toBe(false)
  const patch = entity.patch({ group: 'g', id: 'a' }).add({ n: 2 })
  const { data } = await patch.where(({ n }, { lt }) => lt(n, 2)).go({ response: 'all_new' })
  expect(data).toEqual({ group: 'g', id: 'a', n: 3 })
  for (const id of ['b', 'c']) await entity.upsert({ group: 'g', id, n: 0 }).go()
  const { data: page, cursor } = await entity.query.main({ group: 'g' }).go({ limit: 2 })
  expect(page.map(({ id }) => id)).toEqual(['a', 'b'])
  expect((await entity.query.main({ group: 'g' }).go({ limit: 2, cursor })).data).toEqual([
    { group: 'g', id: 'c', n: 0 },
  ])
  expect((await entity.remove({ group: 'g', id: 'c' }).go()).data).toEqual({ group: 'g', id: 'c' })
})

test.each<[string, (state: State) => Promise<unknown>, RegExp]>([
  [
    'another option',
    ({ client, table: TableName }) => client.scan({ TableName, Segment: 0, TotalSegments: 2 }),
    /does not support the option Segment/,
  ],
  ['a path into a map', state => update(state, 'SET #a.b = :v'), /does not support “\.b = :v”/],
  ['a calculation', state => update(state, 'SET #a = :v + :v'), /does not support “\+ :v”/],
  [
    'a function of an update',
    state => update(state, 'SET #a = if_not_exists(#a, :v)'),
    /“if_not_exists” as a value/,
  ],
  ['a plain name that DynamoDB may reserve', state => update(state, 'SET reads = :v'), /“reads” as a name/],
  ['a sum of fractions', state => update(state, 'ADD #a :v', 0.5), /ADD of numbers that are not whole/],
])('a request with %s is refused with a message that names it', async (_, request, message) => {
  await expect(request(await open())).rejects.toThrow(message)
})

function update({ client, table: TableName }: State, UpdateExpression: string, value = 1) {
  const names = UpdateExpression.includes('#a') && { ExpressionAttributeNames: { '#a': 'a' } }
  const Key = { pk: 'p', sk: 's' }
  return client.update({
    TableName,
    Key,
    UpdateExpression,
    ...names,
    ExpressionAttributeValues: { ':v': value },
  })
}

test('names of JavaScript’s own are names like others', async () => {
  const state = await open()
  const Item = JSON.parse(
    '{"pk": "a", "sk": "-", "__proto__": {"__proto__": 1}, "constructor": 2, "toString": "x"}',
  )
  await state.client.put({ TableName: state.table, Item })
  const stored = (await get(state, 'a')) ?? {}
  expect(Object.entries(stored)).toEqual(Object.entries(Item))
  expect(Object.entries(Object.getOwnPropertyDescriptor(stored, '__proto__')?.value)).toEqual([
    ['__proto__', 1],
  ])
  const isNew = {
    ConditionExpression: 'attribute_not_exists(#v)',
    ExpressionAttributeNames: { '#v': 'valueOf' },
  }
  expect(await conditionHeld(state.client.put({ TableName: state.table, Item, ...isNew }))).toBe(true)
})

test('expired items are deleted, over several statements, and no other item', async () => {
  const state = await open()
  const Item = (sk: string, expires_at?: unknown) => ({
    pk: 'p',
    sk,
    ...(expires_at !== undefined && { expires_at }),
  })
  for (let i = 0; i < 120; i++)
    await state.client.put({ TableName: state.table, Item: Item(`old-${i}`, 999 - i) })
  const kept = [
    Item('fraction', 1_000.5),
    Item('later', 1_001),
    Item('never'),
    Item('now', 1_000),
    Item('text', '1'),
  ]
  for (const each of kept) await state.client.put({ TableName: state.table, Item: each })
  await state.deleteExpired(1_000)
  expect(await allItems(state)).toEqual(kept)
})

test('a scrub removes deleted and replaced items from the files, also while another connection is open', async () => {
  const { client, table: TableName, ...state } = await open()
  const connection = connect()
  const [secret, kept] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')]
  const filesWith = (text: string) =>
    readdirSync(folder).filter(name => readFileSync(join(folder, name)).includes(text))
  await client.put({ TableName, Item: { pk: 'p', sk: 'kept', text: kept } })
  for (const sk of ['a', 'b', 'c']) {
    await client.put({ TableName, Item: { pk: 'p', sk, text: secret.repeat(sk === 'c' ? 1_000 : 1) } })
  }
  await client.put({ TableName, Item: { pk: 'p', sk: 'a' } })
  for (const sk of ['b', 'c']) await client.delete({ TableName, Key: { pk: 'p', sk } })
  expect(filesWith(secret)).not.toEqual([])
  await connection.scrub()
  expect([filesWith(secret), filesWith(kept).length]).toEqual([[], 1])
  const rest = [
    { pk: 'p', sk: 'a' },
    { pk: 'p', sk: 'kept', text: kept },
  ]
  expect(await allItems({ client, table: TableName })).toEqual(rest)
  await state.close()
})

test('writes on a full disk reject with UNAVAILABLE, and writes acknowledged before and after them are kept', async () => {
  // `ulimit -f` limits the size of a file. The log of SQLite reaches the limit after about 25 writes. A
  // checkpoint then makes room.
  const command = `ulimit -f 600; exec "${process.execPath}" "${WRITER}" "${path}" 0 200`
  const lines = await runWriter(spawn('sh', ['-c', command]), 250)
  const failures = lines.filter(line => line === 'failed').length
  expect(failures).toBeGreaterThan(0)
  expect(failures).toBeLessThan(lines.length / 2)
  const state = await open()
  for (const line of lines.filter(line => line !== 'failed')) {
    expect(await get(state, `k${line}`)).toMatchObject({ n: Number(line) })
  }
})

test('a file that cannot be created or that is no state is refused with a FolderError', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(openState(join(folder, 'file', 'state.db'))).rejects.toThrow(FolderError)
  writeFileSync(path, 'no database')
  await expect(openState(path)).rejects.toThrow(FolderError)
  await expect(openState(path)).rejects.toThrow(/cannot be opened/)
})

test('a damaged file is repaired and keeps all items but those of the damaged page', async () => {
  const state = await open()
  for (let n = 0; n < 200; n++) await put(state, `k${n}`, n)
  await state.close()
  const size = statSync(path).size
  // A page of items in the middle of the file.
  const content = readFileSync(path)
  const page = Math.floor(content.indexOf('"n":100') / 4_096)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, page * 4_096)
  closeSync(file)
  const repaired = await open()
  expect(repaired.isRepaired).toBe(true)
  const items = (await allItems(repaired)) ?? []
  expect(items.length).toBeGreaterThan(100)
  expect(items.length).toBeLessThan(200)
  for (const { pk, n } of items) expect(pk).toBe(`k${n}`)
  expect(statSync(`${path}.damaged`).size).toBe(size)
  await put(repaired, 'after', 1)
  await repaired.close()
  expect((await open()).isRepaired).toBe(false)
})

test('a large file is checked page by page only after a request has met damage in it', async () => {
  const state = await open()
  for (let n = 0; n < 200; n++) await put(state, `k${n}`, n)
  await state.close()
  const page = Math.floor(readFileSync(path).indexOf('"n":100') / 4_096)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, page * 4_096)
  closeSync(file)
  const damaged = await openState(path, { checkedBytes: 0 })
  expect(damaged.isRepaired).toBe(false)
  await expect(allItems(damaged)).rejects.toThrow('malformed')
  await damaged.close()
  const repaired = await openState(path, { checkedBytes: 0 })
  openStates.push(repaired)
  expect(repaired.isRepaired).toBe(true)
  expect((await allItems(repaired))?.length).toBeGreaterThan(100)
  await repaired.close()
  expect((await openState(path, { checkedBytes: 0 })).isRepaired).toBe(false)
})

test('every acknowledged write survives kill -9, several times in a row', async () => {
  let acknowledged = 0
  for (let round = 0; round < repeats(2); round++) {
    const writer = spawn(process.execPath, [WRITER, path, String(acknowledged)])
    acknowledged = Number((await runWriter(writer, 40 + 17 * round)).at(-1))
  }
  const state = await open()
  for (let n = 1; n <= acknowledged; n++) expect(await get(state, `k${n}`)).toMatchObject({ n })
})

/** Kills the writer once it has printed this number of lines. Resolves with all lines that it has printed. */
function runWriter(writer: ChildProcess, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let output = ''
    writer.stdout?.on('data', (text: Buffer) => {
      output += text.toString()
      if (output.split('\n').length > lines) writer.kill('SIGKILL')
    })
    writer.stderr?.on('data', (text: Buffer) => {
      if (!/Experimental|trace-warnings/.test(text.toString())) reject(new Error(text.toString()))
    })
    writer.on('close', () => resolve(output.split('\n').slice(0, -1)))
  })
}
