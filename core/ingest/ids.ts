import { randomInt } from 'node:crypto'

/**
 * The position of the first event of a request in the order of arrival. The n-th event after it has `seq +
 * n`.
 */
export type ArrivalPosition = {
  /** Unix ms. Never lower than in the position before. */
  receivedAt: number
  seq: number
}

/** Gives out positions in the order of arrival. */
export type ArrivalOrder = {
  /** Returns the position of `count` events (at most 100) that arrive now. */
  take(nowMs: number, count: number): ArrivalPosition
  /** Goes on after the arrivals of an earlier process, Unix ms. */
  continueAfter(arrival: number): void
  /**
   * Begins a pause of the order. Everything that arrived so far has an arrival up to `until` (Unix ms), and
   * so has what arrives until `end` is called. What arrives later has a later one. Of two pauses that
   * overlap, the one that ends first may end the other one too.
   */
  pause(nowMs: number): ArrivalPause
}

export type ArrivalPause = { until: number; end(): void }

const COUNTER_BITS = 22
const COUNTER_SPAN = 2 ** COUNTER_BITS
const PROCESS_SPAN = 2 ** 31
/**
 * A pause ends by itself after this time, ms: a write that hangs must not stop the order. An erasure writes
 * for some tens of ms, one of 20,000 ids for a second.
 */
export const PAUSE_MS = 10_000

/**
 * Makes the order of arrival of one process. A seq has 53 bits: 31 random bits of the process, then a counter
 * of 22 bits. The random bits keep two processes from giving out the same seq in the same second. The counter
 * starts again each second, because small repeated numbers compress well in the lake. If the clock is set
 * back, the last millisecond goes on until the clock has caught up. A full counter starts the next second
 * early.
 */
export function createArrivalOrder({
  random = () => randomInt(PROCESS_SPAN),
}: {
  random?: () => number
} = {}): ArrivalOrder {
  const base = random() * COUNTER_SPAN
  /** The pauses that last, ascending by `until`. `begunAt`: Unix ms of the clock. */
  let pauses: readonly { until: number; begunAt: number }[] = []
  let receivedAt = 0
  let counter = 0

  /** The arrival of what arrives now. */
  function arrivalAt(nowMs: number): number {
    const lasts = ({ until, begunAt }: (typeof pauses)[number]) =>
      until >= receivedAt && Math.abs(nowMs - begunAt) < PAUSE_MS
    if (pauses.length > 0) pauses = pauses.filter(lasts)
    return Math.max(receivedAt, Math.min(nowMs, pauses[0]?.until ?? nowMs))
  }

  /** From now on no event gets an arrival before `arrival`, Unix ms. */
  function moveTo(arrival: number): void {
    if (arrivalSecond(arrival) > arrivalSecond(receivedAt)) counter = 0
    receivedAt = Math.max(receivedAt, arrival)
  }

  return {
    take(nowMs, count) {
      moveTo(arrivalAt(nowMs))
      if (counter + count > COUNTER_SPAN) moveTo((arrivalSecond(receivedAt) + 1) * 1000)
      const seq = base + counter
      counter += count
      return { receivedAt, seq }
    },
    continueAfter(arrival) {
      moveTo(arrival + 1)
    },
    pause(nowMs) {
      const until = Math.max(receivedAt, nowMs, (pauses.at(-1)?.until ?? -1) + 1)
      pauses = [...pauses, { until, begunAt: nowMs }]
      return {
        until,
        end() {
          pauses = pauses.filter(each => each.until !== until)
          moveTo(until + 1)
        },
      }
    },
  }
}

/** Whole seconds of a time in Unix ms. */
function arrivalSecond(ms: number): number {
  return Math.floor(ms / 1000)
}

/** Whole seconds from the timestamp of an event to its arrival. Negative when the sender's clock is ahead. */
export function arrivalLag(timestamp: number, receivedAt: number): number {
  return arrivalSecond(receivedAt) - arrivalSecond(timestamp)
}

/**
 * The milliseconds of the arrival after those of the timestamp, 0 to 999: beside the lag in seconds they give
 * the ms of the arrival. They are 0 for every event without a timestamp of its own, which then takes no
 * space.
 */
export function arrivalLagMs(timestamp: number, receivedAt: number): number {
  return (((receivedAt - timestamp) % 1000) + 1000) % 1000
}

/** Crockford's base 32, as in the ULID specification. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_CHARS = 10
const TAIL_CHARS = 16
/** More than the 300 seconds that a timestamp may be ahead, so that the tail is never negative. */
const LAG_OFFSET = 512n

/**
 * The id of an event: a ULID of its timestamp (48 bits, Unix ms), then its lag in seconds (27 bits) and its
 * seq (53 bits). So ids sort by time, and events of the same millisecond by arrival (U5).
 */
export function eventUlid(timestamp: number, lag: number, seq: number): string {
  const tail = ((BigInt(lag) + LAG_OFFSET) << 53n) + BigInt(seq)
  return base32(BigInt(timestamp), TIME_CHARS) + base32(tail, TAIL_CHARS)
}

const ULID = new RegExp(`^[0-7][${ALPHABET}]{${TIME_CHARS + TAIL_CHARS - 1}}$`)

/**
 * Returns the second in which the event of an id arrived, as Unix ms; null for a text that eventUlid has not
 * made.
 */
export function arrivalOfUlid(id: string): number | null {
  if (!ULID.test(id)) return null
  const timestamp = Number(fromBase32(id.slice(0, TIME_CHARS)))
  const lag = Number((fromBase32(id.slice(TIME_CHARS)) >> 53n) - LAG_OFFSET)
  return (arrivalSecond(timestamp) + lag) * 1000
}

function fromBase32(text: string): bigint {
  return [...text].reduce((value, char) => (value << 5n) + BigInt(ALPHABET.indexOf(char)), 0n)
}

function base32(value: bigint, chars: number): string {
  let text = ''
  for (let rest = value; text.length < chars; rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text
  return text
}
