import { hash } from 'node:crypto'

/**
 * The first 53 bits, big-endian, of the SHA-256 of a text in UTF-8; null for null. A double holds 53 bits, so
 * every reader shows the key exactly. 64 bits would cost 11 more bits that do not compress. Among a million
 * users the probability that any two share a key is 6 in 10^5 (birthday bound), so we count distinct keys as
 * distinct users.
 */
export function shortKey(text: string): number
export function shortKey(text: string | null): number | null
export function shortKey(text: string | null): number | null {
  if (text === null) return null
  const digest = sha256(text)
  return wordOf(digest, 0) * 2 ** 21 + (wordOf(digest, 4) >>> 11)
}

/**
 * The first 62 bits, big-endian, of the SHA-256 of the project, a space and the event_id, then one bit:
 * whether the event came with a credential. Null without an event_id. Among ten million events of a project
 * and a day, any two share a key with a probability of 1 in 10^5 (birthday bound). With 53 bits it would be 6
 * in 10^3, and one of the two events would be lost.
 */
export function eventKey(projectId: string, eventId: string, isCredentialed?: boolean): bigint
export function eventKey(projectId: string, eventId: string | null, isCredentialed?: boolean): bigint | null
export function eventKey(projectId: string, eventId: string | null, isCredentialed = false): bigint | null {
  if (eventId === null) return null
  const digest = sha256(`${projectId} ${eventId}`)
  const bits = (BigInt(wordOf(digest, 0)) << 32n) | BigInt(wordOf(digest, 4))
  return ((bits >> 2n) << 1n) | (isCredentialed ? 1n : 0n)
}

/** A character for each byte: four times as fast as a buffer for each text. */
function sha256(text: string): string {
  return hash('sha256', text, 'binary')
}

/** The 32 bits from byte `at` on, big-endian. */
function wordOf(digest: string, at: number): number {
  const high = (digest.charCodeAt(at) << 8) | digest.charCodeAt(at + 1)
  const low = (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3)
  return high * 2 ** 16 + low
}
