import { describe, expect, test } from 'vitest'
import { range } from '#core/reports/range'
import { utcDate } from '#core/time'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const at = (iso: string): number => Date.parse(iso)

describe('since', () => {
  test.each([
    ['7d', '2026-11-11T00:00:00Z'],
    ['0d', '2026-11-18T00:00:00Z'],
    ['3650d', '2016-11-20T00:00:00Z'],
    ['2026-11-01', '2026-11-01T00:00:00Z'],
    ['2026-11-01T23:59:59', '2026-11-01T00:00:00Z'],
    ['2026-11-01T23:59:59.999Z', '2026-11-01T00:00:00Z'],
    // Half past midnight in Berlin is the day before in UTC.
    ['2026-11-01T00:30+01:00', '2026-10-31T00:00:00Z'],
    ['2026-11-01T00:30+0100', '2026-10-31T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    // Later today is today, not the future.
    ['2026-11-18T23:00:00Z', '2026-11-18T00:00:00Z'],
  ])('%s begins at %s', (since, from) => {
    expect(range({ since }, NOW, 7).from).toBe(at(from))
  })

  test.each(['2026-11-19', '2026-11-18T23:30:00-01:00'])('%s lies in the future and is refused', since => {
    expect(() => range({ since }, NOW, 7)).toThrow(expect.objectContaining({ code: 'INVALID_SINCE' }))
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
    expect(() => range({ since }, NOW, 7)).toThrow(/Nd.*ISO 8601/)
  })

  test('absent, it is the days that are given, else the default of the endpoint', () => {
    expect(utcDate(range({ days: 3 }, NOW, 7).from)).toBe('2026-11-15')
    expect(utcDate(range({}, NOW, 30).from)).toBe('2026-10-19')
    expect(utcDate(range({ since: '1d', days: 3 }, NOW, 30).from)).toBe('2026-11-17')
  })
})

describe('by the hour', () => {
  test('Nd begins exactly N times 24 hours ago', () => {
    expect(range({ since: '2d', hourly: true }, NOW, 7).from).toBe(NOW - 2 * 86_400_000)
    expect(range({ hourly: true }, NOW, 7).from).toBe(NOW - 7 * 86_400_000)
  })

  test('today and a date begin at midnight', () => {
    expect(range({ since: '0d', hourly: true }, NOW, 7).from).toBe(at('2026-11-18T00:00:00Z'))
    expect(range({ since: '2026-11-17', hourly: true }, NOW, 7).from).toBe(at('2026-11-17T00:00:00Z'))
  })
})

test('the range reaches to the five minutes that a timestamp may lie ahead, and includes them', () => {
  expect(range({}, NOW, 7).to).toBe(NOW + 5 * 60_000 + 1)
})
