import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { settled, useDashboard, violations } from './dashboard.ts'

const dashboard = useDashboard()

const ZONE = 'tz=Europe/Berlin'
const count = (value: number) => value.toLocaleString('en-GB')

/** The number of a tile, as it is shown. */
function tile(page: Page, name: string): Promise<string> {
  return page.locator(`[data-number="${name}"] .num`).innerText()
}

/** The rows of a list: label and number. */
function rows(page: Page, list: string): Promise<string[][]> {
  return page
    .getByRole('table', { name: `${list} by visitors` })
    .locator('tbody tr')
    .evaluateAll(each => each.map(row => [...row.children].map(cell => cell.textContent?.trim() ?? '')))
}

type Stats = {
  totals: { unique_users: number; total_events: number }
  sessions: { total_sessions: number; bounce_rate: number }
  timeSeries: { bucket: string; unique_users: number }[]
}
type Query = { rows: Record<string, string | number | null>[] }

test('the overview shows the numbers of the API: totals, the course, and lists', async () => {
  const page = await dashboard.open('/app/p/demo?range=14d')
  await settled(page)
  const stats = await dashboard.get<Stats>(`/stats?project=demo&since=13d&${ZONE}`)
  expect(await tile(page, 'visitors')).toBe(count(stats.totals.unique_users))
  expect(await tile(page, 'events')).toBe(count(stats.totals.total_events))
  expect(await tile(page, 'sessions')).toBe(count(stats.sessions.total_sessions))
  expect(await tile(page, 'bounce_rate')).toBe(
    stats.sessions.bounce_rate.toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 }),
  )
  const course = await page
    .locator('table.data tbody tr')
    .evaluateAll(each => each.map(row => [...row.children].slice(0, 2).map(cell => cell.textContent)))
  expect(course).toEqual(stats.timeSeries.map(({ bucket, unique_users }) => [bucket, String(unique_users)]))
  const query = {
    project: 'demo',
    date_from: '13d',
    tz: 'Europe/Berlin',
    metrics: ['unique_users'],
    limit: 10,
  }
  const pages = await dashboard.post<Query>('/query', {
    ...query,
    group_by: ['properties.path'],
    filters: [{ field: 'event', op: 'eq', value: 'page_view' }],
  })
  const expected = pages.rows.filter(({ other }) => !other)
  expect(await rows(page, 'Pages')).toEqual(
    expected.map(row => [row['properties.path'], count(Number(row.unique_users))]),
  )
  expect((await rows(page, 'Sources')).map(([name]) => name)).not.toContain('www.example.com')
})

test('a click on a value filters every number, the address has the filter, and back takes it away', async () => {
  const page = await dashboard.open('/app/p/demo?range=14d')
  await settled(page)
  const before = await tile(page, 'visitors')
  await page.getByRole('link', { name: 'Germany' }).click()
  await page.getByText('country is Germany').waitFor()
  await settled(page)
  expect(new URL(page.url()).searchParams.getAll('f')).toEqual(['country:eq:DE'])
  const { rows: totals } = await dashboard.post<Query>('/query', {
    project: 'demo',
    date_from: '13d',
    tz: 'Europe/Berlin',
    metrics: ['unique_users', 'event_count'],
    count_mode: 'raw',
    filters: [{ field: 'country', op: 'eq', value: 'DE' }],
  })
  expect(await tile(page, 'visitors')).toBe(count(Number(totals[0]?.unique_users)))
  expect(await tile(page, 'events')).toBe(count(Number(totals[0]?.event_count)))
  await page.reload()
  await settled(page)
  expect(await tile(page, 'visitors')).toBe(count(Number(totals[0]?.unique_users)))
  await page.goBack()
  await settled(page)
  expect(await tile(page, 'visitors')).toBe(before)
})

test('by keyboard alone: a filter, a range, the list of keys, and a jump by the palette', async () => {
  const page = await dashboard.open('/app/p/demo')
  await settled(page)
  await page.keyboard.press('f')
  await page.getByRole('combobox', { name: 'Field' }).selectOption('country')
  await page.getByRole('combobox', { name: 'Value' }).fill('FR')
  await page.keyboard.press('Enter')
  await page.getByText('country is France').waitFor()
  await page.keyboard.press('2')
  await page.waitForURL(/range=7d/)
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Jump to/ }).fill('all sites')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname === '/app')
})

test('the palette stays open when the dialog before it says late that it is closed', async () => {
  const page = await dashboard.open('/app/p/demo')
  await settled(page)
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.evaluate(async () => {
    const keys = document.querySelector('dialog[open]') as HTMLDialogElement
    const isClosed = new Promise(done => keys.addEventListener('close', done))
    // The event of closing comes after this task.
    keys.close()
    dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
    await isClosed
  })
  await page.getByRole('combobox', { name: /Jump to/ }).fill('all sites')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname === '/app')
})

test('a number can be questioned: its meaning, its receipt, and calls that give the same number', async () => {
  const page = await dashboard.open('/app/p/demo?range=14d')
  await settled(page)
  await page.locator('[data-number="visitors"] .num').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Different persons').waitFor()
  expect(await dialog.getByText('Fresh until').count()).toBe(1)
  const codes = await dialog.locator('pre').allInnerTexts()
  expect(codes[0]).toMatch(/^curl -H "X-API-Key: \$FOOTFALL_API_KEY" 'http.*\/stats\?project=demo&since=13d/)
  expect(codes[1]).toBe(
    'footfall stats demo --since 13d --tz Europe/Berlin --group-by day --compare previous',
  )
  await dialog.getByRole('button', { name: 'Show the SQL' }).click()
  await dialog
    .getByText(/SELECT/i)
    .first()
    .waitFor()
})

test('no change is shown if the period before begins before the first event, also for all sites', async () => {
  const changes = (page: Page) => page.locator('.tiles .change').allInnerTexts()
  const page = await dashboard.open('/app/p/demo?range=14d')
  await settled(page)
  for (const change of await changes(page)) expect(change).toMatch(/\d%$/)
  // The demo has 30 days of traffic.
  for (const address of [
    '/app/p/demo?range=30d',
    '/app/p/demo?range=30d&f=country:eq:DE',
    '/app?range=30d',
  ]) {
    await page.goto(new URL(address, page.url()).href)
    await settled(page)
    expect(new Set(await changes(page))).toEqual(new Set(['no full period before']))
  }
  expect(await page.locator('.tiles .change').getAttribute('title')).toMatch(
    /^The first event is of \w+, \d+ \w+ \d{4}\.$/,
  )
})

test('programs are counted apart from people', async () => {
  const page = await dashboard.open('/app/p/demo?who=agents&range=30d')
  await settled(page)
  const { categories } = await dashboard.get<{ categories: { category: string; requests: number }[] }>(
    `/bot-traffic?project=demo&period=30d&limit=50&${ZONE}`,
  )
  const requests = categories.find(({ category }) => category === 'ai_agent')?.requests ?? 0
  expect(requests).toBeGreaterThan(0)
  expect(await tile(page, 'requests')).toBe(count(requests))
})

test('a browser without a session signs in first and comes back; the demo is open to everybody', async () => {
  const page = await dashboard.open('/app/p/demo?range=7d', { isSignedOut: true })
  const url = new URL(page.url())
  expect([url.pathname, url.searchParams.get('to')]).toEqual(['/auth/sign-in', '/app/p/demo?range=7d'])
  await page.goto('/app/demo?range=7d')
  await settled(page)
  const stats = await dashboard.get<Stats>(`/stats?project=demo&since=6d&${ZONE}`)
  expect(await tile(page, 'visitors')).toBe(count(stats.totals.unique_users))
})

test('the landing page shows the events of all sites, and leads to each', async () => {
  const page = await dashboard.open('/')
  await page.waitForURL(url => url.pathname === '/app')
  await settled(page)
  const sites = await dashboard.get<{ summary: { total_events: { current: number } } }>(
    `/account/all-sites?period=30d&${ZONE}`,
  )
  expect(await tile(page, 'events')).toBe(count(sites.summary.total_events.current))
  await page.getByRole('row', { name: /^demo/ }).getByRole('link').click()
  await page.waitForURL(url => url.pathname === '/app/p/demo')
})

test('an empty project says what to do, and hostile text of visitors stays text', async () => {
  const name = 'hostile'
  const hostile = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  const empty = await dashboard.open(`/app/p/${name}`)
  await empty.getByText('Waiting for the first event').waitFor()
  await dashboard.post(
    '/track',
    {
      token,
      event: hostile,
      user_id: hostile,
      session_id: 's1',
      properties: {
        path: hostile,
        title: hostile,
        referrer: `javascript:alert(1)//${hostile}`,
        device: hostile,
      },
    },
    202,
  )
  // A page that is open asks again after a minute only.
  await eventually(async () => {
    const { totals } = await dashboard.get<Stats>(`/stats?project=${name}&since=0d`)
    expect(totals.total_events).toBe(1)
  })
  const page = await dashboard.open(`/app/p/${name}?range=1d&course=${encodeURIComponent(hostile)}`)
  await page.getByRole('table', { name: 'Events by visitors' }).getByText(hostile).waitFor()
  expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0)
  expect(await page.title()).toBe('hostile · Overview · Footfall')
})

test.each(['/app/p/demo?who=bots', '/app/p/none'])('axe finds nothing in %s', async path => {
  const page = await dashboard.open(path)
  await settled(page)
  expect(await violations(page)).toEqual([])
})

test('the page of the dashboard is not kept, and lets run nothing that is not a file of the service', async () => {
  const { baseUrl } = dashboard.service
  const response = await fetch(`${baseUrl}/app/demo`, { headers: { Accept: 'text/html' } })
  const html = await response.text()
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  expect(html).not.toMatch(/<style|\sstyle=|<script>|\son\w+=/)
  for (const [, file] of html.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)) {
    const asset = await fetch(baseUrl + file)
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
  }
})
