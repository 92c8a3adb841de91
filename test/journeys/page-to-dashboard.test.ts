import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { type Deployment, startDeployment } from '#test/support/deployment'

/**
 * The product in a real browser: a page with the tracker, an event, and a number on the dashboard. Every
 * other journey through a browser is in `npm run test:browser`.
 */

let service: Deployment
let browser: Browser
let site: Server
let html = ''

beforeAll(async () => {
  site = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(html)
  }).listen(0, '127.0.0.1')
  const listening = once(site, 'listening')
  // A setup link signs in once, and that of a deployment is for test/browser/journeys/access.test.ts.
  service = await startDeployment()
  browser = await sharedBrowser({ url: service.publicUrl, tlsPort: service.tlsPort })
  await listening
})

afterAll(async () => {
  site?.closeAllConnections()
  site?.close()
  await service?.close()
})

test('a visit of a page with the tracker is a number on the dashboard of the owner', async () => {
  const project = await service.createProject('first')
  html = `<!doctype html><title>Shoes</title>${project.snippet}`
  const visitor = await browser.newContext(HUMAN_BROWSER)
  const page = await visitor.newPage()
  await page.goto(`http://shop.test:${(site.address() as AddressInfo).port}/shoes`)
  await page.evaluate(`aa.track('added', { sku: 'red-42' })`)
  await page.goto('about:blank')
  await service.waitForEvents(project, 2)

  const owner = await browser.newContext({ ...HUMAN_BROWSER, ignoreHTTPSErrors: true })
  const dashboard = await owner.newPage()
  await dashboard.goto(service.setupLink)
  await dashboard.getByRole('button', { name: 'Sign in' }).click()
  await dashboard.goto(`${service.publicUrl}/app/p/${project.name}?range=1d`)
  const numberOf = (name: string) => dashboard.locator(`[data-number="${name}"] .num`).innerText()
  await expect.poll(() => numberOf('visitors')).toBe('1')
  await expect.poll(() => numberOf('events')).toBe('2')
  await Promise.all([visitor.close(), owner.close()])
})
