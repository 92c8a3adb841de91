import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import type { NotedErasure } from '#core/lake/erase/mend-tombstones'
import { SET_ASIDE_MS } from '#core/lake/erase/old-tombstones'
import { HASH_DIGITS as TOMBSTONE_DIGITS } from '#core/lake/erase/tombstones'
import { type Item, queryPages, scanPages } from '#core/state/query-all'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import type { Link } from './links/links.ts'
import { idHash, partition } from './links/pointers.ts'
import type { TraitsUpdate } from './traits/known-user.ts'

/**
 * How long an erasure of a user is remembered, ms: as long as its tombstones may be in force. A record that
 * was set aside may be processed again for 30 days, and brings its links back otherwise.
 */
const KEPT_MS = SET_ASIDE_MS

const ERASED = 'erased#'
/** Hexadecimal digits of a hash of an id: 128 bits. */
export const HASH_DIGITS = 32
/**
 * Ids of one item: 8 KB of hashes. A person of 20,000 ids takes 40 items, which are written at the same time.
 */
const CHUNK_IDS = 500
const CONCURRENT_WRITES = 8
const TIME_DIGITS = 15

/**
 * What an erasure has removed: the links, traits and events of an erased id that arrived until its erasure.
 */
export type ErasedUsers = {
  /** Until when what an id has sent is erased, Unix ms; -1: it is not. */
  untilOf(id: string): number
  /** Whether an erased id was linked to another one. */
  wasLinked(id: string): boolean
  isErasedLink(link: Link): boolean
  isErasedTraits(traits: Pick<TraitsUpdate, 'user_id' | 'at'>): boolean
  /** Compares the ms of the arrival, as the tombstones of the lake do (core/lake/erase/tombstones.ts). */
  isErasedEvent(event: { user_id: string | null; received_at: number }): boolean
}

/**
 * The tombstones of erased users, by project. They hold hashes of ids. A later request with the same id is
 * one of a new person.
 */
export function createErasedUsers(state: StateTable) {
  /**
   * Remembers that what these ids have sent until then (Unix ms) is erased. Writes one item for each
   * CHUNK_IDS of them. `finals`: those that lead to no other id. Without it, any of them may.
   */
  async function note(
    projectId: string,
    ids: readonly string[],
    until: number,
    finals?: readonly string[],
  ): Promise<void> {
    const expires_at = Math.ceil((until + KEPT_MS) / 1_000)
    await forEachConcurrent(slices(ids, CHUNK_IDS), CONCURRENT_WRITES, async chunk => {
      const sk = `${toKey(until)}#${idHash(chunk[0] ?? '')}`
      const unlinked = finals && toDigests(chunk.filter(id => finals.includes(id)))
      const common = { digests: toDigests(chunk), ...(unlinked && { unlinked }) }
      const Item = { pk: partition(projectId), sk, ...common, until, expires_at }
      await orUnavailable(state.client.put({ TableName: state.table, Item }))
    })
  }

  /**
   * Reads the erasures of a project that reach to this time (Unix ms) or further, page by page. With 10,000
   * erasures a day these are about 7 items of 170 bytes for each minute since then. `ids`: only these are
   * kept in memory, so that a request of last month that comes again costs time alone.
   */
  async function read(projectId: string, from = 0, ids?: Iterable<string>): Promise<ErasedUsers> {
    const asked = ids && new Set([...ids].map(idHash))
    const untils = new Map<string, number>()
    const linked = new Set<string>()
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': partition(projectId), ':from': toKey(from), ':to': `${ERASED}~` },
      ConsistentRead: true,
    }
    for await (const items of queryPages(state, query)) {
      for (const { until, digests, unlinked } of items) {
        const all = toHashes(digests as Uint8Array)
        const hashes = asked === undefined ? all : all.filter(hash => asked.has(hash))
        for (const hash of hashes) untils.set(hash, Math.max(Number(until), untils.get(hash) ?? 0))
        if (unlinked === undefined) continue
        const finals = new Set(toHashes(unlinked as Uint8Array))
        for (const hash of hashes) if (!finals.has(hash)) linked.add(hash)
      }
    }
    const untilOf = (id: string) => (untils.size === 0 ? undefined : untils.get(idHash(id))) ?? -1
    const isErased = (id: string, at: number) => at <= untilOf(id)
    return {
      untilOf,
      wasLinked: id => linked.size > 0 && linked.has(idHash(id)),
      isErasedLink: ({ previous_id, user_id, at }) => isErased(previous_id, at) || isErased(user_id, at),
      isErasedTraits: ({ user_id, at }) => isErased(user_id, at),
      isErasedEvent: ({ user_id, received_at }) => user_id !== null && received_at <= untilOf(user_id),
    }
  }

  /**
   * The erased ids of these projects, or of all, page by page: for tombstones whose file is lost. All
   * projects are one scan of the state table.
   */
  async function* noted(projects: readonly string[] | null): AsyncGenerator<NotedErasure[]> {
    const condition = { ExpressionAttributeValues: { ':sk': ERASED } }
    if (projects === null) {
      const filter = { ...condition, FilterExpression: 'begins_with(sk, :sk)' }
      for await (const items of scanPages(state, filter)) yield items.flatMap(toNotes)
      return
    }
    for (const project of projects) {
      const query = {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': partition(project), ':sk': ERASED },
      }
      for await (const items of queryPages(state, query)) yield items.flatMap(toNotes)
    }
  }

  return { note, read, noted }
}

/** The hash of a tombstone is the beginning of the digest here. */
function toNotes({ pk, until, digests }: Item): NotedErasure[] {
  const project_id = String(pk).slice(partition('').length)
  return toHashes(digests as Uint8Array).map(digest => ({
    project_id,
    until: Number(until),
    user_hash: digest.slice(0, TOMBSTONE_DIGITS).toUpperCase(),
  }))
}

export type ErasedUserStore = ReturnType<typeof createErasedUsers>

function toDigests(ids: readonly string[]): Uint8Array {
  return Buffer.from(ids.map(idHash).join(''), 'hex')
}

export function toHashes(digests: Uint8Array): string[] {
  const all = Buffer.from(digests).toString('hex')
  return Array.from({ length: all.length / HASH_DIGITS }, (_, i) =>
    all.slice(HASH_DIGITS * i, HASH_DIGITS * (i + 1)),
  )
}

/** Keys sort by the time of the erasure, so live reads find the last ones without the others. */
function toKey(now: number): string {
  return `${ERASED}${String(Math.max(0, now)).padStart(TIME_DIGITS, '0')}`
}
