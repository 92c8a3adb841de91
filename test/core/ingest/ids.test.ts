import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeqSource, eventUlid, parseUlid } from '#core/ingest/ids'

const seqs = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const times = fc.integer({ min: 0, max: 2 ** 48 - 1 })

test('an id is taken apart into the very arrival and seq that it was made of', () => {
  fc.assert(
    fc.property(times, seqs, (receivedAtMs, seq) => {
      const ulid = eventUlid(receivedAtMs, seq)
      expect(ulid).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
      expect(parseUlid(ulid)).toEqual({ receivedAtMs, seq })
    }),
  )
})

test('ids sort as text like (arrival, seq) sorts as numbers', () => {
  fc.assert(
    fc.property(times, seqs, times, seqs, (timeA, seqA, timeB, seqB) => {
      const byNumbers = Math.sign(timeA - timeB || seqA - seqB)
      const [a, b] = [eventUlid(timeA, seqA), eventUlid(timeB, seqB)]
      expect(a < b ? -1 : a > b ? 1 : 0).toBe(byNumbers)
    }),
  )
})

test.each([
  ['', 'nothing'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FA', 'a character short'],
  ['81ARZ3NDEKTSV4RRFFQ69G5FAV', 'a time beyond 48 bits'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'a tail beyond 53 bits'],
  ['01arz3ndek0000000000000001', 'small letters'],
  ['01ARZ3NDEKI000000000000001', 'a letter that is not in the alphabet'],
])('%j is not an id of ours: %s', text => {
  expect(parseUlid(text)).toBeNull()
})

test('arrivals ascend strictly, whatever the clock does', () => {
  const steps = fc.array(
    fc.record({ now: fc.integer({ min: 0, max: 50 }), count: fc.integer({ min: 1, max: 100 }) }),
  )
  fc.assert(
    fc.property(steps, calls => {
      const ids = createSeqSource({ random: () => 7 })
      let previous = { receivedAt: -1, seq: -1 }
      for (const { now, count } of calls) {
        const next = ids.take(now, count)
        expect(next.receivedAt).toBeGreaterThanOrEqual(Math.max(now, previous.receivedAt))
        if (next.receivedAt === previous.receivedAt) expect(next.seq).toBeGreaterThan(previous.seq)
        previous = { receivedAt: next.receivedAt, seq: next.seq + count - 1 }
      }
    }),
  )
})

test('the counter starts again with each millisecond, below the 31 bits of the process', () => {
  const ids = createSeqSource({ random: () => 2 ** 31 - 1 })
  const base = (2 ** 31 - 1) * 2 ** 22
  expect(ids.take(1000, 100)).toEqual({ receivedAt: 1000, seq: base })
  expect(ids.take(1000, 1)).toEqual({ receivedAt: 1000, seq: base + 100 })
  expect(ids.take(1001, 1)).toEqual({ receivedAt: 1001, seq: base })
  expect(Number.isSafeInteger(base + 2 ** 22 - 1)).toBe(true)
})

test('a full counter opens the next millisecond', () => {
  const ids = createSeqSource({ random: () => 0 })
  const takes = Math.floor(2 ** 22 / 100)
  for (let i = 0; i < takes; i++) ids.take(5, 100)
  expect(ids.take(5, 100)).toEqual({ receivedAt: 6, seq: 0 })
})
