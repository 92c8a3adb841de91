import { read, write } from './storage.ts'

/** Returns the prefix and up to 20 random digits (64 bits). */
export function randomId(prefix: string): string {
  return prefix + crypto.getRandomValues(new Uint32Array(2)).join('')
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
