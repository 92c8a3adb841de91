import { randomInt } from 'node:crypto'

/** Where the first event of a request stands in the order of arrival; the n-th has `seq + n`. */
export type Arrival = {
  /** Unix ms; never lower than the one handed out before. */
  receivedAt: number
  seq: number
}

/** Hands out places in the order of arrival. */
export type SeqSource = {
  /** Places for `count` events (at most 100) that arrive now. */
  take(nowMs: number, count: number): Arrival
}

const COUNTER_BITS = 22
const COUNTER_SPAN = 2 ** COUNTER_BITS
const PROCESS_SPAN = 2 ** 31

/**
 * A seq is 53 bits: 31 random bits of the process above a 22-bit counter, which starts again with each millisecond.
 * Two processes may share a millisecond, not a seq. A clock that is set back does not take arrival back with it:
 * the last millisecond goes on until the clock has caught up, and a full counter opens the next one.
 */
export function createSeqSource({
  random = () => randomInt(PROCESS_SPAN),
}: {
  random?: () => number
} = {}): SeqSource {
  const base = random() * COUNTER_SPAN
  let receivedAt = 0
  let counter = 0
  return {
    take(nowMs, count) {
      if (nowMs > receivedAt) {
        receivedAt = nowMs
        counter = 0
      } else if (counter + count > COUNTER_SPAN) {
        receivedAt += 1
        counter = 0
      }
      const seq = base + counter
      counter += count
      return { receivedAt, seq }
    },
  }
}

/** Crockford's base 32, as the ULID specification writes it. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_CHARS = 10
const TAIL_CHARS = 16
const ULID_FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** The id of an event: 48 bits of arrival ms, then seq zero-extended to 80 bits; 26 characters, sorting by arrival. */
export function eventUlid(receivedAtMs: number, seq: number): string {
  return base32(receivedAtMs, TIME_CHARS) + base32(seq, TAIL_CHARS)
}

/** Takes an id of eventUlid apart; null for a text that is none, e.g. one whose tail is above 53 bits. */
export function parseUlid(ulid: string): { receivedAtMs: number; seq: number } | null {
  if (!ULID_FORM.test(ulid)) return null
  const receivedAtMs = fromBase32(ulid.slice(0, TIME_CHARS))
  const seq = fromBase32(ulid.slice(TIME_CHARS))
  return Number.isSafeInteger(seq) ? { receivedAtMs, seq } : null
}

function base32(value: number, chars: number): string {
  let text = ''
  let rest = value
  for (let i = 0; i < chars; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function fromBase32(text: string): number {
  let value = 0
  for (const char of text) value = value * 32 + ALPHABET.indexOf(char)
  return value
}
