import { expect, test } from 'vitest'
import { addDays } from '#dashboard/range'
import { eventually } from '#test/support/eventually'
import { useDrawings } from './drawn-view.ts'
import { count, HOSTILE, rate } from './reader.ts'

/** The overview and the list of sites show the numbers of the API. */

const drawings = useDrawings()

const ZONE = 'tz=Europe/Berlin'
const DATED = { project: 'demo', date_from: '13d', tz: 'Europe/Berlin' }

type Stats = {
  totals: { unique_users: number; total_events: number }
  sessions: { total_sessions: number; bounce_rate: number; single_page_rate: number }
  period: { from: string; to: string }
  timeSeries: { bucket: string; unique_users: number }[]
}
type Sources = { rows: { value: string | null; sessions: number }[] }
type Query = { rows: Record<string, string | number | null>[] }

test('a country has its letters and a device its sign beside the name, and neither is part of the name', async () => {
  const page = await drawings.draw('/app/p/demo?range=14d')
  expect(page.all('a.label [data-code="DE"][aria-hidden="true"]')).toHaveLength(1)
  expect(page.cells('Places by visitors').map(([name]) => name)).toContain('Germany')
  const devices = page.cells('Devices by visitors').map(([name]) => name)
  expect(devices).toContain('desktop')
  expect(page.all('a.label svg.value-icon[aria-hidden="true"] path')).toHaveLength(devices.length)
  for (const tab of ['Browser', 'System']) {
    const other = await drawings.draw(page.linkOf(tab))
    expect(other.all('a.label svg.value-icon path').length).toBeGreaterThan(1)
  }
})

test('the overview shows the numbers of the API: totals, the course, and lists', async () => {
  const page = await drawings.draw('/app/p/demo?range=14d')
  const stats = await drawings.get<Stats>(`/stats?project=demo&since=13d&${ZONE}`)
  expect(page.tile('visitors')).toBe(count(stats.totals.unique_users))
  expect(page.tile('events')).toBe(count(stats.totals.total_events))
  expect(page.tile('sessions')).toBe(count(stats.sessions.total_sessions))
  expect(page.tile('bounce_rate')).toBe(rate(stats.sessions.bounce_rate))
  expect(page.tile('single_page_rate')).toBe(rate(stats.sessions.single_page_rate))
  expect(
    page.all('[data-number="single_page_rate"] .change.good, [data-number="single_page_rate"] .change.bad'),
  ).toEqual([])
  // The API leaves out a day without events, such as the new one soon after midnight.
  const visitors = new Map(stats.timeSeries.map(({ bucket, unique_users }) => [bucket, unique_users]))
  const days = Array.from({ length: 14 }, (_, i) => addDays(stats.period.from, i))
  expect(days.at(-1)).toBe(stats.period.to)
  expect(page.cells('Visitors by day').map(row => row.slice(0, 2))).toEqual(
    days.map(day => [day, String(visitors.get(day) ?? 0)]),
  )
  const { rows } = await drawings.post<Query>('/query', {
    ...{ ...DATED, metrics: ['unique_users'], limit: 10, group_by: ['properties.path'] },
    filters: [{ field: 'event', op: 'eq', value: 'page_view' }],
  })
  expect(page.cells('Pages by visitors')).toEqual(
    rows.filter(({ other }) => !other).map(row => [row['properties.path'], count(row.unique_users)]),
  )
  const sources = await drawings.get<Sources>(`/sources?project=demo&by=source&since=13d&limit=10&${ZONE}`)
  expect(page.cells('Sessions by source')).toEqual(
    sources.rows.map(({ value, sessions }) => [value ?? 'Direct', count(sessions)]),
  )
})

test.each([
  ['page_views', 'Page views', 'event_count', [{ field: 'event', op: 'eq', value: 'page_view' }]],
  ['sessions', 'Sessions', 'session_count', []],
  ['bounce_rate', 'Without interaction', 'bounce_rate', []],
  ['single_page_rate', 'One page only', 'single_page_rate', []],
  ['duration', 'Duration', 'avg_duration', []],
])('the line of %s is that of the API, by date and for one by hour', async (name, title, metric, filters) => {
  const from = addDays(new Date().toISOString().slice(0, 10), -3)
  const asked = { ...DATED, metrics: [metric], count_mode: 'raw', filters, limit: 1000 }
  // The others by hour are the same but for the metric.
  const hours = name === 'duration' ? [[from, 'hour'] as const] : []
  for (const [to, interval] of [[addDays(from, 2), 'day'] as const, ...hours]) {
    const page = await drawings.draw(`/app/p/demo?from=${from}&to=${to}&course=${name}&compare=none`)
    const { rows } = await drawings.post<Query>('/query', {
      ...{ ...asked, date_from: from, date_to: to },
      group_by: interval === 'day' ? ['date'] : ['date', 'hour'],
    })
    const known = new Map(
      rows.map(row => [
        interval === 'day' ? row.date : `${row.date}T${String(row.hour).padStart(2, '0')}:00`,
        row[metric],
      ]),
    )
    const none = metric.endsWith('_count') ? 0 : null
    const shown = page.cells(`${title} by ${interval}`)
    expect(shown).toHaveLength(interval === 'day' ? 3 : 24)
    expect(rows.length).toBeGreaterThan(0)
    for (const [bucket, value] of shown)
      expect(value, `${bucket}`).toBe(cellOf((known.get(`${bucket}`) ?? none) as number | null))
    if (name === 'page_views' && interval === 'day')
      expect(page.tile('page_views')).toBe(
        count(rows.reduce((sum, { event_count }) => sum + Number(event_count), 0)),
      )
  }
})

/** A number of the table behind a chart. */
function cellOf(value: number | null): string {
  return value === null ? '–' : value.toLocaleString('en-GB')
}

test('each comparison shows the numbers that the API has for its dates, and its words name these dates', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const [from, to] = [addDays(today, -6), addDays(today, -2)]
  for (const [comparison, first, last, words] of [
    ['weekdays', addDays(from, -7), addDays(to, -7), 'against the same weekdays before, '],
    [`${addDays(from, -9)}..${addDays(from, -8)}`, addDays(from, -9), addDays(from, -8), 'chosen dates, '],
  ] as const) {
    const page = await drawings.draw(`/app/p/demo?from=${from}&to=${to}&compare=${comparison}`)
    const before = await drawings.get<Stats>(`/stats?project=demo&since=${first}&until=${last}&${ZONE}`)
    const change = page.all('[data-number="events"] .change')[0]
    expect(change?.attribs.title).toContain(`: ${count(before.totals.total_events)}`)
    expect(page.text('.toolbar .title')).toContain(words)
    expect(page.text('.toolbar .title').includes('(2 days beside 5)')).toBe(comparison !== 'weekdays')
    const days = before.timeSeries.map(({ unique_users }) => count(unique_users))
    const shown = page.cells('Visitors by day').map(row => row[2])
    expect(shown.slice(0, days.length)).toEqual(days)
  }
})

test('goals of the project stand with their visitors and rate, and each list is by goal', async () => {
  const name = `goals-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const goals = {
    activation_events: ['signup', 'never_sent', '/pri*'],
    goals: [],
    glossary: [],
    annotations: [],
  }
  await drawings.put('/project-context', { project: name, ...goals })
  const visit = (user: string, path: string, event = 'page_view') =>
    drawings.post(
      ...(['/track', { token, event, user_id: user, session_id: user, properties: { path } }, 202] as const),
    )
  for (const user of ['u1', 'u2', 'u3', 'u4']) await visit(user, '/')
  await visit('u1', '/pricing')
  await visit('u2', '/pricing')
  for (const event of ['signup', 'signup']) await visit('u1', '/pricing', event)
  const page = await eventually(async () => {
    const drawn = await drawings.draw(`/app/p/${name}?range=1d&goal=signup`)
    expect(drawn.tile('events')).toBe('8')
    return drawn
  })
  expect(page.cells('Goals by visitors')).toEqual([
    ['signup', '1', '25%', '2'],
    ['never_sent', '0', '0%', '0'],
    ['/pri*', '2', '50%', '–'],
  ])
  expect(page.cells('Pages by visitors')).toEqual([
    ['/', '4 1 (25%)'],
    ['/pricing', '2 1 (50%)'],
  ])
  expect(page.cells('Sessions by source')).toEqual([['Direct', '4 1 (25%)']])
  expect(page.cells('Events by visitors')[1]).toEqual(['signup', '1 1 (100%)'])
  expect(page.text()).toContain('or of its sessions, did signup, and their part')
  const plain = await drawings.draw(`/app/p/${name}?range=1d`)
  expect(plain.cells('Pages by visitors')[0]).toEqual(['/', '4'])

  for (const goal of ['/pricing', '/pri*']) {
    const saw = await drawings.draw(`/app/p/${name}?range=1d&goal=${encodeURIComponent(goal)}`)
    expect(saw.cells('Goals by visitors').at(-1)).toEqual([goal, '2', '50%', '–'])
    expect(saw.cells('Pages by visitors')).toEqual([
      ['/', '4 2 (50%)'],
      ['/pricing', '2 2 (100%)'],
    ])
    expect(saw.cells('Sessions by source')).toEqual([['Direct', '4 2 (50%)']])
    expect(saw.text()).toContain(`or of its sessions, saw ${goal}, and their part`)
    const pages = await drawings.draw(
      `/app/p/${name}/pages?range=1d&compare=none&goal=${encodeURIComponent(goal)}`,
    )
    expect(pages.cells('Pages by visitors').map(row => [row[0], ...row.slice(-2)])).toEqual([
      ['/', '2', '50%'],
      ['/pricing', '2', '100%'],
    ])
    const entries = await drawings.draw(`${pages.linkOf('Entry pages')}`)
    expect(entries.cells('Entry pages by sessions').map(row => [row[0], ...row.slice(-2)])).toEqual([
      ['/', '2', '50%'],
    ])
    expect(saw.text().includes('as a goal of the project')).toBe(goal === '/pricing')
  }
})

test('a project without goals says where they are named', async () => {
  const page = await drawings.draw('/app/p/demo?range=14d')
  expect(page.text()).toContain('Name the events and pages that visitors should reach')
})

test('with a filter every number is that of the API for it', async () => {
  const page = await drawings.draw('/app/p/demo?range=14d&f=country:eq:DE')
  expect(page.text('.page')).toContain('Country is Germany')
  const { rows } = await drawings.post<Query>('/query', {
    ...{ ...DATED, metrics: ['unique_users', 'event_count'], count_mode: 'raw' },
    filters: [{ field: 'country', op: 'eq', value: 'DE' }],
  })
  expect(page.tile('visitors')).toBe(count(rows[0]?.unique_users))
  expect(page.tile('events')).toBe(count(rows[0]?.event_count))
})

test('no change is shown if the period before begins before the first event, also for all sites', async () => {
  const changes = (await drawings.draw('/app/p/demo?range=14d')).texts('.tiles .change')
  expect(changes.length).toBeGreaterThan(0)
  for (const change of changes) expect(change).toMatch(/\d%$/)
  // The demo has 30 days of traffic.
  for (const address of [
    '/app/p/demo?range=30d',
    '/app/p/demo?range=30d&f=country:eq:DE',
    '/app?range=30d',
  ]) {
    const page = await drawings.draw(address)
    if (address.startsWith('/app/p/')) {
      // It says so once for all of its numbers, and draws no line of zeros.
      expect(page.texts('.tiles .change'), address).toEqual([])
      expect(page.text('main')).toMatch(
        /No change is shown, because the first event is of \w+, \d+ \w+ \d{4}\./,
      )
      expect(page.cells('Visitors by day')[0]).toHaveLength(2)
    } else {
      expect(new Set(page.texts('.tiles .change'))).toEqual(new Set(['no full period before']))
      expect(page.all('.tiles .change')[0]?.attribs.title).toMatch(
        /^The first event is of \w+, \d+ \w+ \d{4}\.$/,
      )
    }
  }
})

test('programs are counted apart from people', async () => {
  const page = await drawings.draw('/app/p/demo?who=agents&range=30d')
  const { categories } = await drawings.get<{ categories: { category: string; requests: number }[] }>(
    `/bot-traffic?project=demo&period=30d&limit=50&${ZONE}`,
  )
  const requests = categories.find(({ category }) => category === 'ai_agent')?.requests ?? 0
  expect(requests).toBeGreaterThan(0)
  expect(page.tile('requests')).toBe(count(requests))
})

test('the demo shows its numbers to everybody', async () => {
  const page = await drawings.draw('/app/demo?range=7d', { isSignedOut: true })
  const stats = await drawings.get<Stats>(`/stats?project=demo&since=6d&${ZONE}`)
  expect(page.tile('visitors')).toBe(count(stats.totals.unique_users))
})

test('the landing page shows the events of all sites', async () => {
  const page = await drawings.draw('/app')
  // Other tests of the run send events, so another answer would have other numbers.
  type Sites = { summary: { total_events: { current: number } } }
  const { summary } = page.said<Sites>('GET /account/all-sites')
  expect(summary.total_events.current).toBeGreaterThan(0)
  expect(page.tile('events')).toBe(count(summary.total_events.current))
})

test('an empty project says what to do, and hostile text of visitors stays text', async () => {
  const name = `hostile-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  expect((await drawings.draw(`/app/p/${name}`)).text()).toContain('Waiting for the first event')
  const properties = {
    ...{ path: HOSTILE, title: HOSTILE, device: HOSTILE },
    referrer: `javascript:alert(1)//${HOSTILE}`,
  }
  const ids = { user_id: HOSTILE, session_id: 's1' }
  await drawings.post('/track', { token, event: HOSTILE, ...ids, properties }, 202)
  await eventually(async () => {
    const { totals } = await drawings.get<Stats>(`/stats?project=${name}&since=0d`)
    expect(totals.total_events).toBe(1)
  })
  const page = await drawings.draw(`/app/p/${name}?range=1d&course=${encodeURIComponent(HOSTILE)}`)
  expect(page.cells('Events by visitors').map(([label]) => label)).toEqual([HOSTILE])
  expect(page.foreignMarkup()).toEqual([])
})

test('where a site sends page views alone, the part without interaction says what to add', async () => {
  const name = `views-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const sender = { token, user_id: 'u1', session_id: 's1' }
  for (const path of ['/', '/a', '/b'])
    await drawings.post('/track', { ...sender, event: 'page_view', properties: { path } }, 202)
  const page = await eventually(async () => {
    const drawn = await drawings.draw(`/app/p/${name}?range=1d`)
    expect(drawn.tile('events')).toBe('3')
    return drawn
  })
  expect(page.text('[data-number="bounce_rate"]')).toContain('Without interaction')
  expect(
    page.all('[data-number="bounce_rate"] .change.good, [data-number="bounce_rate"] .change.bad'),
  ).toEqual([])
  expect(page.text()).toContain('Only page views have arrived')
  expect((await drawings.draw('/app/p/demo')).text()).not.toContain('Only page views have arrived')
})

test('where the page says so, the reads of the overview are one call, with the same numbers', async () => {
  const [alone, together] = [
    await drawings.draw('/app/p/demo?range=14d'),
    await drawings.draw('/app/p/demo?range=14d', { readsTogether: true }),
  ]
  const reads = alone.asked.filter(({ name }) => ['GET /stats', 'GET /sources', 'POST /query'].includes(name))
  // The cost of them is in cost/system.ts, and test/lambdas/packed-reads.test.ts has the same.
  expect(reads).toHaveLength(6)
  const names = together.asked.map(({ name }) => name)
  expect(names.filter(name => name === 'POST /reads')).toHaveLength(1)
  expect(names).not.toContain('GET /stats')
  expect(names).not.toContain('POST /query')
  for (const tile of ['visitors', 'events', 'sessions', 'bounce_rate', 'single_page_rate'])
    expect(together.tile(tile)).toBe(alone.tile(tile))
  expect(together.cells('Pages by visitors')).toEqual(alone.cells('Pages by visitors'))
  expect(together.cells('Sessions by source')).toEqual(alone.cells('Sessions by source'))
})

test('one refused read of such a call is an error in its own panel', async () => {
  const page = await drawings.draw('/app/p/demo?range=14d', {
    readsTogether: true,
    answer: (url, ask) =>
      url.pathname === '/reads'
        ? ask().then(async response => {
            const { reads } = (await response.json()) as { reads: object[] }
            const body = { error: 'UNAVAILABLE', message: 'The query took too long.' }
            const last = { read: 'POST /query', status: 400, body }
            return Response.json({ reads: [...reads.slice(0, -1), last] })
          })
        : undefined,
  })
  expect(page.text('.page')).toContain('The query took too long.')
  expect(page.tile('visitors')).toMatch(/\d/)
})
