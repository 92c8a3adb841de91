import { partition } from '#core/identity/links/pointers'
import type { Item } from '#core/query-all'
import { queryPages } from '#core/query-all'
import { orUnavailable, type StateTable } from '#core/state-table'
import type { KnownUser } from './known-user.ts'

/**
 * Bytes of the state that traits and addresses of a project may take that came without a credential.
 * Everybody has the public token, so without a bound 20,000 requests take 170 MB. This is enough for 75,000
 * users whose traits have 300 bytes. Traits with a credential have no such bound: the owner sends them.
 */
export const PUBLIC_TRAITS_BYTES = 64 * 1024 * 1024
/**
 * What the items of a user take beside traits and ids: keys, times, the hash of an address and its index
 * entry.
 */
const USER_BYTES = 600

/** What a user takes of the bound; 0 if all that is known came with a credential. */
export function publicBytes(userId: string, { traits, email }: KnownUser): number {
  if (traits === null && email === null) return 0
  // Each of the three items has the id.
  return USER_BYTES + 3 * Buffer.byteLength(userId) + Buffer.byteLength(JSON.stringify(traits?.traits ?? {}))
}

/**
 * How many of these bytes a project has. Only the fold writes it, and one process folds at a time. It is
 * written before the items are, so after a crash too much is counted, and not too little.
 */
export function createPublicTraits({ client, table }: StateTable, countUser: (item: Item) => number) {
  async function read(projectId: string): Promise<number> {
    const Key = keyOf(projectId)
    const { Item } = await orUnavailable(client.get({ TableName: table, Key, ConsistentRead: true }))
    return Item === undefined ? countAll(projectId) : Number(Item.bytes)
  }

  /** Traits of a version that did not count them. It happens once. */
  async function countAll(projectId: string): Promise<number> {
    let bytes = 0
    const query = {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': partition(projectId), ':sk': 'traits#' },
      ConsistentRead: true,
    }
    for await (const items of queryPages({ client, table }, query))
      for (const item of items) bytes += countUser(item)
    await write(projectId, bytes)
    return bytes
  }

  async function write(projectId: string, bytes: number): Promise<void> {
    const Item = { ...keyOf(projectId), bytes: Math.max(0, bytes) }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  return { read, write }
}

function keyOf(projectId: string) {
  return { pk: partition(projectId), sk: 'public-traits' }
}
