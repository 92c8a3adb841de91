import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrivalLag, arrivalLagMs, createArrivalOrder, eventUlid, PAUSE_MS } from '#core/ingest/ids'
import { propertySettings } from '#test/support/depth'

const seqs = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const times = fc.integer({ min: 0, max: 2 ** 48 - 1 })
/** The lags that EVENT_LIMITS allows: from five minutes ahead to thirty days late. */
const lags = fc.integer({ min: -300, max: 30 * 86_400 })
const positions = fc.tuple(times, lags, seqs)

test('ids sort as text in the order of timestamp, lag and seq as numbers', () => {
  fc.assert(
    fc.property(positions, positions, ([timeA, lagA, seqA], [timeB, lagB, seqB]) => {
      const byNumbers = Math.sign(timeA - timeB || lagA - lagB || seqA - seqB)
      const [a, b] = [eventUlid(timeA, lagA, seqA), eventUlid(timeB, lagB, seqB)]
      expect(a).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
      expect(a < b ? -1 : a > b ? 1 : 0).toBe(byNumbers)
    }),
    propertySettings(100),
  )
})

test('events of the same millisecond sort by arrival', () => {
  fc.assert(
    fc.property(positions, positions, ([, lagA, seqA], [, lagB, seqB]) => {
      const byArrival = Math.sign(lagA - lagB || seqA - seqB)
      const [a, b] = [eventUlid(1_000, lagA, seqA), eventUlid(1_000, lagB, seqB)]
      expect(a < b ? -1 : a > b ? 1 : 0).toBe(byArrival)
    }),
    propertySettings(100),
  )
})

test('a ULID reader finds the timestamp of the event in its id', () => {
  // 01ARYZ6S41 is 1469918176385, the example of the ULID specification.
  expect(eventUlid(1_469_918_176_385, 0, 0).slice(0, 10)).toBe('01ARYZ6S41')
})

test.each([
  { timestamp: 1_999, receivedAt: 2_000, lag: 1 },
  { timestamp: 2_000, receivedAt: 2_999, lag: 0 },
  { timestamp: 300_500, receivedAt: 500, lag: -300 },
])(
  'an event of $timestamp that arrives at $receivedAt has a lag of $lag s',
  ({ timestamp, receivedAt, lag }) => {
    expect(arrivalLag(timestamp, receivedAt)).toBe(lag)
  },
)

test('positions always ascend, also when the clock is set back', () => {
  const steps = fc.array(
    fc.record({ now: fc.integer({ min: 0, max: 5_000 }), count: fc.integer({ min: 1, max: 100 }) }),
  )
  fc.assert(
    fc.property(steps, calls => {
      const ids = createArrivalOrder({ random: () => 7 })
      let previous = { receivedAt: -1, seq: -1 }
      for (const { now, count } of calls) {
        const next = ids.take(now, count)
        expect(next.receivedAt).toBeGreaterThanOrEqual(Math.max(now, previous.receivedAt))
        const sameSecond = Math.floor(next.receivedAt / 1000) === Math.floor(previous.receivedAt / 1000)
        if (sameSecond) expect(next.seq).toBeGreaterThan(previous.seq)
        previous = { receivedAt: next.receivedAt, seq: next.seq + count - 1 }
      }
    }),
    propertySettings(100),
  )
})

test('the counter starts again each second, in the bits below those of the process', () => {
  const ids = createArrivalOrder({ random: () => 2 ** 31 - 1 })
  const base = (2 ** 31 - 1) * 2 ** 22
  expect(ids.take(1000, 100)).toEqual({ receivedAt: 1000, seq: base })
  expect(ids.take(1000, 1)).toEqual({ receivedAt: 1000, seq: base + 100 })
  expect(ids.take(1999, 1)).toEqual({ receivedAt: 1999, seq: base + 101 })
  expect(ids.take(2000, 1)).toEqual({ receivedAt: 2000, seq: base })
  expect(Number.isSafeInteger(base + 2 ** 22 - 1)).toBe(true)
})

test('a full counter starts the next second early', () => {
  const ids = createArrivalOrder({ random: () => 0 })
  const takes = Math.floor(2 ** 22 / 100)
  for (let i = 0; i < takes; i++) ids.take(5, 100)
  expect(ids.take(5, 100)).toEqual({ receivedAt: 1000, seq: 0 })
})

test.each([
  { timestamp: 1_999, receivedAt: 2_000, lag: 1 },
  { timestamp: 2_000, receivedAt: 2_999, lag: 999 },
  { timestamp: 300_500, receivedAt: 499, lag: 999 },
  { timestamp: 5_000_123, receivedAt: 5_000_123, lag: 0 },
])('the ms of the arrival at $receivedAt come $lag ms after those of $timestamp', ({ lag, ...times }) => {
  expect(arrivalLagMs(times.timestamp, times.receivedAt)).toBe(lag)
  const second = Math.floor(times.timestamp / 1_000) + arrivalLag(times.timestamp, times.receivedAt)
  expect(second * 1_000 + ((times.timestamp + lag) % 1_000)).toBe(times.receivedAt)
})

test('what arrives until a pause ends is dated up to its end, and what arrives after it later', () => {
  const ids = createArrivalOrder()
  const at = (now: number) => ids.take(now, 1).receivedAt
  expect(at(1_000)).toBe(1_000)
  const pause = ids.pause(1_200)
  expect(pause.until).toBe(1_200)
  expect([at(1_250), at(1_900)]).toEqual([1_200, 1_200])
  pause.end()
  expect([at(1_200), at(1_300)]).toEqual([1_201, 1_300])
})

test('of two pauses each has the arrivals until its own end, whatever the clock does', () => {
  const ids = createArrivalOrder()
  const at = (now: number) => ids.take(now, 1).receivedAt
  const [first, second] = [ids.pause(1_000), ids.pause(1_000)]
  expect(at(1_500)).toBeLessThanOrEqual(first.until)
  first.end()
  const between = at(1_600)
  expect([between > first.until, between <= second.until]).toEqual([true, true])
  second.end()
  expect(at(900)).toBeGreaterThan(second.until)
  // The second one ends first. Then nothing is left of the other one.
  const [third, fourth] = [ids.pause(2_000), ids.pause(2_000)]
  fourth.end()
  expect(at(2_000)).toBeGreaterThan(fourth.until)
  third.end()
  expect(at(2_500)).toBe(2_500)
})

test('a pause that nobody ends stops the order for some seconds only', () => {
  const ids = createArrivalOrder()
  ids.pause(1_000)
  expect(ids.take(1_000 + PAUSE_MS - 1, 1).receivedAt).toBe(1_000)
  expect(ids.take(1_000 + PAUSE_MS, 1).receivedAt).toBe(1_000 + PAUSE_MS)
})
