import { expect, test } from 'vitest'
import { useDrawings } from './drawn-view.ts'
import { change, count, rate } from './reader.ts'

/** The views of pages and sources show what the API answers. */

const drawings = useDrawings()

const DATED = { project: 'demo', date_from: '13d', tz: 'Europe/Berlin', count_mode: 'raw', limit: 50 }
const ZONE = 'project=demo&since=13d&tz=Europe/Berlin'

type Query = { rows: Record<string, string | number | null>[] }

test('pages are listed by visitors, and by the sessions that begin and end on them', async () => {
  const page = await drawings.draw('/app/p/demo/pages?range=14d&compare=none')
  const { rows } = await drawings.post<Query>('/query', {
    ...DATED,
    metrics: ['unique_users', 'event_count', 'session_count', 'bounce_rate'],
    group_by: ['properties.path'],
    filters: [{ field: 'event', op: 'eq', value: 'page_view' }],
  })
  const expected = rows
    .filter(({ other }) => !other)
    .map(row => [
      row['properties.path'],
      ...[row.unique_users, row.event_count, row.session_count].map(count),
      rate(row.bounce_rate),
    ])
  expect(expected.length).toBeGreaterThan(0)
  expect(page.cells('Pages by visitors')).toEqual(expected.slice(0, 50))
  const entries = await drawings.draw(page.linkOf('Entry pages'))
  const ends = await drawings.get<{ entry_pages: { page: string; sessions: number }[] }>(
    `/pages?type=both&limit=50&${ZONE}`,
  )
  expect(entries.cells('Entry pages by sessions').map(row => row.slice(0, 2))).toEqual(
    ends.entry_pages.map(each => [each.page, count(each.sessions)]),
  )
  const lengths = await drawings.get<{ distribution: { bucket: string; sessions: number }[] }>(
    `/sessions/distribution?${ZONE}`,
  )
  expect(entries.cells('Sessions by length').map(([, sessions]) => sessions?.split(' ')[0])).toEqual(
    lengths.distribution.map(({ sessions }) => count(sessions)),
  )
  expect(entries.cells('Sessions by length')[1]?.[0]).toBe('Up to 10 seconds')
})

test('each page and each entry page has its change against the dates before', async () => {
  const page = await drawings.draw('/app/p/demo/pages?range=7d')
  const asked = {
    ...{ ...DATED, date_from: '6d', limit: 200, metrics: ['unique_users'], compare: 'previous' },
    group_by: ['properties.path'],
    filters: [{ field: 'event', op: 'eq', value: 'page_view' }],
  }
  const { rows, previous } = await drawings.post<Query & { previous: Query }>('/query', asked)
  const before = new Map(previous.rows.map(row => [row['properties.path'], Number(row.unique_users)]))
  const expected = rows.slice(0, 50).map(row => {
    const was = before.get(row['properties.path'] as string)
    return [row['properties.path'], was === undefined ? 'new' : change(Number(row.unique_users), was)]
  })
  expect(expected.filter(([, text]) => text !== 'new').length).toBeGreaterThan(10)
  expect(page.cells('Pages by visitors').map(([path, , text]) => [path, text])).toEqual(expected)

  const ends = await drawings.draw(page.linkOf('Entry pages'))
  type Ends = { entry_pages: { page: string; sessions: number }[] }
  const body = await drawings.get<Ends & { previous: Ends }>(
    '/pages?project=demo&since=6d&tz=Europe/Berlin&type=both&limit=200&compare=previous',
  )
  const [first] = body.entry_pages
  const was = body.previous.entry_pages.find(each => each.page === first?.page)?.sessions ?? 0
  expect(ends.cells('Entry pages by sessions')[0]?.slice(0, 3)).toEqual([
    first?.page,
    count(first?.sessions),
    change(first?.sessions ?? 0, was),
  ])
})

test('each source has its change against the dates before, by channel and by campaign source', async () => {
  const page = await drawings.draw('/app/p/demo/sources?range=7d')
  type Sources = { rows: { value: string | null; sessions: number }[] }
  const { rows, previous } = await drawings.get<Sources & { previous: Sources }>(
    '/sources?project=demo&by=channel&since=6d&tz=Europe/Berlin&compare=previous&limit=200',
  )
  const changes = rows.map(({ value, sessions }) => {
    const was = previous.rows.find(row => row.value === value)?.sessions
    return was === undefined ? 'new' : change(sessions, was)
  })
  expect(changes.filter(text => text !== 'new').length).toBeGreaterThan(2)
  expect(page.cells('Sessions by channel').map(row => row[2])).toEqual(changes)
  const campaigns = await drawings.draw('/app/p/demo/sources?range=7d&by=utm_source')
  expect(campaigns.cells('Sources by visitors')[0]?.[2]).toMatch(/%|new/)
  const alone = await drawings.draw('/app/p/demo/sources?range=7d&compare=none')
  expect(alone.cells('Sessions by channel')[0]).toHaveLength(5)
})

test('a list whose compared dates began before the first event says why it has no change', async () => {
  const page = await drawings.draw('/app/p/demo/pages?range=30d')
  expect(page.text('main')).toContain('No change is shown, because the first event is of ')
  expect(page.cells('Pages by visitors')[0]).toHaveLength(5)
})

test('sources are listed by any utm field, and by the part of their users that sent an event', async () => {
  const page = await drawings.draw('/app/p/demo/sources?range=14d&by=utm_source')
  const { rows } = await drawings.post<Query>('/query', {
    ...{ ...DATED, metrics: ['unique_users'], group_by: ['properties.utm_source'] },
  })
  const named = rows.filter(row => !row.other && row['properties.utm_source'] !== null)
  expect(named.length).toBeGreaterThan(0)
  expect(page.cells('Sources by visitors').map(row => row.slice(0, 2))).toEqual(
    named.map(row => [row['properties.utm_source'], count(row.unique_users)]),
  )
  const goal = await drawings.draw('/app/p/demo/sources?range=14d&by=utm_source&goal=signup')
  const { values, rate: all } = await drawings.get<{
    rate: number
    values: { value: string; users: number; converted: number; rate: number }[]
  }>(`/conversion?goal=signup&by=utm_source&limit=50&${ZONE}`)
  expect(goal.text('.num.inline')).toBe(rate(all))
  expect(goal.cells('Sources by conversion')).toEqual(
    values.map(each => [each.value, count(each.users), count(each.converted), rate(each.rate)]),
  )
})

test('sessions are listed by channel, source and landing page, with a goal', async () => {
  type Row = {
    value: string | null
    channel?: string
    sessions: number
    people: number
    conversions?: number
  }
  const read = (query: string) => drawings.get<{ rows: Row[] }>(`/sources?${query}&limit=50&${ZONE}`)
  const page = await drawings.draw('/app/p/demo/sources?range=14d&goal=signup')
  const { rows } = await read('by=channel&goal=signup')
  expect(rows.length).toBeGreaterThan(2)
  const numbers = page
    .cells('Sessions by channel')
    .map(([, visits, , visitors, , , converted]) => [visits, visitors, converted])
  expect(numbers).toEqual(
    rows.map(({ sessions, people, conversions }) =>
      [sessions, people, conversions].map(number => count(number ?? null)),
    ),
  )
  const bySource = await drawings.draw(page.linkOf('Source'))
  const named = (await read('by=source')).rows
  expect(bySource.cells('Sessions by source').map(([name]) => name)).toEqual(
    named.map(({ value, channel }) => value ?? (channel === 'direct' ? 'Direct' : 'No source')),
  )
  // A row is a filter, and it holds for every number of every view.
  const search = await drawings.draw(
    '/app/p/demo/sources?range=14d&by=landing_page&f=channel:eq:organic_search',
  )
  const chosen = (await read('by=landing_page&filter=channel:eq:organic_search')).rows
  expect(chosen.length).toBeGreaterThan(0)
  expect(search.cells('Sessions by landing page').map(row => row.slice(0, 2))).toEqual(
    chosen.map(({ value, sessions }) => [value ?? '(no page)', count(sessions)]),
  )
  for (const view of ['', '/events?event=page_view', '/retention']) {
    const filtered = await drawings.draw(
      `/app/p/demo${view}${view.includes('?') ? '&' : '?'}range=14d&f=channel:eq:organic_search`,
    )
    expect(
      filtered.asked.filter(({ status }) => status >= 400),
      view,
    ).toEqual([])
  }
})
