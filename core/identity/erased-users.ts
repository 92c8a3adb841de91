import { forEachConcurrent } from '#core/concurrency'
import { queryItems } from '#core/query-all'
import { slices } from '#core/slices'
import { orUnavailable, type StateTable } from '#core/state-table'
import { DAY_MS } from '#core/time'
import type { Link } from './links/links.ts'
import { idHash, partition } from './links/pointers.ts'
import type { TraitsUpdate } from './traits/known-user.ts'

/**
 * How long an erasure of a user is remembered, ms. A record that was set aside may be processed again for 30 days, and brings its
 * links back otherwise.
 */
const KEPT_MS = 31 * DAY_MS

const ERASED = 'erased#'
const HASH_BYTES = 16
/** Ids of one item: 8 KB of hashes. A person of 20,000 ids takes 40 items, which are written at the same time. */
const CHUNK_IDS = 500
const CONCURRENT_WRITES = 8
const TIME_DIGITS = 15

/** What an erasure has removed: the links, traits and events of an erased id that arrived until its erasure. */
export type ErasedUsers = {
  /** Until when what an id has sent is erased, Unix ms; -1: it is not. */
  untilOf(id: string): number
  isErasedLink(link: Link): boolean
  isErasedTraits(traits: Pick<TraitsUpdate, 'user_id' | 'at'>): boolean
  /** Compares whole seconds, as the tombstones of the lake do (core/lake/erase/tombstones.ts). */
  isErasedEvent(event: { user_id: string | null; received_at: number }): boolean
}

/**
 * The tombstones of erased users, by project. They hold hashes of ids. A later request with the same id is one of a new person.
 */
export function createErasedUsers(state: StateTable) {
  /** Remembers that what these ids have sent until then (Unix ms) is erased. Writes one item for each CHUNK_IDS of them. */
  async function bury(projectId: string, ids: readonly string[], until: number): Promise<void> {
    const expires_at = Math.ceil((until + KEPT_MS) / 1_000)
    await forEachConcurrent(slices(ids, CHUNK_IDS), CONCURRENT_WRITES, async chunk => {
      const digests = Buffer.from(chunk.map(idHash).join(''), 'hex')
      const sk = `${toKey(until)}#${idHash(chunk[0] ?? '')}`
      const Item = { pk: partition(projectId), sk, digests, until, expires_at }
      await orUnavailable(state.client.put({ TableName: state.table, Item }))
    })
  }

  /** Reads the erasures of a project that reach to this time (Unix ms) or further. */
  async function read(projectId: string, from = 0): Promise<ErasedUsers> {
    const items = await queryItems(state, partition(projectId), toKey(from), `${ERASED}~`)
    const untils = new Map<string, number>()
    for (const { sk, until, digests } of items) {
      for (const hash of digestsOf(String(sk), digests as Uint8Array | undefined))
        untils.set(hash, Math.max(Number(until), untils.get(hash) ?? 0))
    }
    const untilOf = (id: string) => (untils.size === 0 ? undefined : untils.get(idHash(id))) ?? -1
    const isErased = (id: string, at: number) => at <= untilOf(id)
    return {
      untilOf,
      isErasedLink: ({ previous_id, user_id, at }) => isErased(previous_id, at) || isErased(user_id, at),
      isErasedTraits: ({ user_id, at }) => isErased(user_id, at),
      isErasedEvent: ({ user_id, received_at }) =>
        user_id !== null && toSecond(received_at) <= toSecond(untilOf(user_id)),
    }
  }

  return { bury, read }
}

/** An earlier version wrote an item for each id, with the hash at the end of its key. */
function digestsOf(sk: string, digests: Uint8Array | undefined): string[] {
  if (digests === undefined) return [sk.slice(-2 * HASH_BYTES)]
  const all = Buffer.from(digests).toString('hex')
  return Array.from({ length: digests.length / HASH_BYTES }, (_, i) =>
    all.slice(2 * HASH_BYTES * i, 2 * HASH_BYTES * (i + 1)),
  )
}

/** Keys sort by the time of the erasure, so live reads find the last ones without the others. */
function toKey(now: number): string {
  return `${ERASED}${String(Math.max(0, now)).padStart(TIME_DIGITS, '0')}`
}

function toSecond(ms: number): number {
  return Math.floor(ms / 1_000)
}
