import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { hotColumnsOf } from '#core/lake/consume/hot-columns'
import type { QueryEngine } from '#core/ports'
import { type EventsParams, events } from '#core/reports/events'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { type StatsParams, stats } from '#core/reports/stats'
import { createFolderLake } from '#local/lake/folder'
import { statsResponse } from '#schemas/stats'
import { testProject } from '#test/support/account-fixtures'
import { buildLake, type EventsRecord } from '#test/support/build-lake'
import { EMPTY_SNAPSHOT, fixedLake, segmentOf } from '#test/support/fixed-lake'
import { openTestEngine } from '#test/support/test-engine'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z', has_event_ids: true })

/** Services over a lake with one hot file of these events, all sent in one request. */
async function setUp(changes: Partial<EventsRecord['events'][number]>[] = []) {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-report-'))
  const lakeDir = join(dir, 'lake')
  const record: EventsRecord = {
    kind: 'events',
    project_id: 'proj_1',
    account_id: 'acc_1',
    bucket: 7,
    received_at: NOW,
    seq: 5,
    country: 'DE',
    events: changes.map(event => ({
      event: 'page_view',
      properties: null,
      user_id: null,
      session_id: null,
      timestamp: NOW,
      event_id: null,
      ...event,
    })),
  }
  const epochs = changes.length === 0 ? [[]] : [[[record]]]
  const lake = createFolderLake(lakeDir)
  const { openLake } = await buildLake({ lake, tempDir: join(dir, 'temp'), epochs })
  const engine = await openTestEngine({ lakeDir })
  onTestFinished(async () => {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  })
  const services: ReportServices = { engine, openLake, clock: { now: () => NOW } }
  return { ...services, lake, record }
}

function getStats(services: ReportServices, query: StatsParams, signal?: AbortSignal) {
  return runReport(stats, services, { project, query, signal })
}

function getEvents(services: ReportServices, query: EventsParams) {
  return runReport(events, services, { project, query })
}

test('a project without events has zeros and empty lists', async () => {
  const services = await setUp()
  const body = await getStats(services, { groupBy: 'day' })
  expect(body).toEqual({
    project: 'shop',
    period: { from: '2026-11-11', to: '2026-11-18', days: 8, running: true, groupBy: 'day' },
    totals: { unique_users: 0, total_events: 0 },
    timeSeries: [],
    events: [],
    sessions: {
      total_sessions: 0,
      bounce_rate: 0,
      single_page_rate: 0,
      avg_duration: 0,
      pages_per_session: 0,
      sessions_per_user: 0,
    },
    countries: [],
  })
  expect(statsResponse.parse(body)).toEqual(body)
  expect(await getEvents(services, { limit: 10 })).toEqual({
    project: 'shop',
    period: { from: '2026-11-11', to: '2026-11-18', days: 8, running: true },
    events: [],
    count: 0,
    next_before: null,
  })
})

test('a report reads no days before the project can have events, however old its `since` is', async () => {
  const { engine, ...services } = await setUp([{ user_id: 'u' }])
  const query = { since: '0000-01-02', groupBy: 'day', limit: 10 } as const
  const { totals, period } = await getStats({ ...services, engine }, query)
  expect(totals).toEqual({ unique_users: 1, total_events: 1 })
  expect(period.from).toBe('0000-01-02')
  const { count } = await getEvents({ ...services, engine }, query)
  expect(count).toBe(1)

  const rows = vi.fn<QueryEngine['rows']>(async () => [])
  const lake = fixedLake({
    ...EMPTY_SNAPSHOT,
    compacted: 2,
    segments: [segmentOf({ firstAt: 0, lastAt: NOW })],
  })
  const withSegment = { ...services, engine: { rows }, openLake: async () => lake }
  await getStats(withSegment, query)
  await getEvents(withSegment, query)
  const texts = rows.mock.calls.map(([{ text }]) => text)
  const dates = texts.flatMap(text => text.match(/(?<=(DATE|TIMESTAMP) ')(?!1970|2020)[\d-]+/g) ?? [])
  expect(dates.toSorted()[0]).toBe('2026-09-01')
})

test('an event that arrives between the statements of a page pushes no event out of it', async () => {
  const sixEvents = Array.from({ length: 6 }, (_, i) => ({ event: `e${i}`, timestamp: NOW - i * 1_000 }))
  const { lake, record, ...services } = await setUp(sixEvents)
  const [event] = record.events as [EventsRecord['events'][number]]
  const late = { ...record, seq: 6, events: [{ ...event, event: 'late', timestamp: NOW - 1_500 }] }
  // Like Athena with more hot files than a statement names: it lists the files again for each statement.
  const { engine } = services
  const rows: QueryEngine['rows'] = ({ text, params }) => engine.rows({ text, params })
  // The first statement looks for copies, the second one for the positions of the page.
  const listingRows = vi
    .fn(rows)
    .mockImplementationOnce(rows)
    .mockImplementationOnce(async query => {
      const positions = await rows(query)
      await lake.put('hot/epoch=1/1-1-1.parquet', encodeHot(hotColumnsOf([late])))
      return positions
    })
  const pages = []
  for (let before: string | undefined, page = 0; page === 0 || before !== undefined; page++) {
    const body = await getEvents(
      { ...services, engine: { rows: listingRows } },
      { limit: 3, ...(before && { before }) },
    )
    pages.push(body.events.map(({ event }) => event))
    before = body.next_before ?? undefined
  }
  expect(pages).toEqual([
    ['e0', 'e1', 'e2'],
    ['e3', 'e4', 'e5'],
  ])
})

test('a page of events with equal timestamps reads only the events of that page', async () => {
  const { engine, ...services } = await setUp(Array.from({ length: 50 }, (_, i) => ({ event: `e${i}` })))
  const rows = vi.spyOn(engine, 'rows')
  const first = await getEvents({ ...services, engine }, { limit: 10 })
  const before = String(first.next_before)
  const second = await getEvents({ ...services, engine }, { limit: 10, before })
  expect(new Set([...first.events, ...second.events].map(({ id }) => id)).size).toBe(20)
  const rowCounts = await Promise.all(rows.mock.results.map(async ({ value }) => (await value).length))
  expect(Math.max(...rowCounts)).toBe(11)
})

test('stats lists the 20 most frequent events, and orders equal counts by code point', async () => {
  const names = Array.from({ length: 25 }, (_, i) => `e${String(i).padStart(2, '0')}`)
  const services = await setUp([...names.map(event => ({ event })), { event: 'zz' }, { event: 'zz' }])
  const body = await getStats(services, { groupBy: 'day' })
  expect(body.events.map(({ event }) => event)).toEqual(['zz', ...names.slice(0, 19)])
})

test.each([
  ['none at all', null],
  ['an empty object', {}],
  ['columns only', { path: '/a', session_count: 3 }],
  ['values of other types than their columns', { path: 7, session_count: '3', title: null, url: { a: 1 } }],
  ['numbers that an integer column cannot hold', { session_count: 1.5, days_since_first_visit: 1e300 }],
  ['nested and empty values', { plan: { tiers: [1, [], {}] }, note: '', path: '' }],
  [
    'names with a special meaning in JavaScript or here',
    JSON.parse('{"__proto__": 1, "constructor": "c", "properties": "p"}'),
  ],
])('events returns properties as they were sent: %s', async (_, properties) => {
  const services = await setUp([{ properties }])
  const { events: rows } = await getEvents(services, { limit: 10 })
  expect(JSON.stringify(sortKeys(rows[0]?.properties))).toBe(JSON.stringify(sortKeys(properties)))
})

function sortKeys(value: unknown): unknown {
  return value === null || value === undefined
    ? value
    : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}

test('an event has an event_id in the response only if the sender gave it one', async () => {
  const services = await setUp([{ event_id: 'mine' }, {}])
  const { events: rows } = await getEvents(services, { limit: 10 })
  expect(rows.map(row => 'event_id' in row)).toEqual([false, true])
})

test('a cursor that no response contained is refused', async () => {
  const services = await setUp()
  await expect(getEvents(services, { limit: 10, before: 'x' })).rejects.toMatchObject({
    code: 'MISSING_FIELDS',
  })
})

test('all statements of a report use one snapshot', async () => {
  const services = await setUp()
  const openLake = vi.spyOn(services, 'openLake')
  const rows = vi.spyOn(services.engine, 'rows')
  await getStats(services, { groupBy: 'hour' })
  expect(openLake).toHaveBeenCalledTimes(1)
  expect(rows.mock.calls.length).toBeGreaterThan(1)
  expect(new Set(rows.mock.calls.map(([, options]) => options?.snapshot)).size).toBe(1)
})

test('a report stops with the reason of the abort when the caller goes away', async () => {
  const services = await setUp()
  const reason = new Error('gone')
  await expect(getStats(services, { groupBy: 'day' }, AbortSignal.abort(reason))).rejects.toBe(reason)
})
