import { expect, test } from 'vitest'
import { midnight, parseIsoTime, utcDate } from '#core/time'

test('the first and the last millisecond of a UTC day belong to that day', () => {
  const [first, last] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22) - 1]
  expect([first, last].map(midnight)).toEqual([first, first])
  expect([first, last].map(utcDate)).toEqual(['2026-11-21', '2026-11-21'])
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
