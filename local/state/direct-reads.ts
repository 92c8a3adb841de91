import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AttributeValue, BatchGetItemInput, GetItemInput } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocument, NativeAttributeValue } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import engine, { type DynaliteStore, type TableKeys } from 'dynalite/db/index.js'

type Item = Record<string, NativeAttributeValue>
type StoredItem = Record<string, AttributeValue>

/** DynamoDB reads at most this many items in one request. */
const BATCH_READS = 100
/** Reads one after another, before other work of the thread gets its turn: about 1 ms. */
const READS_OF_TURN = 20

/**
 * Lets the client read items by their keys from the store in this thread, without a request to dynalite. A request is signed, sent
 * and parsed in the thread that serves the callers. That takes 1 to 2 ms, and a report reads five times; a direct read takes 0.05 ms.
 * It returns what a request returns, because dynalite gets each item from the store in the same way. All others are still requests:
 * queries, writes, reads of some attributes, and what dynalite refuses. A read that fails becomes a request too, so its caller gets
 * the error of dynalite.
 */
export function readDirectly(client: DynamoDBDocument, store: DynaliteStore, table: TableKeys): void {
  const db = store.getItemDb(table.TableName)
  let readsOfTurn = 0

  /** Without this, a loop of a thousand reads would run to its end before the thread takes the next request. */
  async function shareThread(): Promise<void> {
    if (readsOfTurn++ === 0) {
      setImmediate(() => {
        readsOfTurn = 0
      })
    }
    if (readsOfTurn > READS_OF_TURN) await nextTurn()
  }

  async function readItem(key: string): Promise<Item | undefined> {
    await shareThread()
    const item = await new Promise((resolve, reject) =>
      db.get(key, (error, value) => (error === null ? resolve(value) : reject(error))),
    )
    return item === undefined ? undefined : unmarshall(withBytes(item as StoredItem))
  }

  /** The keys of the items in the store; null for a request that is not only keys, or that dynalite would refuse. */
  function storeKeys({ Keys = [], ConsistentRead: _, ...others }: KeysOfTable): string[] | null {
    if (Object.keys(others).length > 0 || Keys.length === 0 || Keys.length > BATCH_READS) return null
    if (!Keys.every(isKey)) return null
    const keys = Keys.map(({ pk, sk }) => engine.createKey({ pk: { S: pk }, sk: { S: sk } }, table))
    return new Set(keys).size === keys.length ? keys : null
  }

  async function readOne({ TableName, Key, ...options }: GetItemInput) {
    const keys = TableName === table.TableName ? storeKeys({ ...options, Keys: [Key] }) : null
    if (keys === null) return null
    return { Item: await readItem(keys[0] as string) }
  }

  async function readBatch({ RequestItems = {}, ...options }: BatchGetItemInput) {
    const { [table.TableName]: requested, ...otherTables } = RequestItems
    const isOfTable = Object.keys(options).length === 0 && Object.keys(otherTables).length === 0
    const keys = requested !== undefined && isOfTable ? storeKeys(requested) : null
    if (keys === null) return null
    const items = await Promise.all(keys.map(readItem))
    return {
      Responses: { [table.TableName]: items.filter(item => item !== undefined) },
      UnprocessedKeys: {},
    }
  }

  async function read(commandName: unknown, input: object) {
    if (commandName === 'GetItemCommand') return readOne(input as GetItemInput)
    if (commandName === 'BatchGetItemCommand') return readBatch(input as BatchGetItemInput)
    return null
  }

  client.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        const output = await read(commandName, args.input).catch(() => null)
        return output === null ? next(args) : { output: { $metadata: {}, ...output }, response: undefined }
      },
    { step: 'initialize', priority: 'high', name: 'readDirectly' },
  )
}

/** What a request says about the items of one table. Keys are in the form of the document client. */
type KeysOfTable = { Keys?: unknown[] | undefined; ConsistentRead?: boolean | undefined }

function isKey(key: unknown): key is Record<'pk' | 'sk', string> {
  const { pk, sk, ...others } = Object(key)
  return [pk, sk].every(part => typeof part === 'string' && part !== '') && Object.keys(others).length === 0
}

/** The store has bytes as base64, because it has items as JSON. */
function withBytes(item: StoredItem): StoredItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, decodeBytes(value)]))
}

function decodeBytes(value: AttributeValue): AttributeValue {
  const { B, BS, L, M } = value as { B?: string; BS?: string[]; L?: AttributeValue[]; M?: StoredItem }
  if (B !== undefined) return { B: toBytes(B) }
  if (BS !== undefined) return { BS: BS.map(toBytes) }
  if (L !== undefined) return { L: L.map(decodeBytes) }
  if (M !== undefined) return { M: withBytes(M) }
  return value
}

function toBytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}
