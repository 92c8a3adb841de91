import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { HUMAN_BROWSER, launchBrowser } from '#test/support/browser'
import { type Deployment, type NewProject, openDeployment } from '#test/support/deployment'

/** From a page in a real browser to the answers of the service, through stream, lake and Parquet. */

let service: Deployment
let browser: Browser
let server: Server
/** The page that each host of our own serves. */
const pages = new Map<string, string>()

beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    const host = headers.host?.split(':')[0] ?? ''
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(pages.get(host) ?? '')
  }).listen(0, '127.0.0.1')
  const listening = once(server, 'listening')
  service = await openDeployment()
  browser = await launchBrowser({ url: service.publicUrl, tlsPort: service.tlsPort })
  await listening
})

afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await browser?.close()
  await service?.close()
})

/** A tab of a new visitor. */
async function newTab(t: TestContext, options: BrowserContextOptions = HUMAN_BROWSER): Promise<Page> {
  const context = await browser.newContext(options)
  t.onTestFinished(() => context.close())
  return context.newPage()
}

/** The address of a site of ours, which is not the service's; all names under `.test` lead here. */
function siteAt(host: string, path = '/'): string {
  return `http://${host}:${(server.address() as AddressInfo).port}${path}`
}

/** Puts the snippet that the service hands out into the pages of the hosts. */
function embed({ snippet }: NewProject, title: string, ...hosts: string[]): void {
  for (const host of hosts) pages.set(host, `<!doctype html><title>${title}</title>${snippet}`)
}

async function leave(page: Page): Promise<void> {
  await page.goto('about:blank')
}

test('a page of another origin sends by the snippet that the service hands out', async t => {
  const shop = await service.newProject('shop')
  embed(shop, 'Shop', 'shop.test')
  const page = await newTab(t)
  await page.goto(siteAt('shop.test', '/shoes?size=42'))
  await page.evaluate(
    `aa.track('added', { sku: 'red-42', price: 59.9, sizes: [41, 42], email: 'ada@example.org' })`,
  )
  await leave(page)

  const [view, added] = await service.untilStored(shop, 2)
  expect(view).toMatchObject({
    event: 'page_view',
    properties: { url: siteAt('shop.test', '/shoes'), page: 'Shop', browser: 'Chrome', os: 'Linux' },
  })
  expect(added).toMatchObject({ event: 'added', properties: { sku: 'red-42', price: 59.9, sizes: [41, 42] } })
  expect(added!.properties).not.toHaveProperty('email')
  expect(added!.user_id).toBe(view!.user_id)
})

test('two tabs of a visitor are two sessions of one user, and a long pause begins a third', async t => {
  const tabs = await service.newProject('tabs')
  embed(tabs, 'Tabs', 'tabs.test')
  const one = await newTab(t)
  const two = await one.context().newPage()
  await one.goto(siteAt('tabs.test', '/one'))
  await leave(one)
  await service.untilStored(tabs, 1)
  // The clock goes ahead by less than the 5 minutes that the service allows, so the pause is put into the storage.
  await two.goto(siteAt('tabs.test', '/two'))
  await two.evaluate(`(() => {
    const key = Object.keys(sessionStorage).find(name => name.endsWith(':last_activity'))
    sessionStorage.setItem(key, String(Date.now() - 30 * 60_000))
    aa.track('back')
  })()`)
  await leave(two)

  const events = await service.untilStored(tabs, 3)
  expect(events.map(row => [row.event, row.properties?.session_count])).toEqual([
    ['page_view', 1],
    ['page_view', 2],
    ['back', 3],
  ])
  const { sessions, totals } = await service.stats(tabs)
  expect(sessions).toMatchObject({ total_sessions: 3, bounce_rate: 0.667, sessions_per_user: 3 })
  expect(totals).toEqual({ unique_users: 1, total_events: 3 })
})

test('a page of an origin that the project does not allow is refused', async t => {
  const allowed_origins = siteAt('allowed.test').replace(/\/$/, '')
  const fenced = await service.newProject('fenced', { allowed_origins })
  embed(fenced, 'Fence', 'other.test', 'www.allowed.test', 'allowed.test')
  const page = await newTab(t)
  for (const host of ['other.test', 'www.allowed.test', 'allowed.test']) {
    await page.goto(siteAt(host))
    await page.evaluate(`aa.track('hello')`)
    await leave(page)
  }
  const events = await service.untilStored(fenced, 2)
  expect(events.map(row => row.properties?.hostname)).toEqual(['allowed.test', 'allowed.test'])
})

test('a headless browser that says so is a bot: it is not in the numbers', async t => {
  const bots = await service.newProject('bots')
  embed(bots, 'Bots', 'bots.test')
  const bot = await newTab(t, {})
  expect(await bot.evaluate('navigator.userAgent')).toContain('HeadlessChrome')
  await bot.goto(siteAt('bots.test', '/crawled'))
  await leave(bot)
  const human = await newTab(t)
  await human.goto(siteAt('bots.test', '/read'))
  await leave(human)
  const events = await service.untilStored(bots, 1)
  expect(events[0]!.properties?.path).toBe('/read')
})
