import { read, write } from './storage.ts'

/** Returns the prefix and up to 13 random characters of 0-9 and a-z (64 bits). */
export function randomId(prefix: string): string {
  return prefix + crypto.getRandomValues(new BigUint64Array(1))[0]!.toString(36)
}

/** Returns the id of this browser, which is created on first use. */
export function anonymousId(): string {
  if (!read('uid')) write('uid', randomId('anon_'))
  return read('uid')!
}

/** Returns the id that the site has given the user, or null. */
export function identifiedId(): string | null {
  return read('identified_uid') || null
}

/** Returns the id that events carry. */
export function userId(): string {
  return identifiedId() || anonymousId()
}
