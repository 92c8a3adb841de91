import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { SHARED_VIEWS } from '#schemas/share-links'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

/**
 * What a share link tells about few people: nothing. The project has a crowd of 20, three people who share a
 * rare plan, and 58 others of whom each has one event that nobody else has.
 */

const CROWD = 20
const ALONE = 58
const MINUTE = 60_000
/** What only few people have sent, in values, names of events and pages. */
const RARE = /reset-token|jane-|secret_order|rare-plan|"LI"|"AT"/

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project
let bearer: Record<string, string>

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({
    reading: { engine: folder.engine, openLake: () => built.openLake() },
  })
  project = await service.createProject()
  const visit = (user: string, at: number, more: { path: string; plan: string; event?: string }) => {
    const base = { user_id: user, session_id: `s-${user}` }
    const { path, plan, event = 'signup' } = more
    return [
      { ...base, event: 'page_view', timestamp: at, properties: { path, plan, hostname: 'a.example' } },
      { ...base, event, timestamp: at + 31_000, properties: { path: `${path}/done`, plan, value: at } },
    ]
  }
  const crowd = Array.from({ length: CROWD }, (_, i) =>
    visit(`crowd-${i}`, NOW - 120 * MINUTE - i, { path: '/home', plan: 'free' }),
  ).flat()
  const three = Array.from({ length: 3 }, (_, i) =>
    visit(`three-${i}`, NOW - 60 * MINUTE - i, { path: '/home', plan: 'rare-plan' }),
  ).flat()
  // The last three on a date of their own.
  const agoOf = (i: number) => (i < ALONE - 3 ? 1_440 + i * 60 : 5 * 1_440 + i)
  const alone = Array.from({ length: ALONE }, (_, i) =>
    visit(`alone-${i}`, NOW - agoOf(i) * MINUTE - i, {
      path: `/reset-token/${i}`,
      plan: `jane-${i}@example.com`,
      event: `secret_order_${i}`,
    }),
  ).flat()
  const record = (events: typeof crowd, country: string, seq: number) => ({
    ...recordOf(project, events, seq),
    received_at: NOW - 1_000,
    country,
  })
  built = await folder.build({
    epochs: [
      [[record(crowd, 'DE', 1), record(three, 'AT', 2)]],
      [[record(alone.slice(0, 2), 'LI', 3), record(alone.slice(2), 'DE', 4)]],
      [],
    ],
    compacted: 2,
  })
  bearer = { Authorization: `Bearer ${await newLink()}` }
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

async function newLink(): Promise<string> {
  const created = await service.call(routes.createShareLink, { id: project.id, body: {} })
  return String(created.body.url).split('/').at(-1) ?? ''
}

/** What a link, or the owner, gets for a question. */
function ask(route: Route, fields: Record<string, unknown> = {}, isLink = true) {
  const all = { project: project.name, ...fields }
  return service.call(route, {
    ...(route.body === undefined ? { query: all as Record<string, string> } : { body: all }),
    ...(isLink && { key: null, headers: bearer }),
  })
}

const eq = (field: string, value: string) => ({ field, op: 'eq', value })
const STEPS = [{ event: 'page_view' }, { event: 'signup' }]
/** A step that one person, three people or nobody has passed. */
const stepOf = (value: string) => [
  { event: 'page_view', filters: [{ property: 'plan', op: 'eq', value }] },
  { event: 'signup' },
]

/** Questions that are about few people, or have rows that are. */
const QUESTIONS: [string, Route, Record<string, unknown>][] = [
  ['stats', routes.stats, { compare: 'previous' }],
  ['stats by hour', routes.stats, { groupBy: 'hour', since: '7d' }],
  ['insights', routes.insights, {}],
  ['pages', routes.pages, { type: 'both', limit: '1000' }],
  ['lengths of sessions', routes.sessionDistribution, {}],
  ['heatmap', routes.heatmap, {}],
  ['properties', routes.properties, {}],
  ['received properties', routes.receivedProperties, {}],
  ['retention', routes.retention, { period: 'day' }],
  ['paths', routes.paths, { goal_event: 'signup' }],
  ['funnel', routes.funnel, { steps: STEPS, breakdown: 'plan', breakdown_limit: 50 }],
  ...['plan', 'country'].flatMap(by => [
    [`breakdown by ${by}`, routes.breakdown, { property: by, limit: '1000' }] as [string, Route, object],
    [`short breakdown by ${by}`, routes.breakdown, { property: by, limit: '1' }] as [string, Route, object],
    [`conversion by ${by}`, routes.conversion, { by, goal: 'signup', limit: '1000' }] as [
      string,
      Route,
      object,
    ],
    [
      `query by ${by}`,
      routes.query,
      { group_by: [by === 'country' ? by : `properties.${by}`, 'date'], limit: 1_000 },
    ] as [string, Route, object],
  ]),
  ['conversion by entry page', routes.conversion, { by: 'entry_page', goal: 'signup', min_users: '1' }],
  ['query by event', routes.query, { group_by: ['event'], order_by: 'event_count', order: 'asc', limit: 5 }],
  ['query with a filter', routes.query, { group_by: ['event'], filters: [eq('country', 'LI')] }],
  [
    'query of the period before',
    routes.query,
    { group_by: ['properties.path'], compare: 'previous', date_from: '1d' },
  ],
].map(([name, route, fields]) => [name, route, fields] as [string, Route, Record<string, unknown>])

/** What the owner sees too: nothing in it is about few people. */
const SAME = new Set(['insights', 'lengths of sessions'])

/** Every object of a body that says how many people it is about. */
function countedPeople(value: unknown, found: number[] = []): number[] {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, each] of Object.entries(value)) {
    if (/^(users|unique_users|joinable_entities|strict_survivors)$/.test(name) && typeof each === 'number')
      found.push(each)
    countedPeople(each, found)
  }
  return found
}

/** The fields of a body whose numbers count everybody, by date at most. */
function withoutTotals({
  totals,
  timeSeries,
  period,
  previous,
  changes,
  ...groups
}: Record<string, unknown>) {
  const isByHour = (period as { groupBy?: string } | undefined)?.groupBy === 'hour'
  return { ...groups, ...(isByHour && { timeSeries }) }
}

test.each(QUESTIONS)(
  '%s: no group of few people, and no value that they alone have',
  async (name, route, fields) => {
    const { status, body, text } = await ask(route, fields)
    expect([status, body.message]).toEqual([200, undefined])
    expect(text).not.toMatch(RARE)
    expect(countedPeople(withoutTotals(body)).filter(users => users > 0 && users < 5)).toEqual([])
    // The owner has the rows, so the question could have shown them.
    const own = await ask(route, fields, false)
    expect(own.status).toBe(200)
    if (!SAME.has(name)) expect(own.body).not.toEqual(body)
  },
)

test.each<[string, Route, Record<string, unknown>]>([
  ['breakdown by user_id', routes.breakdown, { property: 'user_id' }],
  ['breakdown by session_id', routes.breakdown, { property: ' session_id' }],
  ['conversion by user_id', routes.conversion, { by: 'user_id', goal: 'signup' }],
  ['funnel by session_id', routes.funnel, { steps: STEPS, breakdown: 'session_id' }],
])('%s makes groups of one person, which a link does not ask for', async (_, route, fields) => {
  const { status, body } = await ask(route, fields)
  expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
})

test.each<[string, Route, Record<string, unknown>]>([
  ['a conversion by channel', routes.conversion, { by: 'channel', goal: 'signup' }],
  ['a funnel by entry page', routes.funnel, { steps: STEPS, breakdown: 'entry_page' }],
  ['a filter by channel', routes.query, { filters: [{ field: 'channel', op: 'eq', value: 'direct' }] }],
  ['a filter by new people', routes.query, { filters: [{ field: 'is_new', op: 'eq', value: true }] }],
])(
  '%s reads whole sessions or all events of people, which a link does not ask for',
  async (_, route, fields) => {
    const { status, body } = await ask(route, fields)
    expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
  },
)

test.each<[string, Route, Record<string, unknown>]>([
  ['a query', routes.query, { group_by: ['traits.plan'] }],
  ['a query of a key in quotes', routes.query, { group_by: ['traits["a,b"]'] }],
  ['a conversion', routes.conversion, { by: ' traits.plan', goal: 'signup' }],
  ['a funnel', routes.funnel, { steps: STEPS, breakdown: 'traits["plan"]' }],
  ['a filter', routes.query, { filters: [{ field: ' traits["plan"]', op: 'eq', value: 'pro' }] }],
])(
  '%s by a trait makes groups of what the owner knows of people, which a link does not ask for',
  async (_, route, fields) => {
    const { status, body } = await ask(route, fields)
    expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
  },
)

describe('POST /query', () => {
  test('of 60 groups, of which 58 are one event, a link sees none, and the sums are right', async () => {
    const fields = { group_by: ['properties.plan'], limit: 1_000, count_mode: 'raw' }
    expect((await ask(routes.query, fields, false)).body.rows).toHaveLength(ALONE + 2)
    const { body } = await ask(routes.query, fields)
    // The only group of enough people is in `other` too: else `other` and the total would tell of three.
    const all = 2 * (CROWD + 3 + ALONE)
    expect(body.rows).toEqual([{ 'properties.plan': null, event_count: all, other: true }])
    expect(String(body.warnings)).toContain('fewer than five people')
  })

  test('a group stays where the others have enough people without it', async () => {
    const fields = { group_by: ['properties.path'], count_mode: 'raw', limit: 1_000 }
    const { body } = await ask(routes.query, fields)
    const rows = body.rows as Record<string, unknown>[]
    expect(rows.map(row => row['properties.path'])).toEqual(['/home/done', null])
    expect(rows.map(row => row.event_count)).toEqual([CROWD + 3, CROWD + 3 + 2 * ALONE])
  })

  test('an answer about fewer than five people is that about nobody', async () => {
    const common = {
      metrics: ['event_count', 'unique_users', 'sum(value)', 'bounce_rate', 'single_page_rate'],
    }
    for (const group_by of [[], ['date'], ['event'], ['properties.path', 'date']]) {
      const answer = async (value: string) => {
        const filters = [eq('properties.plan', value)]
        return (await ask(routes.query, { ...common, group_by, filters, compare: 'previous' })).body
      }
      const nobody = await answer('nobody')
      expect(await answer('jane-7@example.com')).toEqual(nobody)
      expect(await answer('rare-plan')).toEqual(nobody)
      expect((await answer('free')).rows).not.toEqual(nobody.rows)
    }
  })

  test('everybody is counted in all and by date as before', async () => {
    for (const group_by of [[], ['date']]) {
      const fields = { group_by, metrics: ['event_count', 'unique_users', 'session_count'] }
      expect((await ask(routes.query, fields)).body).toEqual((await ask(routes.query, fields, false)).body)
    }
  })

  test('dates of few people are in one row, beside the others', async () => {
    const fields = { group_by: ['date'], filters: [eq('event', 'page_view')], count_mode: 'raw' }
    const { body } = await ask(routes.query, fields)
    const rows = body.rows as { date: string | null; event_count: number }[]
    expect(rows.filter(({ date }) => date === null)).toHaveLength(1)
    expect(rows.map(({ date }) => date)).not.toContain('2026-11-16')
    expect(rows.reduce((sum, row) => sum + row.event_count, 0)).toBe(CROWD + 3 + ALONE)
  })
})

test.each<[string, Route, (value: string) => Record<string, unknown>]>([
  ['funnel', routes.funnel, value => ({ steps: stepOf(value) })],
  ['funnel by country', routes.funnel, value => ({ steps: stepOf(value), breakdown: 'country' })],
  ['breakdown', routes.breakdown, event => ({ property: 'plan', event })],
  ['conversion', routes.conversion, from => ({ by: 'country', goal: 'signup', from })],
  ['retention', routes.retention, event => ({ event })],
])('%s: an answer about one person is that about nobody', async (_, route, fields) => {
  const withoutNames = ({ text }: { text: string }) =>
    text.replaceAll(/jane-7@example.com|secret_order_7/g, 'nobody')
  const value = route === routes.funnel ? 'jane-7@example.com' : 'secret_order_7'
  const found = withoutNames(await ask(route, fields(value)))
  expect(found).toBe(withoutNames(await ask(route, fields('nobody'))))
})

test('the totals of other reports hold what their lists leave out', async () => {
  const { body: stats } = await ask(routes.stats)
  const total = (stats.totals as { total_events: number }).total_events
  const sumOf = (list: unknown) => (list as { count: number }[]).reduce((sum, each) => sum + each.count, 0)
  const other = stats.other as { events: number; countries: number }
  expect(total).toBe(2 * (CROWD + 3 + ALONE))
  expect(sumOf(stats.events) + other.events).toBe(total)
  expect(sumOf(stats.countries) + other.countries).toBe(total)
  const { body: paths } = await ask(routes.breakdown, { property: 'path' })
  expect(sumOf(paths.values) + (paths.other as { count: number }).count).toBe(paths.total_with_property)
  const { body: conversion } = await ask(routes.conversion, { by: 'plan', goal: 'signup' })
  expect(conversion.values).toEqual([{ value: 'free', users: CROWD, converted: CROWD, rate: 1 }])
  expect(conversion.other).toMatchObject({ users: 3 + ALONE })
})

test('28 questions with a filter by timestamp do not find the millisecond of an event', async () => {
  let [low, high] = [NOW - 8 * 86_400_000, NOW]
  for (let i = 0; i < 28; i++) {
    const middle = Math.floor((low + high) / 2)
    const filters = [eq('event', 'secret_order_3'), { field: 'timestamp', op: 'lt', value: middle }]
    const { body } = await ask(routes.query, { filters, count_mode: 'raw' })
    const [row] = (body.rows ?? []) as { event_count: number }[]
    if (row === undefined) continue
    if (row.event_count > 0) high = middle
    else low = middle
  }
  expect(high - low).toBeGreaterThan(1_000)
})

test('no warning names a value or a name that the project has', async () => {
  for (const [route, fields] of [
    [routes.query, { filters: [eq('properties.plan', 'jane-7@example.co')] }],
    [routes.query, { filters: [eq('event', 'secret_order')] }],
    [routes.paths, { goal_event: 'secret_orde' }],
    [routes.funnel, { steps: stepOf('jane-7@example.co') }],
  ] as [Route, Record<string, unknown>][]) {
    const { status, body } = await ask(route, fields)
    expect(status).toBe(200)
    expect(String(body.warnings)).not.toMatch(/Did you mean|does not occur/)
  }
})

test('an error about a filter lists no name of an event that one person has sent', async () => {
  const fields = { filters: [eq('plan', 'free')] }
  const { status, text, body } = await ask(routes.query, fields)
  expect([status, body.error]).toEqual([400, 'INVALID_FILTER_FIELD'])
  expect(text).toContain('page_view')
  expect(text).not.toMatch(RARE)
  expect((await ask(routes.query, fields, false)).text).toMatch(RARE)
})

test('each report of the views is asked by one of these questions', () => {
  const asked = new Set<Route>(QUESTIONS.map(([, route]) => route))
  const shown = new Set(Object.values(SHARED_VIEWS).flat())
  // Numbers of bots are about no people.
  shown.delete('botTraffic')
  expect([...shown].filter(name => !asked.has(routes[name]))).toEqual([])
})
