import { expect, test } from 'vitest'
import { midnight, parseIsoTime, utcDate } from '#core/time'

test('the first and the last millisecond of a UTC day belong to that day', () => {
  const [first, last] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22) - 1]
  expect([first, last].map(midnight)).toEqual([first, first])
  expect([first, last].map(utcDate)).toEqual(['2026-11-21', '2026-11-21'])
})

test.each([
  '2026-02-30',
  '2026-02-29T10:00Z',
  '2026-04-31T23:59:59+02:00',
  '2026-13-01',
  '2026-00-10',
  '0000-00-00',
])('%s is no time, because no calendar has that date', text => expect(parseIsoTime(text)).toBeNaN())

test('a date that some years have is a time in these years', () => {
  expect(parseIsoTime('2028-02-29')).toBe(Date.UTC(2028, 1, 29))
  expect(parseIsoTime('2026-12-31T23:00-02:00')).toBe(Date.UTC(2027, 0, 1, 1))
})

test('a time without an offset is UTC, whatever zone the machine has', () => {
  const zone = process.env.TZ
  process.env.TZ = 'America/New_York'
  try {
    const noon = Date.UTC(2026, 10, 1, 12)
    for (const text of [
      '2026-11-01T12:00',
      '2026-11-01T12:00:00',
      '2026-11-01T12:00Z',
      '2026-11-01T13:00+01:00',
    ]) {
      expect(parseIsoTime(text), text).toBe(noon)
    }
    expect(parseIsoTime('2026-11-01')).toBe(Date.UTC(2026, 10, 1))
    expect(parseIsoTime('soon')).toBeNaN()
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})
