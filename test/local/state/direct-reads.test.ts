import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { connectState, type OpenState, openState, type StateConnection } from '#local/state/state'

/** One item of each type, in maps and lists too. */
const ITEMS = [
  { pk: 'p', sk: 'numbers', n: 0, price: -1.5, big: 9_007_199_254_740_993n, set: new Set([1, 2]) },
  { pk: 'p', sk: 'texts', empty: '', text: 'ä \u0000 "', set: new Set(['a', 'b']), none: null, is: false },
  { pk: 'p', sk: 'lists', list: [1, ['x', { a: null }]], map: { deep: { list: [] } } },
  { pk: 'ü/#', sk: 'bytes', bytes: Buffer.of(0, 255), set: new Set([Buffer.of(1)]), list: [Buffer.of(2)] },
]

let folder: string
let state: OpenState
/** Another thread's connection. All its reads are requests. */
let connection: StateConnection
let requests = 0
const countRequest = () => {
  requests++
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-state-'))
  state = await openState(folder)
  connection = connectState(state.endpoint)
  for (const Item of ITEMS) await state.client.put({ TableName: state.table, Item })
  subscribe('http.client.request.start', countRequest)
})
afterAll(async () => {
  unsubscribe('http.client.request.start', countRequest)
  await connection.close()
  await state.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  requests = 0
})

const keyOf = ({ pk, sk }: { pk: string; sk: string }) => ({ pk, sk })
const MISSING = { pk: 'p', sk: 'missing' }

async function read(client: DynamoDBDocument, key: object, options: object = {}) {
  return (await client.get({ TableName: state.table, Key: { ...key }, ConsistentRead: true, ...options }))
    .Item
}

async function readBatch(client: DynamoDBDocument, Keys: object[]) {
  const RequestItems = {
    [state.table]: { Keys: [...Keys] as Record<string, unknown>[], ConsistentRead: true },
  }
  const { Responses, UnprocessedKeys } = await client.batchGet({ RequestItems })
  const items = Responses?.[state.table] ?? []
  return { items: items.toSorted((a, b) => (a.sk < b.sk ? -1 : 1)), UnprocessedKeys }
}

test('an item that is read in this thread equals the same item by a request, for each type of attribute', async () => {
  const keys = [...ITEMS.map(keyOf), MISSING]
  const direct = await Promise.all(keys.map(key => read(state.client, key)))
  const directBatch = await readBatch(state.client, keys)
  expect(requests).toBe(0)
  expect(direct).toStrictEqual(await Promise.all(keys.map(key => read(connection.client, key))))
  expect(directBatch).toStrictEqual(await readBatch(connection.client, keys))
  expect(directBatch.items).toHaveLength(ITEMS.length)
  expect(requests).toBe(keys.length + 1)
})

test('a write by another thread is seen as soon as it is acknowledged', async () => {
  for (let n = 0; n < 20; n++) {
    await connection.client.put({ TableName: state.table, Item: { pk: 'written', sk: '-', n } })
    expect(await read(state.client, { pk: 'written', sk: '-' })).toMatchObject({ n })
  }
})

type Client = DynamoDBDocument
test.each<[string, (client: Client) => Promise<unknown>]>([
  ['without a key', client => read(client, {})],
  ['with an empty key', client => read(client, { pk: 'p', sk: '' })],
  ['with a key that is no text', client => read(client, { pk: 'p', sk: 1 })],
  ['with a third part of a key', client => read(client, { ...MISSING, other: 'x' })],
  ['of no items', client => readBatch(client, [])],
  ['of the same item twice', client => readBatch(client, [MISSING, MISSING])],
  [
    'of 101 items',
    client =>
      readBatch(
        client,
        Array.from({ length: 101 }, (_, n) => ({ pk: 'p', sk: `${n}` })),
      ),
  ],
  ['of a table that does not exist', client => read(client, MISSING, { TableName: 'other' })],
])('a read %s is refused with the same error as a request', async (_, refused) => {
  const { name, message } = await refused(connection.client).then(
    () => new Error('not refused'),
    (error: Error) => error,
  )
  expect(name).toMatch(/^(ValidationException|ResourceNotFoundException)$/)
  await expect(refused(state.client)).rejects.toMatchObject({ name, message })
})

test('a read of some attributes returns only these', async () => {
  expect(await read(state.client, { pk: 'p', sk: 'numbers' }, { ProjectionExpression: 'price' })).toEqual({
    price: -1.5,
  })
})

test('other work of the thread runs between the reads of a long series', async () => {
  let turns = 0
  let isOver = false
  const takeTurns = () => {
    turns++
    if (!isOver) setImmediate(takeTurns)
  }
  onTestFinished(() => {
    isOver = true
  })
  setImmediate(takeTurns)
  for (let n = 0; n < 200; n++) await read(state.client, MISSING)
  expect(turns).toBeGreaterThanOrEqual(9)
})
