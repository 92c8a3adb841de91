import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import type { Drawn } from './drawn.ts'
import { useDrawings } from './drawn-view.ts'
import { count } from './reader.ts'

/** The view of bots shows what GET /bot-traffic answers. */

const drawings = useDrawings()

type Delta = { current: number; change_pct: number | null }
type Bots = {
  summary: { automated_requests: Delta; dropped_events: Delta }
  categories: { category: string; requests: number; dropped_events: number; share_pct: number }[]
  purposes: { purpose: string; requests: number; dropped_events: number }[]
  actors: {
    actor: string
    category: string
    purpose: string | null
    requests: number
    dropped_events: number
  }[]
  time_series: { date: string; requests: number; dropped_events: number }[]
}

const read = (period: string) =>
  drawings.get<Bots>(`/bot-traffic?project=demo&period=${period}&limit=50&tz=Europe/Berlin`)
/** As a reader in Britain writes a date. */
const dayAndMonth = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    Date.parse(date),
  )
const senders = (page: Drawn) => page.cells('Senders by requests').map(([name = '']) => name)

test('numbers, kinds, senders and days are those of the API', async () => {
  const page = await drawings.draw('/app/p/demo/bots?range=14d')
  const bots = await read('14d')
  expect(bots.summary.automated_requests.current).toBeGreaterThan(0)
  expect(page.tile('requests')).toBe(count(bots.summary.automated_requests.current))
  expect(page.tile('dropped_events')).toBe(count(bots.summary.dropped_events.current))
  expect(page.cells('Kinds by requests').map(row => [row[1], row[3]])).toEqual(
    bots.categories.map(({ requests, dropped_events }) => [count(requests), count(dropped_events)]),
  )
  expect(page.cells('Purposes of crawlers by requests').map(row => [row[1], row[3]])).toEqual(
    bots.purposes
      .toSorted((a, b) => b.requests - a.requests)
      .map(({ requests, dropped_events }) => [count(requests), count(dropped_events)]),
  )
  expect(bots.purposes.map(({ purpose }) => purpose)).toEqual(['train', 'index'])
  const purposes: Record<string, string> = { train: 'training', index: 'search' }
  expect(page.cells('Senders by requests').map(row => row.slice(0, 3))).toEqual(
    bots.actors.map(({ actor, purpose, requests }) => [
      actor,
      purposes[purpose ?? ''] ?? '–',
      count(requests),
    ]),
  )
  expect(page.cells('Requests of bots by day')).toEqual(
    bots.time_series.map(({ date, requests, dropped_events }) => [
      ...[date, String(requests), String(dropped_events)],
    ]),
  )
})

test('a kind chooses its senders', async () => {
  const page = await drawings.draw('/app/p/demo/bots?range=30d')
  const { categories, actors } = await read('30d')
  const [link] = page.all('table[aria-label="Kinds by requests"] a')
  const chosen = await drawings.draw(link?.attribs.href ?? '')
  const expected = actors.filter(({ category }) => category === categories[0]?.category)
  expect(expected.length).toBeGreaterThan(0)
  expect(senders(chosen).toSorted()).toEqual(expected.map(({ actor }) => actor).toSorted())
  expect(senders(await drawings.draw(chosen.linkOf('All senders')))).toHaveLength(actors.length)
})

test('a range that the read does not know is said, and the head has the dates of the numbers', async () => {
  const page = await drawings.draw('/app/p/demo/bots?from=2026-01-01&to=2026-01-31')
  expect(page.text('.why')).toContain('fixed periods')
  const { period } = page.said<{ period: { from: string; to: string } }>('GET /bot-traffic')
  expect(page.text('.toolbar .title p')).toBe(
    [period.from, period.to].map(date => dayAndMonth(date)).join(' – '),
  )
})

test('the name of a hostile sender stays text, and a project without bots says so', async () => {
  const name = `bots-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  expect((await drawings.draw(`/app/p/${name}/bots?range=7d`)).text()).toContain('No bot has come')
  const sent = await fetch(`${drawings.service.baseUrl}/track`, {
    method: 'POST',
    headers: { 'User-Agent': '<img/src=x/onerror=alert(1)>crawler', 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, event: 'page_view' }),
  })
  expect(sent.ok).toBe(true)
  const page = await eventually(async () => {
    const drawn = await drawings.draw(`/app/p/${name}/bots?range=7d`)
    expect(senders(drawn)).toHaveLength(1)
    return drawn
  })
  expect(senders(page)[0]).toMatch(/crawler$/)
  // It has no purpose, so there is no list of purposes.
  expect(page.all('table[aria-label="Purposes of crawlers by requests"]')).toEqual([])
  expect(page.foreignMarkup()).toEqual([])
})
