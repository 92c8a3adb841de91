import type { JsonObject } from '#core/json-object'
import { queryItems } from '#core/query-all'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import { idHash, partition } from './link-store.ts'

/** What an identify request says about a user. `at` (Unix ms) and `seq`: when it arrived. */
export type ProfileUpdate = {
  user_id: string
  /** Without e-mail addresses. */
  traits: JsonObject
  /** The keyed hash of the user's e-mail address (email-hash.ts), or null. */
  email_hash: string | null
  at: number
  seq: number
}

/** The hash of a user's present address, and of the one before it. */
type StoredEmail = { email_hash: string; replaced: string | null }

export type Profile = { user_id: string; traits: JsonObject; at: number; seq: number }

/**
 * The traits of users and the index of their e-mail addresses, by project. The newest traits replace older ones, and the newest
 * address replaces the older one (U47), in whatever order the requests are processed.
 */
export function createProfileStore(state: StateTable) {
  const { client, table } = state

  async function save(projectId: string, update: ProfileUpdate): Promise<void> {
    const { user_id, traits, email_hash, at, seq } = update
    await putNewest(projectId, traitsKey(user_id), { user_id, traits: JSON.stringify(traits), at, seq })
    if (email_hash === null) return
    // The index entry comes first: an entry counts only while the user has this address.
    const pk = partition(projectId)
    await orUnavailable(
      client.put({ TableName: table, Item: { pk, sk: indexKey(email_hash, user_id), user_id } }),
    )
    const before = await readEmail(projectId, user_id)
    // The item names the address before, so that a try after a crash finds its index entry, and so does an erasure.
    const replaced = before?.email_hash === email_hash ? before.replaced : (before?.email_hash ?? null)
    const item = { user_id, email_hash, replaced, at, seq }
    const isNewest = await putNewest(projectId, emailKey(user_id), item)
    if (isNewest && replaced !== null) await deleteItem(projectId, indexKey(replaced, user_id))
    if (!isNewest && before?.email_hash !== email_hash) {
      await deleteItem(projectId, indexKey(email_hash, user_id))
    }
  }

  /** The ids of the users that have an e-mail address, by its hash. */
  async function findByEmail(projectId: string, emailHash: string): Promise<string[]> {
    const prefix = `email#${emailHash}#`
    const entries = await queryItems(state, partition(projectId), prefix, `${prefix}~`)
    const ids = entries.map(({ user_id }) => String(user_id))
    const hashes = await Promise.all(ids.map(id => readEmail(projectId, id)))
    return ids.filter((_, i) => hashes[i]?.email_hash === emailHash)
  }

  /** The newest traits of one of these users, or null. */
  async function readProfile(projectId: string, ids: readonly string[]): Promise<Profile | null> {
    const profiles = await Promise.all(ids.map(id => readTraits(projectId, id)))
    return (
      profiles
        .filter(profile => profile !== null)
        .toSorted((a, b) => b.at - a.at || b.seq - a.seq)
        .at(0) ?? null
    )
  }

  /** Removes traits and e-mail address of a user. Returns which of them there were. */
  async function remove(projectId: string, userId: string): Promise<{ traits: boolean; email: boolean }> {
    const [traits, email] = await Promise.all([readTraits(projectId, userId), readEmail(projectId, userId)])
    if (traits !== null) await deleteItem(projectId, traitsKey(userId))
    if (email !== null) {
      await deleteItem(projectId, indexKey(email.email_hash, userId))
      if (email.replaced !== null) await deleteItem(projectId, indexKey(email.replaced, userId))
      await deleteItem(projectId, emailKey(userId))
    }
    return { traits: traits !== null, email: email !== null }
  }

  async function readTraits(projectId: string, userId: string): Promise<Profile | null> {
    const item = await read(projectId, traitsKey(userId))
    if (item === undefined) return null
    return {
      user_id: userId,
      traits: JSON.parse(String(item.traits)),
      at: Number(item.at),
      seq: Number(item.seq),
    }
  }

  async function readEmail(projectId: string, userId: string): Promise<StoredEmail | null> {
    const item = await read(projectId, emailKey(userId))
    if (item === undefined) return null
    return {
      email_hash: String(item.email_hash),
      replaced: item.replaced == null ? null : String(item.replaced),
    }
  }

  async function read(projectId: string, sk: string) {
    const Key = { pk: partition(projectId), sk }
    const { Item } = await orUnavailable(client.get({ TableName: table, Key, ConsistentRead: true }))
    return Item
  }

  /** Returns false and changes nothing if the stored item is newer. */
  function putNewest(
    projectId: string,
    sk: string,
    item: { at: number; seq: number } & Record<string, unknown>,
  ): Promise<boolean> {
    return conditionHeld(
      client.put({
        TableName: table,
        Item: { pk: partition(projectId), sk, ...item },
        ConditionExpression: 'attribute_not_exists(pk) OR #at < :at OR (#at = :at AND seq <= :seq)',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': item.at, ':seq': item.seq },
      }),
    )
  }

  async function deleteItem(projectId: string, sk: string): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: { pk: partition(projectId), sk } }))
  }

  return { save, findByEmail, readProfile, remove }
}

export type ProfileStore = ReturnType<typeof createProfileStore>

function traitsKey(userId: string): string {
  return `traits#${idHash(userId)}`
}

/** The present address of a user. */
function emailKey(userId: string): string {
  return `email-of#${idHash(userId)}`
}

/** An entry of the index. */
function indexKey(emailHash: string, userId: string): string {
  return `email#${emailHash}#${idHash(userId)}`
}
