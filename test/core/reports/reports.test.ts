import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encodeHot } from '#core/lake/parquet'
import { toHotRows } from '#core/lake/rows'
import type { Snapshot } from '#core/lake/state'
import type { QueryEngine } from '#core/ports'
import { events } from '#core/reports/events'
import type { ReportServices } from '#core/reports/report'
import { stats } from '#core/reports/stats'
import { createFolderLake } from '#local/lake/folder'
import { openQueryEngine } from '#local/lake/query-engine'
import { statsResponse } from '#schemas/stats'
import { buildLake, type EventsRecord } from '#test/support/lake-builder'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const project = {
  id: 'proj_1',
  name: 'shop',
  bucket: 7,
  created_at: '2026-10-01T00:00:00Z',
  has_event_ids: true,
}

async function setUp(given: Partial<EventsRecord['events'][number]>[] = []) {
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
    events: given.map(event => ({
      event: 'page_view',
      properties: null,
      user_id: null,
      session_id: null,
      timestamp: NOW,
      event_id: null,
      ...event,
    })),
  }
  const epochs = given.length === 0 ? [[]] : [[[record]]]
  const snapshot = await buildLake({ lake: createFolderLake(lakeDir), tempDir: join(dir, 'temp'), epochs })
  const engine = await openQueryEngine({ lakeDir, log: () => {}, threads: 1 })
  onTestFinished(async () => {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  })
  return { ...serve(engine, snapshot), lake: createFolderLake(lakeDir), record }
}

function serve(engine: QueryEngine, snapshot: Snapshot): ReportServices {
  return { engine, lakeState: { lake: async () => snapshot }, clock: { now: () => NOW } }
}

test('a project without events has zeros and empty lists', async () => {
  const services = await setUp()
  const found = await stats(services, { project, query: { groupBy: 'day' } })
  expect(found).toEqual({
    project: 'shop',
    period: { from: '2026-11-11', to: '2026-11-18', groupBy: 'day' },
    totals: { unique_users: 0, total_events: 0 },
    timeSeries: [],
    events: [],
    sessions: {
      total_sessions: 0,
      bounce_rate: 0,
      avg_duration: 0,
      pages_per_session: 0,
      sessions_per_user: 0,
    },
    countries: [],
  })
  expect(statsResponse.parse(found)).toEqual(found)
  expect(await events(services, { project, query: { limit: 10 } })).toEqual({
    project: 'shop',
    events: [],
    count: 0,
    next_before: null,
  })
})

test('a project is not read before it was there, however far back it is asked for', async () => {
  const { engine, ...services } = await setUp([{ user_id: 'u' }])
  const query = { since: '0000-01-02', groupBy: 'day', limit: 10 } as const
  const { totals, period } = await stats({ ...services, engine }, { project, query })
  expect(totals).toEqual({ unique_users: 1, total_events: 1 })
  expect(period.from).toBe('0000-01-02')
  const { count } = await events({ ...services, engine }, { project, query })
  expect(count).toBe(1)

  const rows = vi.spyOn(engine, 'rows')
  const withCold = serve(engine, { epoch: 3, warm: 2, cold: 2 })
  await stats(withCold, { project, query })
  await events(withCold, { project, query })
  const dates = rows.mock.calls.flatMap(([{ scans = [] }]) => scans.flatMap(({ date }) => date ?? []))
  expect(dates.toSorted()[0]).toBe('2026-09-01')
})

test('events that come between the statements of a page push none out of it', async () => {
  const sent = Array.from({ length: 6 }, (_, i) => ({ event: `e${i}`, timestamp: NOW - i * 1_000 }))
  const { lake, record, ...services } = await setUp(sent)
  const [event] = record.events as [EventsRecord['events'][number]]
  const late = { ...record, seq: 6, events: [{ ...event, event: 'late', timestamp: NOW - 1_500 }] }
  // As Athena does, which lists the files for each statement anew.
  const { rows } = services.engine
  services.engine.rows = vi
    .fn(query => rows(query))
    .mockImplementationOnce(async query => {
      const found = await rows(query)
      await lake.put('hot/epoch=1/1-1-1.parquet', encodeHot(toHotRows(late)))
      return found
    })
  const names = []
  for (let before: string | undefined, page = 0; page === 0 || before !== undefined; page++) {
    const answer = await events(services, { project, query: { limit: 3, ...(before && { before }) } })
    names.push(answer.events.map(({ event }) => event))
    before = answer.next_before ?? undefined
  }
  expect(names).toEqual([
    ['e0', 'e1', 'e2'],
    ['e3', 'e4', 'e5'],
  ])
})

test('of events that all have one time no more are read than a page shows', async () => {
  const { engine, ...services } = await setUp(Array.from({ length: 50 }, (_, i) => ({ event: `e${i}` })))
  const rows = vi.spyOn(engine, 'rows')
  const first = await events({ ...services, engine }, { project, query: { limit: 10 } })
  const before = String(first.next_before)
  const second = await events({ ...services, engine }, { project, query: { limit: 10, before } })
  expect(new Set([...first.events, ...second.events].map(({ id }) => id)).size).toBe(20)
  const read = await Promise.all(rows.mock.results.map(async ({ value }) => (await value).length))
  expect(Math.max(...read)).toBe(11)
})

test('the 20 most frequent events are told, equals by code point', async () => {
  const names = Array.from({ length: 25 }, (_, i) => `e${String(i).padStart(2, '0')}`)
  const services = await setUp([...names.map(event => ({ event })), { event: 'zz' }, { event: 'zz' }])
  const found = await stats(services, { project, query: { groupBy: 'day' } })
  expect(found.events.map(({ event }) => event)).toEqual(['zz', ...names.slice(0, 19)])
})

test.each([
  ['none at all', null],
  ['an empty object', {}],
  ['columns only', { path: '/a', session_count: 3 }],
  ['values of other types than their columns', { path: 7, session_count: '3', title: null, url: { a: 1 } }],
  ['numbers that a column of integers cannot hold', { session_count: 1.5, days_since_first_visit: 1e300 }],
  ['nested and empty values', { plan: { tiers: [1, [], {}] }, note: '', path: '' }],
  [
    'names that objects treat in their own way',
    JSON.parse('{"__proto__": 1, "constructor": "c", "properties": "p"}'),
  ],
])('properties come back as they were sent: %s', async (_, properties) => {
  const services = await setUp([{ properties }])
  const { events: found } = await events(services, { project, query: { limit: 10 } })
  expect(JSON.stringify(sortKeys(found[0]?.properties))).toBe(JSON.stringify(sortKeys(properties)))
})

function sortKeys(value: unknown): unknown {
  return value === null || value === undefined
    ? value
    : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}

test('event_id is told only where one was sent', async () => {
  const services = await setUp([{ event_id: 'mine' }, {}])
  const { events: found } = await events(services, { project, query: { limit: 10 } })
  expect(found.map(row => 'event_id' in row)).toEqual([false, true])
})

test('a cursor that was not given out is refused', async () => {
  const services = await setUp()
  await expect(events(services, { project, query: { limit: 10, before: 'x' } })).rejects.toMatchObject({
    code: 'MISSING_FIELDS',
  })
})

test('all statements of a report read one snapshot', async () => {
  const asked: number[] = []
  const services = await setUp()
  const counting = {
    ...services,
    lakeState: { lake: () => services.lakeState.lake().finally(() => asked.push(1)) },
  }
  await stats(counting, { project, query: { groupBy: 'hour' } })
  expect(asked).toHaveLength(1)
})

test('a caller who goes away ends the report', async () => {
  const services = await setUp()
  const reason = new Error('gone')
  const asked = stats(services, { project, query: { groupBy: 'day' }, signal: AbortSignal.abort(reason) })
  await expect(asked).rejects.toBe(reason)
})
