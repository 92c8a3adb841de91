import { slices } from '#core/async/slices'
import { partition } from '#core/identity/links/pointers'
import { type Item, queryItems } from '#core/state/query-all'
import { readItems } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { writeItems } from '#core/state/write-items'
import type { JsonObject } from '#core/text/json-object'
import {
  type Arrival,
  addUpdate,
  emailOf,
  type KnownUser,
  mergeUsers,
  type TraitsUpdate,
  traitsOf,
  UNKNOWN_USER,
  withoutOlder,
  withoutPublic,
} from './known-user.ts'
import {
  createPublicTraits,
  MAKE_ROOM_EVERY_MS,
  PUBLIC_TRAITS_BYTES,
  PUBLIC_TRAITS_KEPT_MS,
  type PublicTraits,
  publicBytes,
  ROOM_MADE,
} from './public-traits.ts'
import { emailKey, indexKey, toItems, traitsKey, withEmail, withTraits } from './traits-items.ts'

/** Users who are forgotten at once. */
const USERS_AT_ONCE = 1_000

/** Says until when what ids have sent is erased, Unix ms; -1: it is not. */
type ReadErased = (ids: readonly string[]) => Promise<(id: string) => number>
const nothingErased: ReadErased = async () => () => -1

export type UserTraits = { user_id: string; traits: JsonObject } & Arrival

/** What the fold changes of the users of a project. */
export type TraitsChanges = {
  /** Ids that now lead to others, with their traits and addresses. */
  moves: readonly { from: string; to: string }[]
  /** Their users are final ids. */
  updates: readonly TraitsUpdate[]
}

/**
 * The traits of users and the index of their e-mail addresses, by project and final id. The newest traits
 * replace older ones, and the newest address replaces the older one (U47), in whatever order the requests are
 * processed. What came with a credential stays (U58), and what came without one has a bound (U91): a full
 * project forgets what is old, and then refuses what is new.
 */
export function createTraitsStore(state: StateTable, maxPublicBytes = PUBLIC_TRAITS_BYTES) {
  const publicTraits = createPublicTraits(state)

  /**
   * Saves changes. Doing it twice changes nothing. An entry of the index counts only while the user has its
   * address. Returns the updates without a credential for which the project has no room.
   */
  async function save(
    projectId: string,
    { moves, updates }: TraitsChanges,
  ): Promise<ReadonlySet<TraitsUpdate>> {
    const users = new Set([
      ...moves.flatMap(({ from, to }) => [from, to]),
      ...updates.map(each => each.user_id),
    ])
    const before = await read(projectId, [...users])
    const after = new Map(before)
    const userOf = (id: string) => after.get(id) ?? UNKNOWN_USER
    for (const { from, to } of moves) {
      if (userOf(from) === UNKNOWN_USER) continue
      after.set(to, mergeUsers(userOf(from), userOf(to)))
      after.set(from, UNKNOWN_USER)
    }
    // Most requests of an import have a credential, and need no count.
    let stored: PublicTraits | null = null
    let growth = sumBytes(after) - sumBytes(before)
    const hasRoom = async (added: number, now: number) => {
      stored ??= await publicTraits.read(projectId)
      const isFull = ({ bytes }: PublicTraits) => bytes + growth + added > maxPublicBytes
      if (isFull(stored) && now - stored.madeRoomAt >= MAKE_ROOM_EVERY_MS)
        stored = await makeRoom(projectId, { ...stored, madeRoomAt: now }, users)
      return !isFull(stored)
    }
    const refused = new Set<TraitsUpdate>()
    for (const update of updates) {
      const { user_id: id, hasCredential } = update
      const next = addUpdate(userOf(id), update)
      const added = publicBytes(id, next) - publicBytes(id, userOf(id))
      if (!hasCredential && added > 0 && !(await hasRoom(added, update.at))) {
        refused.add(update)
        continue
      }
      after.set(id, next)
      growth += added
    }
    if (growth !== 0) {
      stored ??= await publicTraits.read(projectId)
      stored = { ...stored, bytes: stored.bytes + growth }
    }
    if (stored !== null && growth > 0) await publicTraits.write(projectId, stored)
    await write(projectId, before, after)
    if (stored !== null && growth < 0) await publicTraits.write(projectId, stored)
    return refused
  }

  /** Writes what has changed of users. */
  async function write(
    projectId: string,
    before: ReadonlyMap<string, KnownUser>,
    after: ReadonlyMap<string, KnownUser>,
  ): Promise<void> {
    const entries: Item[] = []
    const items: Item[] = []
    const removed: string[] = []
    for (const [id, user] of after) {
      const earlier = before.get(id) ?? UNKNOWN_USER
      if (user === earlier) continue
      const [email, old] = [emailOf(user), emailOf(earlier)]
      if (email !== null && email !== old) entries.push({ sk: indexKey(email, id), user_id: id })
      // The item names the address before, so that a try after a crash finds its index entry, and so does an
      // erasure.
      const replaced = old !== null && old !== email ? old : earlier.replaced
      const made = toItems(id, { ...user, replaced })
      items.push(...made)
      const stale = [old, earlier.replaced].filter(hash => hash !== null && hash !== email)
      removed.push(...stale.map(hash => indexKey(String(hash), id)))
      const gone = toItems(id, earlier).filter(({ sk }) => !made.some(item => item.sk === sk))
      removed.push(...gone.map(({ sk }) => String(sk)))
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

  /**
   * Forgets old traits without a credential of a full project, and returns what it has then. `kept`: users
   * who are being saved. It is noted first, so a crash does not make it happen again at once.
   */
  async function makeRoom(
    projectId: string,
    full: PublicTraits,
    kept: ReadonlySet<string>,
  ): Promise<PublicTraits> {
    let left = full
    await publicTraits.write(projectId, left)
    const old = await publicTraits.sentBefore(projectId, full.madeRoomAt - PUBLIC_TRAITS_KEPT_MS)
    const ids = old.map(({ user_id }) => user_id).filter(id => !kept.has(id))
    for (const some of slices(ids, USERS_AT_ONCE)) {
      if (left.bytes <= (1 - ROOM_MADE) * maxPublicBytes) break
      const before = await read(projectId, some)
      await write(projectId, before, new Map([...before].map(([id, user]) => [id, withoutPublic(user)])))
      left = { ...left, bytes: left.bytes - sumBytes(before) }
      await publicTraits.write(projectId, left)
    }
    return left
  }

  /**
   * The ids of the users that have an e-mail address, by its hash. `erased` says until when what ids have
   * sent does not count.
   */
  async function findByEmail(
    projectId: string,
    emailHash: string,
    erased: ReadErased = nothingErased,
  ): Promise<string[]> {
    const prefix = `email#${emailHash}#`
    const entries = await queryItems(state, partition(projectId), prefix, `${prefix}~`)
    const ids = entries.map(({ user_id }) => String(user_id))
    const known = await readLeft(projectId, ids, erased)
    return ids.filter(id => emailOf(known.get(id) ?? UNKNOWN_USER) === emailHash)
  }

  /** The newest traits of one of these users, or null. */
  async function readTraits(
    projectId: string,
    ids: readonly string[],
    erased: ReadErased = nothingErased,
  ): Promise<UserTraits | null> {
    const known = [...(await readLeft(projectId, ids, erased))].flatMap(([user_id, user]) => {
      const found = traitsOf(user)
      return found === null ? [] : [{ user_id, ...found }]
    })
    return known.toSorted((a, b) => b.at - a.at || b.seq - a.seq).at(0) ?? null
  }

  /** What is known of these users without what is erased, by id. */
  async function readLeft(projectId: string, ids: readonly string[], erased: ReadErased) {
    const known = await read(projectId, ids)
    const untilOf = await erased([...known.keys()])
    return new Map([...known].map(([id, user]) => [id, withoutOlder(user, untilOf(id))]))
  }

  /** Removes what users have sent until then (Unix ms). Returns how many traits and addresses there were. */
  async function remove(
    projectId: string,
    ids: readonly string[],
    until = Number.POSITIVE_INFINITY,
  ): Promise<{ profiles: number; emails: number }> {
    const known = [...(await read(projectId, ids))].filter(([, user]) => isUntil(user, until))
    const keys = known.flatMap(([id, user]) => [
      ...[emailOf(user), user.replaced].flatMap(hash => (hash === null ? [] : [indexKey(hash, id)])),
      traitsKey(id),
      emailKey(id),
    ])
    const bytes = sumBytes(known)
    const stored = bytes === 0 ? null : await publicTraits.read(projectId)
    await deleteItems(projectId, keys)
    if (stored !== null) await publicTraits.write(projectId, { ...stored, bytes: stored.bytes - bytes })
    return {
      profiles: known.filter(([, user]) => traitsOf(user) !== null).length,
      emails: known.filter(([, user]) => emailOf(user) !== null).length,
    }
  }

  /** What is known of these users, by id. */
  async function read(projectId: string, ids: readonly string[]): Promise<Map<string, KnownUser>> {
    const pk = partition(projectId)
    const owners = new Map(ids.flatMap(id => [[traitsKey(id), id] as const, [emailKey(id), id] as const]))
    const found = await readItems(
      state,
      [...owners.keys()].map(sk => ({ pk, sk })),
    )
    const known = new Map<string, KnownUser>()
    for (const item of found) {
      const id = String(owners.get(String(item.sk)))
      const user = known.get(id) ?? UNKNOWN_USER
      known.set(id, String(item.sk) === traitsKey(id) ? withTraits(user, item) : withEmail(user, item))
    }
    return known
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

  return { save, findByEmail, readTraits, remove }
}

export type TraitsStore = ReturnType<typeof createTraitsStore>

function sumBytes(users: Iterable<readonly [id: string, user: KnownUser]>): number {
  let bytes = 0
  for (const [id, user] of users) bytes += publicBytes(id, user)
  return bytes
}

function isUntil({ traits, trustedTraits, email, trustedEmail }: KnownUser, until: number): boolean {
  return [traits, trustedTraits, email, trustedEmail].every(sent => sent === null || sent.at <= until)
}
