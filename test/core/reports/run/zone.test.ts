import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { addDays, createZone } from '#core/reports/run/zone'

const HOUR = 3_600_000

/** Zone, date, its first moment in UTC, and its hours. Source: the IANA time zone database. */
test.each([
  ['Europe/Berlin, clocks go forward', 'Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23],
  ['Europe/Berlin, clocks go back', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25],
  ['America/New_York, clocks go forward', 'America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 23],
  ['America/New_York, clocks go back', 'America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25],
  ['Asia/Kathmandu, 5:45 ahead', 'Asia/Kathmandu', '2026-11-18', '2026-11-17T18:15:00Z', 24],
  [
    'Australia/Lord_Howe, half an hour forward',
    'Australia/Lord_Howe',
    '2026-10-04',
    '2026-10-03T13:30:00Z',
    23.5,
  ],
  [
    'Australia/Lord_Howe, half an hour back',
    'Australia/Lord_Howe',
    '2026-04-05',
    '2026-04-04T13:00:00Z',
    24.5,
  ],
  ['America/Sao_Paulo, midnight is skipped', 'America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', 23],
  ['America/Sao_Paulo, 23:00 comes twice', 'America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00:00Z', 25],
  ['Africa/Cairo, midnight is skipped', 'Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z', 23],
  ['Africa/Cairo, 23:00 comes twice', 'Africa/Cairo', '2026-10-29', '2026-10-28T21:00:00Z', 25],
  ['America/Havana, midnight comes twice', 'America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', 25],
  ['America/Havana, midnight is skipped', 'America/Havana', '2026-03-08', '2026-03-08T05:00:00Z', 23],
  ['UTC', 'UTC', '2026-03-29', '2026-03-29T00:00:00Z', 24],
])('a date begins at its first moment: %s', (_, name, date, start, hours) => {
  const zone = createZone(name)
  const from = zone.startOf(date)
  expect(new Date(from).toISOString()).toBe(new Date(start).toISOString())
  expect(zone.startOf(addDays(date, 1)) - from).toBe(hours * HOUR)
  expect([zone.dateOf(from - 1), zone.dateOf(from)]).toEqual([addDays(date, -1), date])
})

test('a date that a zone has skipped begins and ends at the same moment', () => {
  // Samoa crossed the date line: 2011-12-29 was followed by 2011-12-31.
  const zone = createZone('Pacific/Apia')
  const change = Date.parse('2011-12-30T10:00:00Z')
  expect(zone.startOf('2011-12-29')).toBe(change - 24 * HOUR)
  expect([zone.startOf('2011-12-30'), zone.startOf('2011-12-31')]).toEqual([change, change])
  expect([zone.dateOf(change - 1), zone.dateOf(change)]).toEqual(['2011-12-29', '2011-12-31'])
})

/** The local time as the Intl library writes it. */
function intlLocalTime(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(ms)
}

test.each([
  ['Europe/Berlin', '2026-03-28T20:00:00Z', '2026-10-26T05:00:00Z'],
  ['America/New_York', '2026-03-07T20:00:00Z', '2026-11-02T05:00:00Z'],
  ['Asia/Kathmandu', '2026-11-17T00:00:00Z', '2026-11-19T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T00:00:00Z', '2026-10-05T00:00:00Z'],
  ['America/Sao_Paulo', '2018-02-16T00:00:00Z', '2018-11-06T00:00:00Z'],
  ['Africa/Cairo', '2026-04-22T00:00:00Z', '2026-10-31T00:00:00Z'],
  ['Pacific/Apia', '2011-12-28T00:00:00Z', '2012-01-02T00:00:00Z'],
  ['UTC', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'],
])('SQL computes the local times of %s, also around each change', async (name, first, last) => {
  const range = { from: Date.parse(first), to: Date.parse(last) }
  const zone = createZone(name)
  // Every seventh hour of the range, and every quarter of an hour around each change of the offset.
  const times = new Set<number>()
  for (let at = range.from; at < range.to; at += 7 * HOUR) times.add(at)
  for (let at = range.from; at < range.to; at += 24 * HOUR) {
    const end = Math.min(at + 24 * HOUR, range.to)
    if (zone.startOf(zone.dateOf(end)) - zone.startOf(zone.dateOf(at)) === 24 * HOUR) continue
    for (let quarter = at; quarter < end; quarter += HOUR / 4) times.add(quarter).add(quarter - 1)
  }
  const ordered = [...times].filter(at => at >= range.from).toSorted((a, b) => a - b)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const local = zone.localTimestamp(range)
    expect(local.params).toEqual([])
    const reader = await connection.runAndReadAll(
      `SELECT strftime(${local.text}, '%Y-%m-%d %H:%M:%S')
       FROM (SELECT unnest([${ordered.join(', ')}]) AS ms) AS given, LATERAL (SELECT epoch_ms(ms) AS timestamp) AS t ORDER BY ms`,
    )
    const found = reader.getRows().map(([text]) => text)
    expect(found).toEqual(ordered.map(at => intlLocalTime(at, name)))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
})

test.each([
  ['UTC', '2026-11-01', '2026-11-18T15:42:17.123Z', '2026-11-01T15:42:17.123Z'],
  // Berlin is two hours ahead of UTC in summer, one in winter.
  ['Europe/Berlin', '2026-10-24', '2026-10-26T11:00:00Z', '2026-10-24T10:00:00Z'],
  ['Europe/Berlin', '2026-03-28', '2026-03-30T10:00:00Z', '2026-03-28T11:00:00Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-26T22:59:00Z', '2026-10-25T22:59:00Z'],
  ['Australia/Lord_Howe', '2026-04-04', '2026-04-06T01:30:00Z', '2026-04-04T01:00:00Z'],
])('in %s, clocks show on %s the time of %s at %s', (name, date, at, expected) => {
  const moment = createZone(name).sameTimeOn(date, Date.parse(at))
  expect(new Date(moment).toISOString()).toBe(new Date(expected).toISOString())
})
