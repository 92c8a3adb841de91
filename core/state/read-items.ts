import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import { unavailable } from '#core/errors'
import type { Item } from './query-all.ts'
import { type ItemKey, orUnavailable, type StateTable, UNREACHABLE } from './state-table.ts'

/** DynamoDB reads this many items in one request. */
const BATCH_READS = 100
/** Batches that are read at the same time. */
const CONCURRENT_BATCHES = 4
/** DynamoDB may leave keys of a batch unread when it is busy. */
const TRIES = 5

/** What one request has read, and the keys that the table has left unread. */
type BatchRead<Key, Found> = { data: Found[]; unprocessed: Key[] }

/** Reads one item as it is now; undefined if there is none. Throws ApiError UNAVAILABLE. */
export async function readItem({ client, table }: StateTable, Key: ItemKey): Promise<Item | undefined> {
  return (await orUnavailable(client.get({ TableName: table, Key, ConsistentRead: true }))).Item
}

/**
 * Reads the items of all keys with `read`, and sends it the keys again that a busy table has left unread.
 * Throws ApiError UNAVAILABLE on a transient failure, also when the table stays too busy.
 */
export async function readAllKeys<Key, Found>(
  keys: Key[],
  read: (keys: Key[]) => Promise<BatchRead<Key, Found>>,
): Promise<Found[]> {
  const found: Found[] = []
  let left = keys
  for (let tries = 0; left.length > 0; tries++) {
    if (tries === TRIES) throw unavailable(UNREACHABLE, 1)
    const { data, unprocessed } = await orUnavailable(read(left))
    found.push(...data)
    left = unprocessed
  }
  return found
}

/**
 * Reads items by their keys, each as it is now; the result has no order, and nothing for an item that does
 * not exist. Throws ApiError UNAVAILABLE as readAllKeys does.
 */
export async function readItems({ client, table }: StateTable, keys: readonly ItemKey[]): Promise<Item[]> {
  const items: Item[] = []
  await forEachConcurrent(slices(keys, BATCH_READS), CONCURRENT_BATCHES, async batch => {
    const found = await readAllKeys<Item, Item>(batch, async Keys => {
      const RequestItems = { [table]: { Keys, ConsistentRead: true } }
      const { Responses, UnprocessedKeys } = await client.batchGet({ RequestItems })
      return { data: Responses?.[table] ?? [], unprocessed: UnprocessedKeys?.[table]?.Keys ?? [] }
    })
    items.push(...found)
  })
  return items
}

/** One item to read, and how to make a value of it; `undefined` is an item that does not exist. */
export type ItemRead<T> = {
  Key: ItemKey
  parse(item: Item | undefined): T
}

/** Reads two items with one request, each as it is now. Throws ApiError UNAVAILABLE as readAllKeys does. */
export async function readTogether<A, B>(
  state: StateTable,
  first: ItemRead<A>,
  second: ItemRead<B>,
): Promise<[A, B]> {
  const items = await readItems(state, [first.Key, second.Key])
  const itemOf = ({ Key }: ItemRead<unknown>) => items.find(({ pk, sk }) => pk === Key.pk && sk === Key.sk)
  return [first.parse(itemOf(first)), second.parse(itemOf(second))]
}
