import { idHash, partition } from '#core/identity/links/pointers'
import type { JsonObject } from '#core/json-object'
import { type Item, queryItems } from '#core/query-all'
import { readItems } from '#core/read-items'
import { orUnavailable, type StateTable } from '#core/state-table'
import { writeItems } from '#core/write-items'
import {
  type Arrival,
  addUpdate,
  emailOf,
  mergeProfiles,
  NO_PROFILE,
  type ProfileUpdate,
  type StoredProfile,
  traitsOf,
} from './stored-profile.ts'

export type Profile = { user_id: string; traits: JsonObject } & Arrival

/** What the fold changes in the profiles of a project. */
export type ProfileChanges = {
  /** Profiles of ids that now lead to others. */
  moves: readonly { from: string; to: string }[]
  /** Their users are final ids. */
  updates: readonly ProfileUpdate[]
}

/**
 * The traits of users and the index of their e-mail addresses, by project and final id. The newest traits replace older ones, and the
 * newest address replaces the older one (U47), in whatever order the requests are processed. What came with a credential stays (U58).
 */
export function createProfileStore(state: StateTable) {
  /** Saves changes. Doing it twice changes nothing. An entry of the index counts only while the user has its address. */
  async function save(projectId: string, { moves, updates }: ProfileChanges): Promise<void> {
    const users = new Set([
      ...moves.flatMap(({ from, to }) => [from, to]),
      ...updates.map(each => each.user_id),
    ])
    const before = await read(projectId, [...users])
    const after = new Map(before)
    const profileOf = (id: string) => after.get(id) ?? NO_PROFILE
    for (const { from, to } of moves) {
      if (profileOf(from) === NO_PROFILE) continue
      after.set(to, mergeProfiles(profileOf(from), profileOf(to)))
      after.set(from, NO_PROFILE)
    }
    for (const update of updates) after.set(update.user_id, addUpdate(profileOf(update.user_id), update))

    const entries: Item[] = []
    const items: Item[] = []
    const removed: string[] = []
    for (const [id, profile] of after) {
      const earlier = before.get(id) ?? NO_PROFILE
      if (profile === earlier) continue
      const [email, old] = [emailOf(profile), emailOf(earlier)]
      if (email !== null && email !== old) entries.push({ sk: indexKey(email, id), user_id: id })
      // The item names the address before, so that a try after a crash finds its index entry, and so does an erasure.
      const replaced = old !== null && old !== email ? old : earlier.replaced
      items.push(...toItems(id, { ...profile, replaced }))
      const stale = [old, earlier.replaced].filter(hash => hash !== null && hash !== email)
      removed.push(...stale.map(hash => indexKey(String(hash), id)))
      if (profile === NO_PROFILE) removed.push(traitsKey(id), emailKey(id))
    }
    const pk = partition(projectId)
    const put = (Items: readonly Item[]) =>
      writeItems(
        state,
        Items.map(item => ({ PutRequest: { Item: { pk, ...item } } })),
      )
    // The index entry comes first.
    await put(entries)
    await put(items)
    await deleteItems(projectId, removed)
  }

  /** The ids of the users that have an e-mail address, by its hash. */
  async function findByEmail(projectId: string, emailHash: string): Promise<string[]> {
    const prefix = `email#${emailHash}#`
    const entries = await queryItems(state, partition(projectId), prefix, `${prefix}~`)
    const ids = entries.map(({ user_id }) => String(user_id))
    const profiles = await read(projectId, ids)
    return ids.filter(id => emailOf(profiles.get(id) ?? NO_PROFILE) === emailHash)
  }

  /** The newest traits of one of these users, or null. */
  async function readProfile(projectId: string, ids: readonly string[]): Promise<Profile | null> {
    const profiles = [...(await read(projectId, ids))].flatMap(([user_id, profile]) => {
      const found = traitsOf(profile)
      return found === null ? [] : [{ user_id, ...found }]
    })
    return profiles.toSorted((a, b) => b.at - a.at || b.seq - a.seq).at(0) ?? null
  }

  /** Removes what users have sent until then (Unix ms). Returns how many traits and addresses there were. */
  async function remove(
    projectId: string,
    ids: readonly string[],
    until = Number.POSITIVE_INFINITY,
  ): Promise<{ profiles: number; emails: number }> {
    const profiles = [...(await read(projectId, ids))].filter(([, profile]) => isUntil(profile, until))
    const keys = profiles.flatMap(([id, profile]) => [
      ...[emailOf(profile), profile.replaced].flatMap(hash => (hash === null ? [] : [indexKey(hash, id)])),
      traitsKey(id),
      emailKey(id),
    ])
    await deleteItems(projectId, keys)
    return {
      profiles: profiles.filter(([, profile]) => traitsOf(profile) !== null).length,
      emails: profiles.filter(([, profile]) => emailOf(profile) !== null).length,
    }
  }

  /** The profiles that these users have, by id. */
  async function read(projectId: string, ids: readonly string[]): Promise<Map<string, StoredProfile>> {
    const pk = partition(projectId)
    const owners = new Map(ids.flatMap(id => [[traitsKey(id), id] as const, [emailKey(id), id] as const]))
    const found = await readItems(
      state,
      [...owners.keys()].map(sk => ({ pk, sk })),
    )
    const profiles = new Map<string, StoredProfile>()
    for (const item of found) {
      const id = String(owners.get(String(item.sk)))
      const profile = profiles.get(id) ?? NO_PROFILE
      profiles.set(
        id,
        String(item.sk) === traitsKey(id) ? withTraits(profile, item) : withEmail(profile, item),
      )
    }
    return profiles
  }

  async function deleteItems(projectId: string, sks: readonly string[]): Promise<void> {
    const pk = partition(projectId)
    await orUnavailable(
      writeItems(
        state,
        [...new Set(sks)].map(sk => ({ DeleteRequest: { Key: { pk, sk } } })),
      ),
    )
  }

  return { save, findByEmail, readProfile, remove }
}

export type ProfileStore = ReturnType<typeof createProfileStore>

function isUntil({ traits, trustedTraits, email, trustedEmail }: StoredProfile, until: number): boolean {
  return [traits, trustedTraits, email, trustedEmail].every(sent => sent === null || sent.at <= until)
}

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

/** What came without a credential has the names of before there were credentials. */
function withTraits(profile: StoredProfile, item: Item): StoredProfile {
  const read = (prefix: string) =>
    item[`${prefix}traits`] === undefined
      ? null
      : { traits: JSON.parse(String(item[`${prefix}traits`])) as JsonObject, ...arrivalOf(item, prefix) }
  return { ...profile, traits: read(''), trustedTraits: read('trusted_') }
}

function withEmail(profile: StoredProfile, item: Item): StoredProfile {
  const read = (prefix: string) =>
    item[`${prefix}email_hash`] === undefined
      ? null
      : { email_hash: String(item[`${prefix}email_hash`]), ...arrivalOf(item, prefix) }
  const replaced = item.replaced == null ? null : String(item.replaced)
  return { ...profile, email: read(''), trustedEmail: read('trusted_'), replaced }
}

function arrivalOf(item: Item, prefix: string): Arrival {
  return { at: Number(item[`${prefix}at`]), seq: Number(item[`${prefix}seq`]) }
}

/** The items of a user: none, one or two. */
function toItems(user_id: string, profile: StoredProfile): Item[] {
  const { traits, trustedTraits, email, trustedEmail, replaced } = profile
  const traitsItem = {
    ...(traits !== null && { ...traits, traits: JSON.stringify(traits.traits) }),
    ...(trustedTraits !== null && {
      trusted_traits: JSON.stringify(trustedTraits.traits),
      trusted_at: trustedTraits.at,
      trusted_seq: trustedTraits.seq,
    }),
  }
  const emailItem = {
    ...email,
    ...(trustedEmail !== null && {
      trusted_email_hash: trustedEmail.email_hash,
      trusted_at: trustedEmail.at,
      trusted_seq: trustedEmail.seq,
    }),
  }
  const hasTraits = traits !== null || trustedTraits !== null
  const hasEmail = email !== null || trustedEmail !== null
  return [
    ...(hasTraits ? [{ sk: traitsKey(user_id), user_id, ...traitsItem }] : []),
    ...(hasEmail ? [{ sk: emailKey(user_id), user_id, ...emailItem, replaced }] : []),
  ]
}
