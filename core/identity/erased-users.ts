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

/** Which links and profiles an erasure has removed: those of an erased id that arrived until its erasure. */
export type ErasedUsers = {
  isErasedLink(link: Link): boolean
  isErasedProfile(profile: ProfileUpdate): boolean
}

/**
 * The tombstones of erased users, by project. They hold hashes of ids. A later identify request of the same id is one of a new person.
 */
export function createErasedUsers(state: StateTable) {
  /** Remembers that these ids are erased now (Unix ms). */
  async function bury(projectId: string, ids: readonly string[], now: number): Promise<void> {
    const expires_at = Math.ceil((now + KEPT_MS) / 1_000)
    for (const id of ids) {
      const Item = { pk: partition(projectId), sk: `${ERASED}${idHash(id)}`, until: now, expires_at }
      await orUnavailable(state.client.put({ TableName: state.table, Item }))
    }
  }

  /** Reads the tombstones of a project. */
  async function read(projectId: string): Promise<ErasedUsers> {
    const items = await queryItems(state, partition(projectId), ERASED, `${ERASED}~`)
    const untils = new Map(items.map(({ sk, until }) => [String(sk).slice(ERASED.length), Number(until)]))
    const isErased = (id: string, at: number) => untils.size > 0 && at <= (untils.get(idHash(id)) ?? -1)
    return {
      isErasedLink: ({ previous_id, user_id, at }) => isErased(previous_id, at) || isErased(user_id, at),
      isErasedProfile: ({ user_id, at }) => isErased(user_id, at),
    }
  }

  return { bury, read }
}
