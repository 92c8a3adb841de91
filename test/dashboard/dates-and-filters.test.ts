import { beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '#dashboard/api'
import { type Address, DEFAULTS } from '#dashboard/url'
import { uses, viewNamed, views } from '#dashboard/views'
import { requests as bots } from '#dashboard/views/bots/requests'
import { requests as events } from '#dashboard/views/events/requests'
import { requests as funnel } from '#dashboard/views/funnel/requests'
import { requests as heatmap } from '#dashboard/views/heatmap/requests'
import { requests as overview } from '#dashboard/views/overview/requests'
import { requests as pages } from '#dashboard/views/pages/requests'
import { requests as paths } from '#dashboard/views/paths/requests'
import { requests as people } from '#dashboard/views/people/requests'
import { requests as retention } from '#dashboard/views/retention/requests'
import { requests as revenue } from '#dashboard/views/revenue/requests'
import { requests as sessions } from '#dashboard/views/sessions/requests'
import { requests as sources } from '#dashboard/views/sources/requests'
import { compare } from '#schemas/compare'
import { routes } from '#schemas/routes'
import { useDrawings } from './drawn-view.ts'
import { count } from './reader.ts'

/** Chosen dates and filters reach every number of a view, or its head says why they do not. */

const FILTERS = [
  { field: 'country', op: 'eq', value: 'DE' },
  { field: 'properties.path', op: 'neq', value: 'two\nlines' },
  { field: 'channel', op: 'eq', value: 'email' },
  { field: 'event', op: 'eq', value: 'search', of: 'session' },
  { field: 'country', op: 'neq', value: 'FR', of: 'person' },
  { field: 'did', op: 'eq', value: 'signup' },
  { field: 'did', op: 'neq', value: 'purchase' },
  { field: 'segment', op: 'eq', value: 'buyers' },
] as const
/** What reads are asked with, each for its filter. */
const CONDITIONS = [
  ...FILTERS.slice(0, 3),
  { session: { field: 'event', op: 'eq', value: 'search' } },
  { person: { field: 'country', op: 'neq', value: 'FR' } },
  { did: { event: 'signup' } },
  { not: { did: { event: 'purchase' } } },
  { segment: 'buyers' },
]
const [FROM, TO] = ['2026-03-02', '2026-03-15']

const REQUESTS: Record<string, [(context: { address: Address; project: string }) => object, string[]]> = {
  overview: [overview, ['', 'course=events', 'course=page_views&goal=signup', 'goal=/docs/**']],
  pages: [pages, ['', 'list=entry&goal=/thanks', 'goal=signup']],
  sources: [sources, ['', 'goal=signup', 'by=utm_source&goal=signup']],
  revenue: [revenue, ['', 'event=signup&by=channel']],
  events: [events, ['event=signup&prop=plan']],
  funnel: [funnel, ['step=page_view&step=signup&lost=1']],
  retention: [retention, ['cell=2026-03-02:1']],
  paths: [paths, ['goal=signup']],
  heatmap: [heatmap, ['']],
  sessions: [sessions, ['']],
  people: [people, ['', 'user=u1']],
}

/** Names to choose from, which are no numbers; a deletion that is only tried. */
const NO_NUMBERS = ['GET /properties', 'DELETE /users/{id}']

function callsOf(view: string, own: string, changes: Partial<Address> = {}): Call[] {
  const values = [...new URLSearchParams(own).keys()].map(name => [
    name,
    new URLSearchParams(own).getAll(name),
  ])
  const address: Address = {
    ...{ ...DEFAULTS, area: 'account', project: 'demo', view, own: Object.fromEntries(values) },
    ...{ range: { from: FROM, to: TO }, filters: FILTERS, tz: 'UTC', ...changes },
  }
  const [requests] = REQUESTS[view] as (typeof REQUESTS)[string]
  return Object.values(requests({ address, project: 'demo' })) as Call[]
}

/** Whether a route takes a last date. */
function isDated({ endpoint }: Call): boolean {
  const row = Object.values(routes).find(({ method, path }) => `${method} ${path}` === endpoint)
  const { query, body } = row as { query?: { shape?: object }; body?: { shape?: object } }
  return 'until' in { ...query?.shape, ...body?.shape }
}

const PLACES = Object.entries(REQUESTS).flatMap(([view, [, owns]]) => owns.map(own => [view, own] as const))

describe.each(PLACES)('%s?%s', (view, own) => {
  test('asks every number with the chosen dates and filters', () => {
    const dated = callsOf(view, own).filter(isDated)
    expect(dated.length).toBeGreaterThan(0)
    for (const { endpoint, values } of dated) {
      expect(values.until ?? values.date_to, endpoint).toBe(TO)
      if (endpoint !== 'GET /retention') expect(values.since ?? values.date_from, endpoint).toBe(FROM)
      if (NO_NUMBERS.includes(endpoint)) continue
      const chosen = JSON.stringify([values.where, values.filters])
      for (const condition of CONDITIONS) expect(chosen, endpoint).toContain(JSON.stringify(condition))
    }
  })

  test('asks with no last date for a range that ends now', () => {
    for (const { values } of callsOf(view, own, { range: { label: '7d' }, filters: [] }))
      expect([values.until, values.date_to, values.where]).toEqual([undefined, undefined, undefined])
  })
})

test.each(['overview', 'pages', 'revenue'])('%s asks each comparison in a form that reads take', view => {
  const comparisons = ['previous', 'weekdays', 'year', { from: '2026-01-01', to: '2026-01-07' }] as const
  for (const comparison of comparisons) {
    const compared = callsOf(view, '', { comparison }).flatMap(({ values }) => values.compare ?? [])
    expect(compared.length, JSON.stringify(comparison)).toBeGreaterThan(0)
    for (const each of compared) expect(compare.parse(each)).not.toBeNull()
  }
  expect(callsOf(view, '', { comparison: 'none' }).flatMap(({ values }) => values.compare ?? [])).toEqual([])
})

const account = (changes: Partial<Address>): Address => ({
  ...{ ...DEFAULTS, area: 'account', project: 'demo', view: 'overview', ...changes },
})

test('every view whose numbers depend on dates has a row here', () => {
  const dated = views.filter(row => uses(row, 'dates', account({ view: row.name })))
  expect(dated.map(({ name }) => name).toSorted()).toEqual(Object.keys(REQUESTS).toSorted())
})

test('the switch of audiences stands only where it changes the numbers, the comparison where there is one', () => {
  const shows = (what: 'audience' | 'comparison', changes: Partial<Address> = {}) =>
    ['sites', ...Object.keys(REQUESTS), 'bots', 'live'].filter(name =>
      uses(viewNamed(name), what, account({ view: name, ...changes })),
    )
  expect(shows('audience')).toEqual(['overview'])
  expect(shows('comparison')).toEqual(['overview', 'pages', 'sources', 'revenue'])
  expect(shows('comparison', { audience: 'bots' })).toEqual(['pages', 'sources', 'revenue'])
  expect(bots({ address: account({}), project: 'demo' }).bots.endpoint).toBe('GET /bot-traffic')
})

const drawings = useDrawings()

test('the overview of chosen dates and a filter has the totals of the API, and hours of one day', async () => {
  const { period } = await drawings.get<{ period: { to: string } }>('/stats?project=demo&since=3d&tz=UTC')
  const day = new Date(Date.parse(period.to) - 2 * 86_400_000).toISOString().slice(0, 10)
  const page = await drawings.draw(`/app/p/demo?from=${day}&to=${day}&tz=UTC&f=country:eq:DE`)
  const stats = await drawings.get<{
    totals: { total_events: number }
    sessions: { total_sessions: number }
  }>(`/stats?project=demo&since=${day}&until=${day}&tz=UTC&filter=country:eq:DE`)
  expect(stats.totals.total_events).toBeGreaterThan(0)
  expect(page.tile('events')).toBe(count(stats.totals.total_events))
  expect(page.tile('sessions')).toBe(count(stats.sessions.total_sessions))
  expect(page.cells('Visitors by hour')).toHaveLength(24)
})

test.each(['overview', 'pages', 'sources', 'funnel', 'retention', 'paths', 'heatmap'])(
  'the view %s of a share link says where its filters do not hold',
  async view => {
    const body = { views: ['overview', 'pages', 'sources', 'funnel', 'retention', 'paths', 'heatmap'] }
    const { url } = await drawings.post<{ url: string }>('/projects/demo/share-links', body, 201)
    const own = view === 'funnel' ? 'step=page_view&step=signup' : 'goal=signup'
    const path = `${new URL(url).pathname}/${view}?${own}&range=14d&f=country:eq:DE`
    const page = await drawings.draw(path, { isSignedOut: true })
    expect(page.asked.filter(({ status }) => status >= 400)).toEqual([])
    const says = /Not filtered: a share link|its filters do not hold here/.test(page.text('.page'))
    expect(says).toBe(view !== 'overview')
  },
)

beforeAll(async () => {
  const where = { not: { field: 'country', op: 'eq', value: 'FR' } }
  await drawings.put('/projects/demo/segments/by-filter', { where }, 201)
})

test.each(Object.keys(REQUESTS))(
  'the view %s answers for people who did something, sessions with it, and a segment',
  async view => {
    const own = { funnel: 'step=page_view&step=signup', paths: 'goal=signup', sources: 'goal=signup' }[view]
    const filters = 'f=did:eq:signup&f=session.event:eq:page_view&f=segment:eq:by-filter'
    const page = await drawings.draw(`/app/p/demo/${view}?${own ?? ''}&range=14d&${filters}`)
    expect(page.asked.filter(({ status }) => status >= 400)).toEqual([])
    expect(page.all('.filters .chip.off')).toEqual([])
    expect(page.texts('.filters .chip .words')).toEqual([
      ...['Visitors who did signup', 'Sessions with Page view', 'Segment by-filter'],
    ])
  },
)

test('a share link says which filters it cannot hold', async () => {
  const { url } = await drawings.post<{ url: string }>('/projects/demo/share-links', {}, 201)
  const path = `${new URL(url).pathname}?range=14d&f=country:eq:DE&f=did:eq:signup`
  const page = await drawings.draw(path, { isSignedOut: true })
  expect(page.texts('.filters .chip.off .words')).toEqual(['Visitors who did signup'])
  expect(page.text('.filters')).toContain('what is struck through does not hold')
  expect(page.asked.filter(({ status }) => status >= 400)).toEqual([])
})

test('what has fixed periods offers no other dates, and says so where some are chosen', async () => {
  for (const path of ['/app/p/demo/bots', '/app/p/demo?who=agents', '/app']) {
    const page = await drawings.draw(path)
    const ranges = page.texts('select option').filter(text => /^(Today|Last|Choose)/.test(text))
    expect(ranges, path).toEqual(['Today', ...[7, 14, 30, 90].map(days => `Last ${days} days`)])
    expect(page.texts('.why'), path).toEqual([])
    const chosen = await drawings.draw(
      `${path}${path.includes('?') ? '&' : '?'}from=2026-01-01&to=2026-01-31`,
    )
    expect(chosen.text('.why'), path).toContain('fixed periods')
  }
})
