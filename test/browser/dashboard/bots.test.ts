import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { cells, settled, useDashboard, violations } from './dashboard.ts'

/** The view of bots shows what GET /bot-traffic answers. */

const dashboard = useDashboard()

type Delta = { current: number; change_pct: number | null }
type Bots = {
  period: { from: string; to: string }
  summary: { automated_requests: Delta; dropped_events: Delta }
  categories: { category: string; requests: number; dropped_events: number; share_pct: number }[]
  actors: { actor: string; category: string; requests: number; dropped_events: number }[]
  time_series: { date: string; requests: number; dropped_events: number }[]
}

const read = (period: string) =>
  dashboard.get<Bots>(`/bot-traffic?project=demo&period=${period}&limit=50&tz=Europe/Berlin`)
const count = (value: number) => value.toLocaleString('en-GB')
const sorted = (names: string[]) => names.toSorted()

test('numbers, kinds, senders and days are those of the API', async () => {
  const page = await dashboard.open('/app/p/demo/bots?range=14d')
  await settled(page)
  const bots = await read('14d')
  expect(bots.summary.automated_requests.current).toBeGreaterThan(0)
  for (const [name, { current }] of [
    ['requests', bots.summary.automated_requests],
    ['dropped_events', bots.summary.dropped_events],
  ] as const) {
    expect(await page.locator(`[data-number="${name}"] dd button`).innerText()).toBe(count(current))
  }
  const kinds = await cells(page, 'Kinds by requests')
  expect(kinds.map(row => [row[1], row[3]])).toEqual(
    bots.categories.map(({ requests, dropped_events }) => [count(requests), count(dropped_events)]),
  )
  const senders = await cells(page, 'Senders by requests')
  expect(senders.map(row => row.slice(0, 2))).toEqual(
    bots.actors.map(({ actor, requests }) => [actor, count(requests)]),
  )
  expect(await cells(page, 'Requests of bots by day')).toEqual(
    bots.time_series.map(({ date, requests, dropped_events }) => [
      date,
      String(requests),
      String(dropped_events),
    ]),
  )
})

test('by keyboard alone: a kind chooses its senders, and its address shows the same', async () => {
  const page = await dashboard.open('/app/p/demo/bots?range=30d')
  await settled(page)
  const { categories, actors } = await read('30d')
  const { category } = categories[0] as Bots['categories'][number]
  const kinds = page.getByRole('table', { name: 'Kinds by requests' })
  await kinds.getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/kind=/)
  const expected = actors.filter(each => each.category === category).map(({ actor }) => actor)
  const shown = async () => sorted((await cells(page, 'Senders by requests')).map(([name = '']) => name))
  await expect.poll(shown).toEqual(sorted(expected))
  await page.reload()
  await settled(page)
  expect(await shown()).toEqual(sorted(expected))
  await page.getByRole('link', { name: 'All senders' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await shown()).length).toBe(actors.length)
})

test('a range that the read does not know is said', async () => {
  const page = await dashboard.open('/app/p/demo/bots?from=2026-01-01&to=2026-01-31')
  await settled(page)
  await page.getByText('this read knows the last 1, 7, 14, 30 and 90 dates alone').waitFor()
})

test('the name of a hostile sender stays text, and a project without bots says so', async () => {
  const name = `bots-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  const page = await dashboard.open(`/app/p/${name}/bots?range=7d`)
  await page.getByText('No bot has come').waitFor()
  const hostile = `<img/src=x/onerror=alert(1)>crawler`
  const sent = await fetch(`${dashboard.service.baseUrl}/track`, {
    method: 'POST',
    headers: { 'User-Agent': hostile, 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, event: 'page_view' }),
  })
  expect(sent.ok).toBe(true)
  await expect
    .poll(async () => {
      await page.reload()
      await settled(page)
      return page.getByRole('table', { name: 'Senders by requests' }).count()
    })
    .toBe(1)
  expect((await cells(page, 'Senders by requests'))[0]?.[0]).toMatch(/crawler$/)
  expect(await page.locator('main img, main script').count()).toBe(0)
})

test('the senders have one CSV file, which says more than the list', async () => {
  const page = await dashboard.open('/app/p/demo/bots?range=14d')
  await settled(page)
  const panel = page.getByRole('region', { name: 'Senders', exact: true })
  const buttons = panel.getByRole('button', { name: /CSV/ })
  expect(await buttons.count()).toBe(1)
  const [download] = await Promise.all([page.waitForEvent('download'), buttons.click()])
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(head).toBe('sender,kind,requests,events_not_stored,last_seen_at')
  const { actors } = await read('14d')
  expect(rows.map(row => row.split(',').slice(0, 4))).toEqual(
    actors.map(({ actor, category, requests, dropped_events }) => [
      ...[actor, category, String(requests), String(dropped_events)],
    ]),
  )
  expect(rows[0]).toMatch(/,\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)
})

test('bots are accessible, light and dark', async () => {
  const page = await dashboard.open('/app/p/demo/bots?kind=search_crawler')
  await settled(page)
  expect(await violations(page)).toEqual([])
})
