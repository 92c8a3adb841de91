import { read, write } from './storage.ts'

/** The service refuses longer ids (spec, Limits). A longer id in the storage is not ours. */
export const ID_CHARS = 256

/** Returns the prefix and 16 random characters of 0-9 and a-v (80 bits). */
export function randomId(prefix: string): string {
  return crypto
    .getRandomValues(new Uint8Array(16))
    .reduce((id, byte) => id + (byte & 31).toString(32), prefix)
}

/** Returns an id from the storage, or null when there is none or it is too long. */
export function storedId(name: string): string | null {
  const id = read(name)
  return id && id.length <= ID_CHARS ? id : null
}

/** Returns the id of this browser, which is created on first use. */
export function anonymousId(): string {
  let id = storedId('uid')
  if (!id) {
    id = randomId('anon_')
    write('uid', id)
  }
  return id
}

/** Returns the id that the site has given the user, or null. */
export function identifiedId(): string | null {
  return storedId('identified_uid')
}

/** Returns the id that events carry. */
export function userId(): string {
  return identifiedId() || anonymousId()
}
