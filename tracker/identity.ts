import { read, write } from './storage.ts'

/** Returns the prefix and up to 20 random digits (64 bits). */
export function randomId(prefix: string): string {
  return prefix + crypto.getRandomValues(new Uint32Array(2)).join('')
}

/** Returns the id of a name, which is `first` from its first use on. */
function firstId(name: string, first: string): string {
  if (!read(name)) write(name, first)
  return read(name)!
}

/** Returns the id of this browser, which is created on first use. */
export function anonymousId(): string {
  return firstId('uid', randomId('anon_'))
}

/** Returns the id by which the user has variants: the one that saw the first of them. */
export function viewerId(): string {
  return firstId('id', userId())
}

/** Returns the id that the site has given the user, or null. */
export function identifiedId(): string | null {
  return read('identified_uid') || null
}

/** Returns the id that events carry. */
export function userId(): string {
  return identifiedId() || anonymousId()
}
