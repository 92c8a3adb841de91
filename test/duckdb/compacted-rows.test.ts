import { parquetMetadata } from 'hyparquet'
import { expect, test } from 'vitest'
import { eventKey, shortKey } from '#core/lake/consume/id-keys'
import { segmentKey } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import { tables } from '#schemas/columns'
import { HOUR, openCompactorLake, request, START } from '#test/support/compactor-lake'

const START_S = START / 1_000

/** The key of a user or session as a Parquet reader returns it. */
const parquetKey = (text: string) => BigInt(shortKey(text) ?? -1)

test('segment_event_ids has the event_key and the arrival of the stored events of its epoch, in the order of event_key', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const ids = Array.from({ length: 50 }, (_, i) => `event ${i}`)
  const at = START + 30 * HOUR
  await writeHot(1, [
    request({ at: START, events: [{ event_id: 'oldest' }] }),
    request({ at, events: ids.map(event_id => ({ event_id })) }),
    request({ at, events: [{ event_id: 'event 0' }] }),
  ])
  const keyOf = (id: string) => eventKey('proj_1', id) as bigint
  const expected = [
    { event_key: keyOf('oldest'), arrival: BigInt(START_S) },
    ...ids.map(id => ({ event_key: keyOf(id), arrival: BigInt(at / 1_000) })),
  ]
  expect(await readSegment('segment_event_ids', await compact(1))).toEqual(
    expected.toSorted((a, b) => (a.event_key < b.event_key ? -1 : 1)),
  )
})

test('the rows of a session are stored together, and sessions in the order in which they started', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const event = (session_id: string | null, after: number) => ({ session_id, timestamp: START + after })
  await writeHot(1, [
    request({ events: [event('a', 0), event('b', 1), event('a', 2), event(null, 3), event('b', 9)] }),
  ])
  const rows = await readSegment('segment_events', await compact(1))
  expect(rows.map(row => row.session_id ?? null)).toEqual(['a', 'a', 'b', 'b', null])
})

/** An empty text counts as absent, and of a referrer only the origin is stored. */
const SOURCE = {
  referrer: 'https://blog.example.org/a/post',
  hostname: 'shop.example',
  utm_source: 'a|b',
  utm_medium: '',
  utm_campaign: 'a, b',
}
const NO_SOURCE = {
  entry_referrer: null,
  entry_hostname: null,
  entry_click_id: null,
  entry_utm_source: null,
  entry_utm_medium: null,
  entry_utm_campaign: null,
  entry_utm_content: null,
}
const FIRST_SOURCE = {
  ...NO_SOURCE,
  entry_referrer: 'https://blog.example.org',
  entry_hostname: 'shop.example',
  entry_utm_source: 'a|b',
  entry_utm_campaign: 'a, b',
}

test('segment_sessions has a row for each session and UTC date, with user, entry page, exit page and source', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const page = (path: string) => ({ path, url: 'https://example.com/x' })
  const events = [
    { timestamp: START, event: 'page_view', user_id: null, properties: { path: '' } },
    { timestamp: START + HOUR, event: 'signup', user_id: 'u1', properties: { ...page('/first'), ...SOURCE } },
    { timestamp: START + HOUR, event: 'page_view', user_id: 'u2', properties: page('') },
    { timestamp: START + HOUR + 1, event: 'page_view', user_id: null },
    { timestamp: START + 3 * HOUR, session_id: null },
    { timestamp: START - 72 * HOUR, properties: page('/late') },
  ]
  await writeHot(1, [request({ events, at: START + 3 * HOUR, seq: 1_000 })])
  expect(await readSegment('segment_sessions', await compact(1))).toEqual([
    {
      project_id: 'proj_1',
      date: new Date('2026-11-15'),
      session_key: parquetKey('s1'),
      user_key: parquetKey('u1'),
      user_at: null,
      user_lag_s: 270_000n,
      start_at: new Date(START - 72 * HOUR),
      end_at: new Date(START - 72 * HOUR),
      event_count: 1n,
      interactive_count: 0n,
      entry_page: '/late',
      entry_at: null,
      entry_lag_s: 270_000n,
      exit_page: '/late',
      exit_at: null,
      exit_lag_s: 270_000n,
      may_be_split: 1n,
      user_parts: null,
      page_view_count: 1n,
      ...NO_SOURCE,
    },
    {
      project_id: 'proj_1',
      date: new Date('2026-11-18'),
      session_key: parquetKey('s1'),
      user_key: parquetKey('u2'),
      user_at: new Date(START + HOUR),
      user_lag_s: 7_200n,
      start_at: new Date(START),
      end_at: new Date(START + HOUR + 1),
      event_count: 4n,
      interactive_count: 1n,
      entry_page: '/first',
      entry_at: new Date(START + HOUR),
      entry_lag_s: 7_200n,
      exit_page: 'https://example.com/x',
      exit_at: new Date(START + HOUR),
      exit_lag_s: 7_200n,
      may_be_split: 1n,
      page_view_count: 3n,
      ...FIRST_SOURCE,
      // Of each user and of the events without one: seq and lag_s, times, numbers of events, first and last
      // page, number of page views, and the source.
      user_parts: [
        `${shortKey('u2')}|7200|1002|2026-11-18 23:00:00|2026-11-18 23:00:00|1|0|https%3A%2F%2Fexample.com%2Fx|2026-11-18 23:00:00|7200|1002|https%3A%2F%2Fexample.com%2Fx|2026-11-18 23:00:00|7200|1002|1|||||||`,
        `${shortKey('u1')}|7200|1001|2026-11-18 23:00:00|2026-11-18 23:00:00|1|1|%2Ffirst|2026-11-18 23:00:00|7200|1001|%2Ffirst|2026-11-18 23:00:00|7200|1001|0|https%3A%2F%2Fblog.example.org|shop.example||a%7Cb||a%2C%20b|`,
        '|||2026-11-18 22:00:00|2026-11-18 23:00:00.001|2|0|||||||||2|||||||',
      ].join(','),
    },
  ])
})

test('segment_activity counts the events of each user with each name by UTC date, and in one row those of all users', async () => {
  const { writeHot, compact, readSegment } = await openCompactorLake()
  const events = [
    { event: 'signup' },
    { timestamp: START + 3 * HOUR },
    { user_id: null },
    { user_id: null },
    { timestamp: START + HOUR },
    {},
  ]
  await writeHot(1, [request({ events })])
  const rows = await readSegment('segment_activity', await compact(1))
  const row = (day: string, user: string | null, event: string, count: bigint, total: bigint | null) => ({
    project_id: 'proj_1',
    date: new Date(day),
    user_key: user === null ? null : parquetKey(user),
    event,
    country: 'DE',
    event_count: count,
    total_count: total,
  })
  expect(rows).toEqual([
    row('2026-11-18', 'u1', 'page_view', 2n, 4n),
    row('2026-11-18', 'u1', 'signup', 1n, 1n),
    row('2026-11-18', null, 'page_view', 2n, null),
    row('2026-11-19', 'u1', 'page_view', 1n, 1n),
  ])
})

test('the files have the columns of schemas/columns.ts, with timestamps in milliseconds that are not UTC-adjusted', async () => {
  const { writeHot, compact, lake } = await openCompactorLake()
  await writeHot(1, [request({})])
  const segment = (await compact(1)) as Segment
  for (const table of [
    'segment_events',
    'segment_sessions',
    'segment_activity',
    'segment_event_ids',
  ] as const) {
    const bytes = (await lake.get(segmentKey(table, 7, segment, 0))) as Uint8Array
    const { schema } = parquetMetadata(new Uint8Array(bytes).buffer)
    const columns = schema.slice(1)
    expect(columns.map(({ name }) => name)).toEqual(tables[table].columns.map(({ name }) => name))
    for (const column of columns) {
      const type = tables[table].columns.find(({ name }) => name === column.name)?.type
      if (type === 'date') expect(column).toMatchObject({ type: 'INT32', converted_type: 'DATE' })
      if (type !== 'timestamp') continue
      expect(column).toMatchObject({ logical_type: { isAdjustedToUTC: false, unit: 'MILLIS' } })
    }
  }
})

test('events that are too wide for the memory are written in the same order, but in smaller row groups', async () => {
  const outputs = []
  for (const memoryMb of [64, 512]) {
    const { compact, writeHot, lake, readSegment } = await openCompactorLake({ memoryMb })
    for (let file = 0; file < 8; file++) {
      const events = Array.from({ length: 1_000 }, (_, i) => ({
        session_id: `s${(file * i) % 997}`,
        timestamp: START - ((file + i * 7_919) % 100_000),
        properties: { text: `${i} `.repeat(1_200) },
      }))
      await writeHot(1, [request({ events, project: `proj_${file % 3}`, seq: file * 1_000 })])
    }
    const segment = (await compact(1)) as Segment
    const bytes = (await lake.get(segmentKey('segment_events', 7, segment, 0))) ?? new Uint8Array()
    const { row_groups } = parquetMetadata(new Uint8Array(bytes).buffer)
    outputs.push({ rows: await readSegment('segment_events', segment), groups: row_groups.length })
  }
  expect(outputs[0]?.groups).toBeGreaterThan(2)
  expect(outputs[1]?.groups).toBe(2)
  expect(outputs[0]?.rows).toHaveLength(8_000)
  expect(outputs[0]?.rows).toEqual(outputs[1]?.rows)
})
