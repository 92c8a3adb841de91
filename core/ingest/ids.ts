import { randomInt } from 'node:crypto'

/** Where the first event of a request stands in the order of arrival; the n-th has `seq + n`. */
export type ArrivalPosition = {
  /** Unix ms; never lower than the one handed out before. */
  receivedAt: number
  seq: number
}

/** Hands out places in the order of arrival. */
export type ArrivalOrder = {
  /** Places for `count` events (at most 100) that arrive now. */
  take(nowMs: number, count: number): ArrivalPosition
}

const COUNTER_BITS = 22
const COUNTER_SPAN = 2 ** COUNTER_BITS
const PROCESS_SPAN = 2 ** 31

/**
 * A seq is 53 bits: 31 random bits of the process above a 22-bit counter, which starts again with each second: small
 * numbers that come again and again cost the lake next to nothing. Two processes may share a second, not a seq. A
 * clock that is set back does not take arrival back with it: the last second goes on until the clock has caught up,
 * and a full counter opens the next one.
 */
export function createArrivalOrder({
  random = () => randomInt(PROCESS_SPAN),
}: {
  random?: () => number
} = {}): ArrivalOrder {
  const base = random() * COUNTER_SPAN
  let receivedAt = 0
  let counter = 0
  return {
    take(nowMs, count) {
      const before = arrivalSecond(receivedAt)
      receivedAt = Math.max(receivedAt, nowMs)
      if (counter + count > COUNTER_SPAN) receivedAt = Math.max(receivedAt, (before + 1) * 1000)
      if (arrivalSecond(receivedAt) > before) counter = 0
      const seq = base + counter
      counter += count
      return { receivedAt, seq }
    },
  }
}

/** Whole seconds of a time in Unix ms. */
function arrivalSecond(ms: number): number {
  return Math.floor(ms / 1000)
}

/** Whole seconds from the second of an event's timestamp to that of its arrival; negative for a clock that is ahead. */
export function arrivalLag(timestamp: number, receivedAt: number): number {
  return arrivalSecond(receivedAt) - arrivalSecond(timestamp)
}

/** Crockford's base 32, as the ULID specification writes it. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_CHARS = 10
const TAIL_CHARS = 16
/** Above the 300 seconds that a timestamp may lie ahead of its arrival, so that the tail is never negative. */
const LAG_OFFSET = 512n

/**
 * The id of an event: a ULID of its timestamp (48 bits, Unix ms), then its lag in seconds (27 bits) and its seq (53
 * bits). So ids sort by time, and events of one millisecond in the order of arrival (U5).
 */
export function eventUlid(timestamp: number, lag: number, seq: number): string {
  const tail = ((BigInt(lag) + LAG_OFFSET) << 53n) + BigInt(seq)
  return base32(BigInt(timestamp), TIME_CHARS) + base32(tail, TAIL_CHARS)
}

function base32(value: bigint, chars: number): string {
  let text = ''
  for (let rest = value; text.length < chars; rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text
  return text
}
