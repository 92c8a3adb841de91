import { queryItems } from '#core/query-all'
import { orUnavailable, type StateTable } from '#core/state-table'
import { DAY_MS } from '#core/time'
import { idHash, partition } from './link-store.ts'
import type { Link } from './links.ts'
import type { ProfileUpdate } from './profile-store.ts'

/**
 * How long an erasure of a user is remembered, ms. A record that was set aside may be processed again for 30 days, and brings its
 * links back otherwise.
 */
const KEPT_MS = 31 * DAY_MS

const ERASED = 'erased#'
const HASH_DIGITS = 32
const TIME_DIGITS = 15

/** What an erasure has removed: the links, profiles and events of an erased id that arrived until its erasure. */
export type ErasedUsers = {
  isErasedLink(link: Link): boolean
  isErasedProfile(profile: ProfileUpdate): boolean
  /** Compares whole seconds, as the tombstones of the lake do (core/lake/tombstones.ts). */
  isErasedEvent(event: { user_id: string | null; received_at: number }): boolean
}

/**
 * The tombstones of erased users, by project. They hold hashes of ids. A later request with the same id is one of a new person.
 */
export function createErasedUsers(state: StateTable) {
  /** Remembers that these ids are erased now (Unix ms). */
  async function bury(projectId: string, ids: readonly string[], now: number): Promise<void> {
    const expires_at = Math.ceil((now + KEPT_MS) / 1_000)
    for (const id of ids) {
      const Item = { pk: partition(projectId), sk: `${toKey(now)}#${idHash(id)}`, until: now, expires_at }
      await orUnavailable(state.client.put({ TableName: state.table, Item }))
    }
  }

  /** Reads the tombstones of a project that were written at this time (Unix ms) or later. */
  async function read(projectId: string, from = 0): Promise<ErasedUsers> {
    const items = await queryItems(state, partition(projectId), toKey(from), `${ERASED}~`)
    const untils = new Map<string, number>()
    for (const { sk, until } of items) {
      const idDigits = String(sk).slice(-HASH_DIGITS)
      untils.set(idDigits, Math.max(Number(until), untils.get(idDigits) ?? 0))
    }
    const untilOf = (id: string) => (untils.size === 0 ? undefined : untils.get(idHash(id))) ?? -1
    const isErased = (id: string, at: number) => at <= untilOf(id)
    return {
      isErasedLink: ({ previous_id, user_id, at }) => isErased(previous_id, at) || isErased(user_id, at),
      isErasedProfile: ({ user_id, at }) => isErased(user_id, at),
      isErasedEvent: ({ user_id, received_at }) =>
        user_id !== null && toSecond(received_at) <= toSecond(untilOf(user_id)),
    }
  }

  return { bury, read }
}

/** Keys sort by the time of the erasure, so live reads find the last ones without the others. */
function toKey(now: number): string {
  return `${ERASED}${String(Math.max(0, now)).padStart(TIME_DIGITS, '0')}`
}

function toSecond(ms: number): number {
  return Math.floor(ms / 1_000)
}
