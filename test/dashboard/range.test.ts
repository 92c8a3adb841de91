import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparedDates, datesOf, daysBetween, periodOf, sinceOf } from '#dashboard/range'
import { COMPARISONS, RANGE_LABELS } from '#dashboard/url'
import { repeats, seed } from '#test/support/depth'

/** First and last dates of ranges, and of what they are compared with. */

const at = (text: string) => Date.parse(text)
const NOW = at('2026-03-02T10:00Z')

test.each([
  ['1d', '2026-03-02', '2026-03-02'],
  ['7d', '2026-02-24', '2026-03-02'],
  ['yesterday', '2026-03-01', '2026-03-01'],
  ['this_month', '2026-03-01', '2026-03-02'],
  ['last_month', '2026-02-01', '2026-02-28'],
] as const)('%s is from %s to %s', (label, from, to) => {
  expect(datesOf({ label }, 'UTC', NOW)).toMatchObject({ from, to, isOpen: to === '2026-03-02' })
})

test('the date of today is that of the zone', () => {
  const now = at('2026-03-01T02:00Z')
  expect(datesOf({ label: 'this_month' }, 'America/New_York', now)).toMatchObject({
    ...{ from: '2026-02-01', to: '2026-02-28', isOpen: true },
  })
  expect(datesOf({ label: 'yesterday' }, 'Asia/Tokyo', now)).toMatchObject({ from: '2026-02-28' })
})

test('a read of days is asked for days, and one of the calendar for its first date', () => {
  expect(sinceOf({ label: '7d' }, '2026-02-24')).toBe('6d')
  expect(sinceOf({ label: 'this_month' }, '2026-03-01')).toBe('2026-03-01')
  expect(sinceOf({ from: '2026-01-01', to: '2026-01-31' }, '2026-01-01')).toBe('2026-01-01')
})

test('a read of fixed periods gets the shortest one that holds the range', () => {
  expect(periodOf({ label: 'yesterday' }, 'UTC', NOW)).toBe('7d')
  expect(periodOf({ label: 'last_month' }, 'UTC', NOW)).toBe('30d')
  expect(periodOf({ label: '365d' }, 'UTC', NOW)).toBe('90d')
})

test.each([
  ['previous', '2026-02-20', '2026-03-01'],
  ['weekdays', '2026-02-16', '2026-02-25'],
  ['year', '2025-03-02', '2025-03-11'],
] as const)('ten dates against %s', (comparison, from, to) => {
  const dates = datesOf({ from: '2026-03-02', to: '2026-03-11' }, 'UTC', NOW)
  expect(comparedDates(dates, comparison)).toEqual({ from, to })
})

test('dates of the reader are compared as they are, and nothing with none', () => {
  const dates = datesOf({ label: '7d' }, 'UTC', NOW)
  const own = { from: '2026-01-01', to: '2026-01-03' }
  expect(comparedDates(dates, own)).toEqual(own)
  expect(comparedDates(dates, 'none')).toBeNull()
})

test('the same weekdays before are as many dates, on the same weekdays, and all before the range', () => {
  const days = fc.integer({ min: 1, max: 800 })
  fc.assert(
    fc.property(fc.constantFrom(...RANGE_LABELS), days, (label, later) => {
      const dates = datesOf({ label }, 'UTC', NOW + later * 86_400_000)
      const before = comparedDates(dates, COMPARISONS[1]) ?? dates
      expect(daysBetween(before.from, dates.from) % 7).toBe(0)
      expect(daysBetween(before.from, before.to) + 1).toBe(dates.days)
      expect(before.to < dates.from).toBe(true)
      expect(daysBetween(before.to, dates.from)).toBeLessThanOrEqual(7)
    }),
    { numRuns: repeats(100), seed },
  )
})
