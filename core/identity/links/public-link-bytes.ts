import type { Link } from './links.ts'

/**
 * What a link takes beside its ids, bytes: keys, names of fields and times of its pointer with its part of
 * the pages of the state file, and its row in a links file.
 */
const LINK_BYTES = 400

/**
 * What a link takes of the bound, in the state and in the lake. Measured with SQLite and zstd: 584 bytes with
 * two random UUIDs as ids, where this gives 605.
 */
export function publicLinkBytes({ previous_id, user_id }: Pick<Link, 'previous_id' | 'user_id'>): number {
  // A pointer names `user_id` twice, as the request did and as what it leads to. A row has both ids.
  return LINK_BYTES + 2 * Buffer.byteLength(previous_id) + 3 * Buffer.byteLength(user_id)
}
