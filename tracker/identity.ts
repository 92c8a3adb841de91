import type { Store } from './storage.ts'

export type Identity = { anonymousId: string; userId: string | null }

/** The service refuses longer ids (spec, Limits); a storage that holds one was tampered with. */
const ID_CHARS = 256
const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'
/** The largest multiple of 36 in a byte: bytes from here on would favour the first characters. */
const FAIR_BYTES = 252

/** `<prefix>_` and 16 random base36 characters (82 bits). */
export function randomId(prefix: string): string {
  let tail = ''
  while (tail.length < 16) {
    const byte = crypto.getRandomValues(new Uint8Array(1))[0]!
    if (byte < FAIR_BYTES) tail += BASE36[byte % 36]
  }
  return `${prefix}_${tail}`
}

/** An id from a storage, or null where there is none that could be sent. */
export function storedId(store: Store, name: string): string | null {
  const id = store.get(name)
  return id && id.length <= ID_CHARS ? id : null
}

/** The visitor: `uid` is made on the first visit, `identified_uid` is the name that the site gave, if it did. */
export function readIdentity(local: Store): Identity {
  let anonymousId = storedId(local, 'uid')
  if (!anonymousId) {
    anonymousId = randomId('anon')
    local.set('uid', anonymousId)
  }
  return { anonymousId, userId: storedId(local, 'identified_uid') }
}
