import { afterAll, beforeAll, expect, test } from 'vitest'
import { breakdown } from '#core/reports/breakdown'
import { events as eventsReport } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { heatmap } from '#core/reports/heatmap'
import { insights } from '#core/reports/insights'
import { pages } from '#core/reports/pages'
import { paths } from '#core/reports/paths/paths'
import { properties } from '#core/reports/properties'
import { query } from '#core/reports/query/query'
import { receivedProperties } from '#core/reports/received-properties'
import { retention } from '#core/reports/retention/retention'
import type { DatedParams } from '#core/reports/run/asked-range'
import { type Report, type ReportServices, runReport } from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { queryBody } from '#schemas/query'
import { testProject } from '#test/support/account-fixtures'
import { repeats } from '#test/support/depth'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'

/** What a visitor with the public token can send. The engine has the memory of a small machine. */

// The deep run has the whole sizes: 200,000 names and 5,001 events of 800 keys, one more than the sample of
// GET /properties.
const NAMES = repeats(10_000, { countPerDepth: 200_000, maxCount: 200_000 })
const WIDE_EVENTS = repeats(301, { countPerDepth: 5_001, maxCount: 5_001 })
const KEYS = 800
const SAMPLED = Math.min(WIDE_EVENTS, 5_000)
const created = { bucket: 7, created_at: '2026-10-01T00:00:00Z' }
/** Each event has its own name, page, session and user. */
const names = { ...testProject(created), id: 'proj_names', name: 'names' }
/** Each event has its own keys, in nearly 8 KB. */
const wide = { ...testProject(created), id: 'proj_wide', name: 'wide' }
/** JSON of thousands of levels, and texts that are nearly numbers. */
const deep = { ...testProject(created), id: 'proj_deep', name: 'deep' }

let folder: FolderLake
let services: ReportServices

beforeAll(async () => {
  folder = await openFolderLake()
  const ofNames = Array.from({ length: NAMES }, (_, i) => ({
    event: `name ${i}`,
    properties: { path: `/${i}` },
    user_id: `u${i}`,
    session_id: `s${i}`,
    timestamp: NOW - i,
  }))
  const ofWide = Array.from({ length: WIDE_EVENTS }, (_, i) => ({
    event: 'wide',
    properties: Object.fromEntries(Array.from({ length: KEYS }, (_, k) => [keyOf(i * KEYS + k), 1])),
    timestamp: NOW - i,
  }))
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  const ofDeep = [
    { deep: nested(4_000) },
    { value: '1e999', 'a"b': { c: null } },
    { value: '-1e999', __proto__: 1 },
    { value: '9'.repeat(8_000) },
    { ['k'.repeat(8_000)]: 1, value: 5 },
  ].map(each => ({ event: 'deep', properties: each, user_id: 'u', session_id: 's' }))
  const slices = (events: readonly object[], size: number) =>
    Array.from({ length: Math.ceil(events.length / size) }, (_, i) => events.slice(i * size, (i + 1) * size))
  const files = [
    ...slices(ofNames, 50_000).map((each, i) => [recordOf(names, each as typeof ofNames, 1 + i * 50_000)]),
    ...slices(ofWide, 1_000).map((each, i) => [recordOf(wide, each as typeof ofWide, 1 + i * 1_000)]),
    [recordOf(deep, ofDeep)],
  ]
  const { openLake } = await folder.build({ epochs: [files, []], compacted: 2 })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
}, 600_000)

afterAll(() => folder.close())

/** Keys of seven characters that no two events share. */
function keyOf(i: number): string {
  return (78_364_164_096 + i * 7_919).toString(36).slice(-7)
}

const defaults = { since: '7d', limit: 100 }
const value = 'properties.value'
const reports: [string, unknown, Record<string, unknown>][] = [
  ['stats', stats, { ...defaults, groupBy: 'day', compare: 'previous' }],
  ['events', eventsReport, { ...defaults, limit: 1_000 }],
  ['sessions', sessions, { ...defaults, limit: 1_000 }],
  ['distribution', sessionDistribution, defaults],
  ['pages', pages, { ...defaults, type: 'both', limit: 1_000 }],
  ['insights', insights, { period: '7d' }],
  ['heatmap', heatmap, defaults],
  ['breakdown by path', breakdown, { ...defaults, property: 'path', limit: 1_000 }],
  ['breakdown by a property', breakdown, { ...defaults, property: 'value', limit: 1_000 }],
  ['properties', properties, defaults],
  ['received properties', receivedProperties, { ...defaults, sample: 5_000 }],
  ['query by event', query, queryBody.parse({ project: '', group_by: ['event'], limit: 1_000 })],
  [
    'query of numbers',
    query,
    queryBody.parse({
      project: '',
      metrics: ['sum', 'avg', 'min', 'max', 'p50', 'p75', 'p99', 'p95'].map(name => `${name}(${value})`),
      group_by: [value],
    }),
  ],
  [
    'query with a filter',
    query,
    queryBody.parse({ project: '', filters: [{ field: value, op: 'gt', value: '1e308' }] }),
  ],
  [
    'funnel',
    funnel,
    {
      ...{ since: '7d', steps: [{ event: 'deep' }, { event: 'wide' }], breakdown: 'path' },
      ...{ conversion_window_hours: 24, count_by: 'user_id', breakdown_limit: 10 },
    },
  ],
  [
    'paths',
    paths,
    {
      ...{ goal_event: 'name 1', since: '7d', max_steps: 5, entry_limit: 20, path_limit: 10 },
      candidate_session_cap: 10_000,
    },
  ],
  ['retention', retention, { period: 'day', cohorts: 3 }],
]

async function run(report: unknown, project: typeof names, query: Record<string, unknown>) {
  const body = await runReport(report as Report<DatedParams, Record<string, unknown>>, services, {
    project,
    query,
  })
  return body as Record<string, unknown>
}

test.each(reports)(
  '%s answers for a name of its own for each event, for 800 keys an event, and for deep JSON',
  async (_, report, params) => {
    for (const project of [names, wide, deep]) {
      const body = await run(report, project, params)
      expect(JSON.stringify(body).length).toBeLessThan(10_000_000)
    }
  },
  300_000,
)

test('lists of names and keys have at most 1000 entries, the most frequent ones, and say how many there are', async () => {
  const ofNames = await run(properties, names, defaults)
  expect(ofNames.events).toHaveLength(1_000)
  // One key: the path.
  expect(ofNames).toMatchObject({ property_keys: ['path'], truncated: true, total_rows: NAMES + 1 })
  const ofWide = await run(properties, wide, defaults)
  expect(ofWide.property_keys).toHaveLength(1_000)
  expect(ofWide).toMatchObject({ truncated: true, total_rows: SAMPLED * KEYS + 1 })
  const received = await run(receivedProperties, wide, { ...defaults, sample: 300 })
  expect(received.properties).toHaveLength(1_000)
  expect(received).toMatchObject({ sample_size: 300, truncated: true, total_rows: 300 * KEYS })
}, 300_000)

test('the list of an unknown filter field is capped, too', async () => {
  const filters = [{ field: 'plan', op: 'eq', value: 1 }]
  const failure = await run(query, names, queryBody.parse({ project: '', filters })).catch(error => error)
  const { available_properties } = failure.extras.fields
  expect(failure.code).toBe('INVALID_FILTER_FIELD')
  expect(available_properties.events).toHaveLength(1_000)
}, 300_000)

test('pages and sessions of as many paths as events are the first ones, with their number', async () => {
  const ofPages = await run(pages, names, { ...defaults, type: 'entry' })
  expect(ofPages).toMatchObject({ truncated: true, total_rows: NAMES })
  const ofSessions = await run(sessions, names, defaults)
  expect(ofSessions).toMatchObject({ truncated: true, total_rows: NAMES })
}, 300_000)
