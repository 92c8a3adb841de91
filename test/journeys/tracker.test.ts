import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { EventRow } from '#schemas/event'
import type { EventsAnswer } from '#schemas/events'
import type { Stats } from '#schemas/stats'
import { launchBrowser, VISITOR } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { cleanUp, type Service, startService } from '#test/support/service'

/** From a page in a real browser to the answers of the real service, through stream, lake and Parquet. */

let service: Service
let browser: Browser
let site: Server
let siteHtml = ''
const contexts: BrowserContext[] = []

beforeAll(async () => {
  site = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(siteHtml)
  }).listen(0, '127.0.0.1')
  const listening = once(site, 'listening')
  ;[service, browser] = await Promise.all([startService(), launchBrowser()])
  await listening
})

afterEach(async () => {
  await Promise.all(contexts.splice(0).map(context => context.close()))
})

afterAll(async () => {
  site.closeAllConnections()
  site.close()
  await browser?.close()
  await service?.stop()
  await cleanUp()
})

/** A tab of a new visitor. */
async function newTab(options: BrowserContextOptions = VISITOR): Promise<Page> {
  const context = await browser.newContext(options)
  contexts.push(context)
  return context.newPage()
}

/** The address of our own site, which is not the service's; all names under `.test` lead to it. */
function siteAt(host: string, path = '/'): string {
  return `http://${host}:${(site.address() as AddressInfo).port}${path}`
}

async function call<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(service.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'X-API-Key': service.credentials.api_key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.status, path).toBeLessThan(300)
  return response.json() as Promise<T>
}

/** Events of a project, oldest first. */
async function eventsOf(project: string): Promise<EventRow[]> {
  const { events } = await call<EventsAnswer>(`/events?project=${project}&since=0d`)
  return events.reverse()
}

/** Waits until the project has so many events, and gives them. */
function untilStored(project: string, count: number): Promise<EventRow[]> {
  return eventually(async () => {
    const events = await eventsOf(project)
    expect(events.map(row => row.event)).toHaveLength(count)
    return events
  })
}

/** A project of its own for a test. Its snippet is the one that the service hands out. */
function newProject(name: string, allowedOrigins?: string): Promise<{ snippet: string }> {
  return call('/projects', { name, ...(allowedOrigins && { allowed_origins: allowedOrigins }) })
}

async function leave(page: Page): Promise<void> {
  await page.goto('about:blank')
}

test('a visit of the demo site is in /events and /stats, page by page and press by press', async () => {
  const page = await newTab()
  await page.goto(`${service.baseUrl}/demo/?utm_source=readme`)
  await page.getByRole('link', { name: 'Read the guide' }).click()
  await page.waitForURL('**/demo/guide')
  await page.getByRole('button', { name: 'I heard one' }).click()
  await page.getByRole('link', { name: 'Pricing' }).click()
  await page.getByRole('link', { name: 'Choose Warden' }).click()
  await page.waitForURL('**/demo/join?plan=warden')
  await page.getByRole('button', { name: 'Create my notebook' }).click()
  const panel = await page.locator('#curl-events').textContent()
  await leave(page)

  const events = await untilStored('demo', 8)
  expect(events.map(row => [row.event, row.properties?.path])).toEqual([
    ['page_view', '/demo/'],
    ['cta_clicked', '/demo/'],
    ['page_view', '/demo/guide'],
    ['sighting_logged', '/demo/guide'],
    ['page_view', '/demo/pricing'],
    ['signup_started', '/demo/pricing'],
    ['page_view', '/demo/join'],
    ['signup', '/demo/join'],
  ])
  expect(new Set(events.map(row => row.session_id)).size).toBe(1)
  expect(new Set(events.map(row => row.user_id)).size).toBe(1)
  expect(events[3]!.properties).toEqual({
    species: 'Bittern',
    habitat: 'reeds',
    url: `${service.baseUrl}/demo/guide`,
    path: '/demo/guide',
    hostname: 'localhost',
    title: 'Four birds of the still water – Heronry',
    referrer: `${service.baseUrl}/demo/`,
    language: 'en-GB',
    screen: '1280x800',
    timezone: 'Europe/Berlin',
    browser: 'Chrome',
    browser_version: '147',
    os: 'Linux',
    device: 'desktop',
    session_count: 1,
    days_since_first_visit: 0,
    utm_source: 'readme',
    first_utm_source: 'readme',
  })

  const stats = await call<Stats>('/stats?project=demo&since=0d')
  expect(stats.totals).toEqual({ unique_users: 1, total_events: 8 })
  expect(stats.events[0]).toEqual({ event: 'page_view', count: 4, unique_users: 1 })
  expect(stats.sessions).toMatchObject({
    total_sessions: 1,
    bounce_rate: 0,
    pages_per_session: 8,
    sessions_per_user: 1,
  })

  await followPanel(panel!, events)
})

/** Does what the panel says: its first line reads the key, the address in it gives this visitor's events. */
async function followPanel(panel: string, events: EventRow[]) {
  const [readKey] = panel.split('\n')
  const key = execFileSync('sh', ['-c', `${readKey}\nprintf %s "$KEY"`], { encoding: 'utf8' })
  expect(key).toBe(service.credentials.api_key)
  const [, address] = /"(http[^"]*)"/.exec(panel)!
  expect(address).toContain(`user_id=${events[0]!.user_id}`)
  const response = await fetch(address!, { headers: { 'X-API-Key': key } })
  const answer = (await response.json()) as EventsAnswer
  expect(answer.events).toEqual([...events].reverse())
}

test('a page of another origin sends by the snippet that the service hands out', async () => {
  const { snippet } = await newProject('shop')
  siteHtml = `<!doctype html><title>Shop</title>${snippet}`
  const page = await newTab()
  await page.goto(siteAt('shop.test', '/shoes?size=42'))
  await page.evaluate(
    `aa.track('added', { sku: 'red-42', price: 59.9, sizes: [41, 42], email: 'ada@example.org' })`,
  )
  await leave(page)

  const [view, added] = await untilStored('shop', 2)
  expect(view).toMatchObject({
    event: 'page_view',
    properties: { url: siteAt('shop.test', '/shoes'), page: 'Shop' },
  })
  expect(added).toMatchObject({ event: 'added', properties: { sku: 'red-42', price: 59.9, sizes: [41, 42] } })
  expect(added!.properties).not.toHaveProperty('email')
})

test('two tabs of a visitor are two sessions of one user, and a long pause begins a third', async () => {
  const { snippet } = await newProject('tabs')
  siteHtml = `<!doctype html><title>Tabs</title>${snippet}`
  const one = await newTab()
  const two = await one.context().newPage()
  await one.goto(siteAt('tabs.test', '/one'))
  await leave(one)
  await untilStored('tabs', 1)
  // The clock goes ahead by less than the 5 minutes that the service allows, so the pause is put into the storage.
  await two.goto(siteAt('tabs.test', '/two'))
  await two.evaluate(`(() => {
    const key = Object.keys(sessionStorage).find(name => name.endsWith(':last_activity'))
    sessionStorage.setItem(key, String(Date.now() - 30 * 60_000))
    aa.track('back')
  })()`)
  await leave(two)

  const events = await untilStored('tabs', 3)
  expect(events.map(row => [row.event, row.properties?.session_count])).toEqual([
    ['page_view', 1],
    ['page_view', 2],
    ['back', 3],
  ])
  const { sessions, totals } = await call<Stats>('/stats?project=tabs&since=0d')
  expect(sessions).toMatchObject({ total_sessions: 3, bounce_rate: 0.667, sessions_per_user: 3 })
  expect(totals).toEqual({ unique_users: 1, total_events: 3 })
})

test('a page of an origin that the project does not allow is refused', async () => {
  const { snippet } = await newProject('fenced', siteAt('allowed.test').replace(/\/$/, ''))
  siteHtml = `<!doctype html><title>Fence</title>${snippet}`
  const page = await newTab()
  for (const host of ['other.test', 'www.allowed.test', 'allowed.test']) {
    await page.goto(siteAt(host))
    await page.evaluate(`aa.track('hello')`)
    await leave(page)
  }
  const events = await untilStored('fenced', 2)
  expect(events.map(row => row.properties?.hostname)).toEqual(['allowed.test', 'allowed.test'])
})

test('a headless browser that says so is a bot: it is not in the numbers', async () => {
  const { snippet } = await newProject('bots')
  siteHtml = `<!doctype html><title>Bots</title>${snippet}`
  const bot = await newTab({})
  expect(await bot.evaluate('navigator.userAgent')).toContain('HeadlessChrome')
  await bot.goto(siteAt('bots.test', '/crawled'))
  await leave(bot)
  const human = await newTab()
  await human.goto(siteAt('bots.test', '/read'))
  await leave(human)
  const events = await untilStored('bots', 1)
  expect(events[0]!.properties?.path).toBe('/read')
})
