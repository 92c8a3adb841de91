import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CACHING_CHROMIUM, HUMAN_BROWSER, launchCachingBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

/** Pages that a real back/forward cache keeps. routes.test.ts sends the events of one to any Chromium. */

const site = useTestSite()

describe.skipIf(CACHING_CHROMIUM === null)('a page that comes back from the back/forward cache', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchCachingBrowser()
  })
  afterAll(() => browser?.close())

  test.each([
    ['is a page view in SPA mode', 'data-track-spa="true"', ['/first', '/first', '/second']],
    ['is none without it', '', ['/first', '/second']],
  ])('%s, and its tracker goes on in the same session', async (_, attributes, views) => {
    const { server } = site
    const snippet = server.snippet(`${attributes} data-track-scroll-depth="true"`)
    server.setPage(`<!doctype html><title>Shop</title><a href="/second">Next</a>${snippet}`)
    const user = await browser.newContext(HUMAN_BROWSER)
    await user.addInitScript(() => {
      addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { isFromCache: persisted }))
    })
    const page = await user.newPage()
    const errors: string[] = []
    page.on('pageerror', error => errors.push(String(error)))
    await page.goto(server.page('/first'))
    await page.click('a')
    await page.waitForURL('**/second')
    await page.waitForFunction(() => window.aa?.getIdentity())
    // Playwright waits for a new document, and there is none.
    await page.evaluate(() => void setTimeout(() => history.back()))
    await eventually(async () => {
      expect(new URL(page.url()).pathname).toBe('/first')
      expect(await page.evaluate(() => (globalThis as { isFromCache?: boolean }).isFromCache)).toBe(true)
    })
    await page.evaluate(() => window.aa!.track('end'))
    await site.leave(page)
    await eventually(() => expect(server.propertiesOf('end')).toMatchObject([{ path: '/first' }]))
    await eventually(() => expect(server.propertiesOf('page_view')).toHaveLength(views.length))
    // The requests of two pages may come in any order.
    expect(
      server
        .propertiesOf('page_view')
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(views)
    expect(new Set(server.events().map(({ session_id }) => session_id)).size).toBe(1)
    expect(errors).toEqual([])
    await user.close()
  })
})
