import { shortKey } from '#core/lake/consume/id-keys'
import { encodeRows } from '#core/lake/consume/parquet'
import type { Item } from '#core/state/query-all'
import type { Arrival } from './known-user.ts'

/** What is known of a final id, of requests with a credential or of those without. `traits`: JSON. */
export type TraitsRow = Arrival & { user_id: string; hasCredential: boolean; traits: string }

/** The rows of an item of traits: one or two. */
export function toTraitsRows(item: Item): TraitsRow[] {
  const user_id = String(item.user_id)
  return [false, true].flatMap(hasCredential => {
    const prefix = hasCredential ? 'trusted_' : ''
    const traits = item[`${prefix}traits`]
    if (traits === undefined) return []
    const arrival = { at: Number(item[`${prefix}at`]), seq: Number(item[`${prefix}seq`]) }
    return [{ user_id, hasCredential, ...arrival, traits: String(traits) }]
  })
}

/** Encodes a traits file of a project. */
export function encodeTraits(projectId: string, rows: readonly TraitsRow[]): Uint8Array {
  const columns = rows.map(({ user_id, hasCredential, at, seq, traits }) => ({
    project_id: projectId,
    user_id,
    user_key: Number(shortKey(user_id)),
    ...{ has_credential: Number(hasCredential), sent_at: at, sent_seq: seq, traits },
  }))
  return encodeRows('user_traits', columns)
}
