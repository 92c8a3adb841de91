import { bare, cleanProperties, fitProperties } from './clean.ts'
import { userId } from './identity.ts'
import { IS_FULL } from './parts.ts'
import { flush, identifies } from './queue.ts'
import { dataset } from './settings.ts'
import { write } from './storage.ts'

/** The service refuses longer ids (docs/api/limits.md#bounds-of-requests). */
const ID_CHARS = 256

/** Tells the service that two ids are one user. Without a token nothing is sent. */
export function join(previous_id: string, user_id: string, traits?: object | string): void {
  const { token } = dataset
  if (token && (previous_id !== user_id || traits)) {
    identifies.add(JSON.stringify(bare({ token, previous_id, user_id, traits })))
    flush()
  }
}

/**
 * Gives the user an id of the site for later events, and tells the service. Of all traits whose keys contain
 * `email`, only
 * `email` itself is sent (docs/api/tracker.md).
 */
export function identify(id: unknown, traits?: { email?: unknown } | null): void {
  const user_id = /str|num/.test(typeof id) ? String(id) : ''
  if (!user_id || user_id[ID_CHARS]) return
  const cleaned = cleanProperties(traits)
  cleaned.email = (traits?.email as string | undefined)?.trim?.().toLowerCase()
  const fitted = IS_FULL ? fitProperties(cleaned) : cleaned
  const previous_id = userId()
  flush()
  write('identified_uid', user_id)
  join(previous_id, user_id, JSON.stringify(fitted)[2] && fitted)
}
