import { partition } from '#core/identity/links/pointers'
import type { Item } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import { type KnownUser, UNKNOWN_USER } from './known-user.ts'
import { traitsPages, withTraits } from './traits-items.ts'

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

/**
 * A full project forgets what nobody has sent again for this time, ms, the oldest first, so a flood of a
 * stranger does not keep new users out for ever. Whether such an id has events says nothing: who has the
 * public token can send those as well.
 */
export const PUBLIC_TRAITS_KEPT_MS = 30 * DAY_MS
/** A full project looks through its users this often, ms: 64 MB are some thousand reads of DynamoDB. */
export const MAKE_ROOM_EVERY_MS = DAY_MS
/** So much of the bound is free afterwards, if enough is old. */
export const ROOM_MADE = 0.25

/** What a user takes of the bound; 0 if all that is known came with a credential. */
export function publicBytes(userId: string, { traits, email }: KnownUser): number {
  if (traits === null && email === null) return 0
  // Each of the three items has the id.
  return USER_BYTES + 3 * Buffer.byteLength(userId) + Buffer.byteLength(JSON.stringify(traits?.traits ?? {}))
}

/** What a project has of them. */
export type PublicTraits = {
  bytes: number
  /** When room was made for new ones the last time, Unix ms; 0: never. */
  madeRoomAt: number
}

/** A user with such traits. */
export type PublicUser = { user_id: string; bytes: number /** Of the newest request, Unix ms. */; at: number }

/**
 * How many of these bytes a project has. Only the fold writes it, and one process folds at a time. It is
 * written before the items are, so after a crash too much is counted, and not too little.
 */
export function createPublicTraits({ client, table }: StateTable) {
  async function read(projectId: string): Promise<PublicTraits> {
    const Key = keyOf(projectId)
    const Item = await readItem({ client, table }, Key)
    if (Item === undefined) return countAll(projectId)
    return { bytes: Number(Item.bytes), madeRoomAt: Number(Item.made_room_at ?? 0) }
  }

  /** Traits of a version that did not count them. It happens once. */
  async function countAll(projectId: string): Promise<PublicTraits> {
    const counted = { bytes: 0, madeRoomAt: 0 }
    for await (const users of pages(projectId)) for (const { bytes } of users) counted.bytes += bytes
    await write(projectId, counted)
    return counted
  }

  async function write(projectId: string, { bytes, madeRoomAt }: PublicTraits): Promise<void> {
    const Item = { ...keyOf(projectId), bytes: Math.max(0, bytes), made_room_at: madeRoomAt }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  /**
   * The users whose newest request without a credential is older than `until` (Unix ms), the oldest first.
   */
  async function sentBefore(projectId: string, until: number): Promise<PublicUser[]> {
    const found: PublicUser[] = []
    for await (const users of pages(projectId)) found.push(...users.filter(({ at }) => at < until))
    return found.toSorted((a, b) => a.at - b.at)
  }

  async function* pages(projectId: string): AsyncGenerator<PublicUser[]> {
    for await (const items of traitsPages({ client, table }, projectId)) yield items.flatMap(toPublicUser)
  }

  return { read, write, sentBefore }
}

function keyOf(projectId: string) {
  return { pk: partition(projectId), sk: 'public-traits' }
}

function toPublicUser(item: Item): PublicUser[] {
  const user = withTraits(UNKNOWN_USER, item)
  const user_id = String(item.user_id)
  return user.traits === null ? [] : [{ user_id, bytes: publicBytes(user_id, user), at: user.traits.at }]
}
