import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { bucketOf, chooseVariant } from '#schemas/assignment'
import type { ExperimentRecord, ExperimentResults } from '#schemas/experiments'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { type Deployment, type NewProject, openDeployment } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'

/** From a page in a real browser to the responses of the service, through stream, lake and Parquet files. */

let service: Deployment
let browser: Browser
let server: Server
/** The HTML page of each test site, by host. */
const pages = new Map<string, string>()

beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    const host = headers.host?.split(':')[0] ?? ''
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(pages.get(host) ?? '')
  }).listen(0, '127.0.0.1')
  const listening = once(server, 'listening')
  service = await openDeployment()
  browser = await sharedBrowser({ url: service.publicUrl, tlsPort: service.tlsPort })
  await listening
})

afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await service?.close()
})

/** Opens a tab in a new browser context, so it belongs to a new user. */
async function newTab(t: TestContext, options: BrowserContextOptions = HUMAN_BROWSER): Promise<Page> {
  const context = await browser.newContext(options)
  t.onTestFinished(() => context.close())
  return context.newPage()
}

/** Returns an address of a test site. All names under `.test` resolve to this process. */
function siteUrl(host: string, path = '/'): string {
  return `http://${host}:${(server.address() as AddressInfo).port}${path}`
}

/** Puts the project's snippet into the pages of the hosts. */
function embed({ snippet }: NewProject, title: string, ...hosts: string[]): void {
  for (const host of hosts) pages.set(host, `<!doctype html><title>${title}</title>${snippet}`)
}

async function leave(page: Page): Promise<void> {
  await page.goto('about:blank')
}

test('a page of another origin sends events with the snippet of its project', async t => {
  const shop = await service.createProject('shop')
  embed(shop, 'Shop', 'shop.test')
  const page = await newTab(t)
  await page.goto(siteUrl('shop.test', '/shoes?size=42'))
  await page.evaluate(
    `aa.track('added', { sku: 'red-42', price: 59.9, sizes: [41, 42], email: 'ada@example.org' })`,
  )
  await leave(page)

  const [view, added] = await service.waitForEvents(shop, 2)
  expect(view).toMatchObject({
    event: 'page_view',
    properties: { url: siteUrl('shop.test', '/shoes'), page: 'Shop', browser: 'Chrome', os: 'Linux' },
  })
  expect(added).toMatchObject({ event: 'added', properties: { sku: 'red-42', price: 59.9, sizes: [41, 42] } })
  expect(added!.properties).not.toHaveProperty('email')
  expect(added!.user_id).toBe(view!.user_id)
})

test('two tabs of a browser are two sessions of one user, and a long pause starts a third session', async t => {
  const tabs = await service.createProject('tabs')
  embed(tabs, 'Tabs', 'tabs.test')
  const one = await newTab(t)
  const two = await one.context().newPage()
  await one.goto(siteUrl('tabs.test', '/one'))
  await leave(one)
  await service.waitForEvents(tabs, 1)
  // The service accepts timestamps at most 5 minutes ahead, so the test changes the stored time and not the
  // clock.
  await two.goto(siteUrl('tabs.test', '/two'))
  await two.evaluate(`(() => {
    const key = Object.keys(sessionStorage).find(name => name.endsWith(':last_activity'))
    sessionStorage.setItem(key, String(Date.now() - 30 * 60_000))
    aa.track('back')
  })()`)
  await leave(two)

  const events = await service.waitForEvents(tabs, 3)
  expect(events.map(row => [row.event, row.properties?.session_count])).toEqual([
    ['page_view', 1],
    ['page_view', 2],
    ['back', 3],
  ])
  const { sessions, totals } = await service.stats(tabs)
  expect(sessions).toMatchObject({ total_sessions: 3, bounce_rate: 0.667, sessions_per_user: 3 })
  expect(totals).toEqual({ unique_users: 1, total_events: 3 })
})

test('events from an origin that the project does not allow are rejected', async t => {
  const allowed_origins = siteUrl('allowed.test').replace(/\/$/, '')
  const fenced = await service.createProject('fenced', { allowed_origins })
  embed(fenced, 'Fence', 'other.test', 'www.allowed.test', 'allowed.test')
  const page = await newTab(t)
  for (const host of ['other.test', 'www.allowed.test', 'allowed.test']) {
    await page.goto(siteUrl(host))
    await page.evaluate(`aa.track('hello')`)
    await leave(page)
  }
  const events = await service.waitForEvents(fenced, 2)
  expect(events.map(row => row.properties?.hostname)).toEqual(['allowed.test', 'allowed.test'])
})

test('a browser that identifies itself as headless is a bot, and its events are not stored', async t => {
  const bots = await service.createProject('bots')
  embed(bots, 'Bots', 'bots.test')
  const userAgent = HUMAN_BROWSER.userAgent.replace('Chrome/', 'HeadlessChrome/')
  const bot = await newTab(t, { ...HUMAN_BROWSER, userAgent })
  const sent = bot.waitForResponse(response => new URL(response.url()).pathname === '/track')
  await bot.goto(siteUrl('bots.test', '/crawled'))
  // A page that is left would send its events with the user agent of the whole browser.
  await bot.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  expect((await sent).request().headers()['user-agent']).toContain('HeadlessChrome')
  const human = await newTab(t)
  await human.goto(siteUrl('bots.test', '/read'))
  await leave(human)
  const events = await service.waitForEvents(bots, 1)
  expect(events[0]!.properties?.path).toBe('/read')
})

test('a page shows the variant of its user, and the results of the experiment have the exposure and the conversion', async t => {
  const project = await service.createProject('variants')
  const created = await service.callJson<ExperimentRecord>('/experiments', {
    body: { project: project.name, name: 'cta', variants: ['control', 'blue', 'red'], goal_event: 'signup' },
  })
  const texts = { control: 'Buy', blue: 'Try', red: 'Go' }
  pages.set(
    'variants.test',
    `<!doctype html><title>Variants</title>${project.snippet}
    <h1 data-aa-experiment="cta" data-aa-variant-blue="Try" data-aa-variant-red="Go">Buy</h1>`,
  )
  const page = await newTab(t)
  await page.goto(siteUrl('variants.test'))
  const { anonymousId } = (await page.evaluate('aa.getIdentity()')) as { anonymousId: string }
  const variant = chooseVariant(created.variants, bucketOf('cta', anonymousId)) as keyof typeof texts
  await eventually(async () => {
    expect(await page.evaluate(`aa.experiment('cta')`)).toBe(variant)
    expect(await page.textContent('h1')).toBe(texts[variant])
  })
  await page.evaluate(`aa.track('signup')`)
  await leave(page)
  const stored = await service.waitForEvents(project, 3)
  expect(stored.map(({ event }) => event).toSorted()).toEqual(['$experiment_exposure', 'page_view', 'signup'])

  const { results, caveats, ...experiment } = await service.callJson<
    ExperimentRecord & { results: ExperimentResults; caveats: unknown[] }
  >(`/experiments/${created.id}`)
  expect(experiment).toEqual(created)
  // One user shows no difference.
  expect(caveats).toEqual([expect.objectContaining({ code: 'INTERVAL_INCLUDES_ZERO' })])
  expect(results.variants.find(({ key }) => key === variant)).toEqual({
    ...{ key: variant, exposures: 1, unique_users: 1, conversions: 1, conversion_rate: 1 },
  })
  expect(results.variants.reduce((sum, { exposures }) => sum + exposures, 0)).toBe(1)
  const path = `/experiments/${created.id}`
  const completed = await service.callJson(path, { method: 'PATCH', body: { status: 'completed' } })
  expect(completed).toMatchObject({ status: 'completed', winner: variant })
  const list = await service.callJson(`/experiments?project=${project.name}`)
  expect(list).toEqual({ experiments: [completed] })
  expect(await service.callJson(path, { method: 'DELETE' })).toEqual({ ok: true, deleted: created.id })
  expect((await service.call(path)).status).toBe(404)
})
