import type { Store } from './storage.ts'

export type Identity = { anonymousId: string; userId: string | null }

/** The service refuses longer ids (spec, Limits). A longer id in the storage is not ours. */
const ID_CHARS = 256
const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'
/** The largest multiple of 36 in a byte. Larger bytes are skipped, because they would favour some characters. */
const FAIR_BYTES = 252

/** Returns `<prefix>_` and 16 random base36 characters (82 bits). */
export function randomId(prefix: string): string {
  let suffix = ''
  while (suffix.length < 16) {
    const byte = crypto.getRandomValues(new Uint8Array(1))[0]!
    if (byte < FAIR_BYTES) suffix += BASE36[byte % 36]
  }
  return `${prefix}_${suffix}`
}

/** Returns an id from the storage, or null when there is none or it is too long. */
export function storedId(store: Store, name: string): string | null {
  const id = store.get(name)
  return id && id.length <= ID_CHARS ? id : null
}

/** Returns the ids of the user: `uid`, which is created on first use, and `identified_uid`, if the site has set it. */
export function readIdentity(local: Store): Identity {
  let anonymousId = storedId(local, 'uid')
  if (!anonymousId) {
    anonymousId = randomId('anon')
    local.set('uid', anonymousId)
  }
  return { anonymousId, userId: storedId(local, 'identified_uid') }
}
