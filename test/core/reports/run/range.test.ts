import { describe, expect, test } from 'vitest'
import { type RangeParams, toRange } from '#core/reports/run/range'
import { createZone } from '#core/reports/run/zone'
import { utcDate } from '#core/time'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const at = (iso: string): number => Date.parse(iso)

/** The range of a report whose default is 7 days. */
const context = { now: NOW, zone: createZone('UTC') }
const range = (params: RangeParams) => toRange(params, context, { defaultDays: 7 })
const hourlyRange = (params: RangeParams) => toRange(params, context, { defaultDays: 7, isHourly: true })

describe('since', () => {
  test.each([
    ['7d', '2026-11-11T00:00:00Z'],
    ['0d', '2026-11-18T00:00:00Z'],
    ['3650d', '2016-11-20T00:00:00Z'],
    ['2026-11-01', '2026-11-01T00:00:00Z'],
    ['2026-11-01T00:00:00', '2026-11-01T00:00:00Z'],
    ['2026-11-01T01:00:00+01:00', '2026-11-01T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
  ])('`%s` begins at %s', (since, from) => {
    expect(range({ since }).from).toBe(at(from))
  })

  test.each(['2026-11-19', '2026-11-18T23:30:00-01:00'])('`%s` is in the future and is refused', since => {
    expect(() => range({ since })).toThrow(expect.objectContaining({ code: 'INVALID_SINCE' }))
  })

  test.each([
    '',
    'd',
    '-1d',
    '7D',
    '7 d',
    '1.5d',
    '3651d',
    '24h',
    'yesterday',
    '2026-11',
    '2026-02-30',
    '2026-13-01',
    '2026-11-01T',
    '2026-11-01T25:00',
    '2026-11-01 10:00',
    '1763480537123',
    '2026-11-01T10',
    "2026-11-01'",
  ])('%j is refused and the message names both forms', since => {
    expect(() => range({ since })).toThrow(/number of days.*ISO 8601/)
  })

  test('without `since`, the range begins `days` before today, else the default days before today', () => {
    expect(utcDate(range({ days: 3 }).from)).toBe('2026-11-15')
    expect(utcDate(toRange({}, context, { defaultDays: 30 }).from)).toBe('2026-10-19')
    expect(utcDate(toRange({ since: '1d', days: 3 }, context, { defaultDays: 30 }).from)).toBe('2026-11-17')
  })
})

describe('with intervals of an hour', () => {
  test('`Nd` begins exactly N times 24 hours ago', () => {
    expect(hourlyRange({ since: '2d' }).from).toBe(NOW - 2 * 86_400_000)
    expect(hourlyRange({}).from).toBe(NOW - 7 * 86_400_000)
  })

  test('`0d` and a date begin at midnight', () => {
    expect(hourlyRange({ since: '0d' }).from).toBe(at('2026-11-18T00:00:00Z'))
    expect(hourlyRange({ since: '2026-11-17' }).from).toBe(at('2026-11-17T00:00:00Z'))
  })
})

test('the range ends five minutes after now, inclusive, because a timestamp may be that far ahead', () => {
  expect(range({}).to).toBe(NOW + 5 * 60_000 + 1)
})

describe('until', () => {
  const berlin = { now: NOW, zone: createZone('Europe/Berlin') }
  const end = (until: string, zoned = context) =>
    toRange({ since: '2026-11-01', until }, zoned, { defaultDays: 7 }).to

  test.each([
    ['7d', '2026-11-12T00:00:00Z'],
    ['2026-11-01', '2026-11-02T00:00:00Z'],
    // The time that ends a date does not begin another one.
    ['2026-11-03T00:00:00Z', '2026-11-03T00:00:00Z'],
  ])('`%s` belongs to the range', (until, next) => {
    expect(end(until)).toBe(at(next))
  })

  test('its dates are those of the zone', () => {
    expect(end('2026-11-03', berlin)).toBe(at('2026-11-03T23:00:00Z'))
  })

  test.each(['0d', '2026-11-18', '2026-11-19', '2999-01-01'])(
    '`%s`, today or later, ends the range five minutes after now',
    until => {
      expect(end(until)).toBe(range({}).to)
    },
  )

  test('before `since`, it is refused', () => {
    expect(() => end('2026-10-31')).toThrow(
      expect.objectContaining({
        code: 'MISSING_FIELDS',
        message: 'Parameter `until` is before `since`. Send them in order.',
      }),
    )
  })

  test('a time of day is refused by a report that counts whole dates', () => {
    for (const params of [{ since: '2026-11-01T10:00' }, { until: '2026-11-17T10:00Z' }]) {
      expect(() => range(params)).toThrow(
        expect.objectContaining({
          code: 'INVALID_SINCE',
          message: expect.stringMatching(/counts whole dates/),
        }),
      )
    }
  })

  test('another form is refused by its own name', () => {
    expect(() => end('soon')).toThrow(/Parameter `until` must be a number of days/)
  })
})

describe('a report that takes times', () => {
  const berlin = { now: NOW, zone: createZone('Europe/Berlin') }
  const exact = (params: RangeParams, zoned = context) =>
    toRange(params, zoned, { defaultDays: 7, takesTimes: true })

  test.each([
    ['2026-11-01T23:59:59', '2026-11-01T23:59:59Z'],
    ['2026-11-01T23:59:59.999Z', '2026-11-01T23:59:59.999Z'],
    ['2026-11-01T00:30+0100', '2026-10-31T23:30:00Z'],
  ])('begins at the time `%s`', (since, from) => {
    expect(exact({ since }).from).toBe(at(from))
  })

  test('ends before the time, so that two ranges that meet count no event twice', () => {
    expect(exact({ until: '2026-11-17T12:00:00.001Z' }).to).toBe(at('2026-11-17T12:00:00.001Z'))
  })

  test('reads a time without an offset in the zone, also on the day on which clocks go back', () => {
    expect(exact({ since: '2026-10-25T12:00' }, berlin).from).toBe(at('2026-10-25T11:00:00Z'))
    expect(exact({ since: '2026-10-24T12:00' }, berlin).from).toBe(at('2026-10-24T10:00:00Z'))
  })

  test('refuses a time that has not come', () => {
    expect(() => exact({ since: '2026-11-18T15:42:17.124Z' })).toThrow(/in the future/)
  })
})

describe('two names', () => {
  test('`date_from` and `date_to` mean `since` and `until`, and messages use the name that was sent', () => {
    const named = { date_from: '2026-11-03', date_to: '2026-11-05' }
    expect(range(named)).toEqual(range({ since: '2026-11-03', until: '2026-11-05' }))
    expect(() => range({ date_from: '2026-11-03', date_to: '2026-11-01' })).toThrow(
      'Parameter `date_to` is before `date_from`. Send them in order.',
    )
    expect(() => range({ date_from: '2027-01-01' })).toThrow(/The date of `date_from` is in the future/)
  })

  test.each([
    { since: '7d', date_from: '7d' },
    { until: '0d', date_to: '0d' },
  ])('%j: both of one parameter are refused', params => {
    expect(() => range(params)).toThrow(/is another name of .* Send one of them/)
  })
})
