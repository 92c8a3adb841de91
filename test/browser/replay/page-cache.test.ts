import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CACHING_CHROMIUM, launchCachingBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { noise, openShop, setVisibility, show, untilStored, WITHIN } from './recorded-shop.ts'
import { openReplaySite, type ReplaySite } from './replay-site.ts'

/** Pages that a real back/forward cache keeps. survival.test.ts sends the events of one to any Chromium. */

/** The addresses that a replay shows, in their order. */
async function paths(shop: Awaited<ReturnType<typeof openShop>>['shop'], id: string): Promise<string[]> {
  const events = await shop.events(id)
  return events.flatMap(({ type, data }) => (type === 4 ? [new URL(String(data.href)).pathname] : []))
}

describe.skipIf(CACHING_CHROMIUM === null)('a page that the browser keeps', () => {
  let site: ReplaySite
  beforeAll(async () => {
    site = await openReplaySite(launchCachingBrowser())
  })
  afterAll(() => site?.close())

  /** Goes through the history of the tab, and waits until the page there was shown from the cache. */
  async function turn(page: Page, direction: 'back' | 'forward', path: string) {
    // Playwright waits for a new document, and there is none.
    await page.evaluate(name => setTimeout(() => history[name]()), direction)
    await eventually(async () => {
      expect(new URL(page.url()).pathname).toBe(path)
      expect(await page.evaluate(() => (globalThis as { isFromCache?: boolean }).isFromCache)).toBe(true)
    }, WITHIN)
  }

  /** Lets the recorder send what it has. */
  async function send(page: Page) {
    await setVisibility(page, 'hidden')
    await setVisibility(page, 'visible')
  }

  async function openKept() {
    const opened = await openShop(site)
    await opened.user.addInitScript(() => {
      addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { isFromCache: persisted }))
    })
    await opened.page.reload()
    return opened
  }

  test('goes on in the same replay, back and forward, and nothing of the pages is lost', async () => {
    const { shop, user, page, errors } = await openKept()
    await show(page, 'seen first')
    await page.click('text=Cart')
    await untilStored(shop, 'Your cart')
    await show(page, 'seen in the cart')
    await turn(page, 'back', '/')
    await show(page, 'seen after going back')
    await send(page)
    await untilStored(shop, 'seen after going back')
    await turn(page, 'forward', '/cart')
    await show(page, 'seen after going forward')
    await send(page)
    const replay = await untilStored(shop, 'seen after going forward')
    const stored = JSON.stringify(await shop.events(replay.id))
    for (const text of ['seen first', 'seen in the cart', 'seen after going back'])
      expect(stored).toContain(text)
    expect(await paths(shop, replay.id)).toEqual(['/', '/', '/cart', '/', '/cart'])
    expect(errors).toEqual([])
    await user.close()
  })

  test('sends what the page that it replaces could not send', async () => {
    const { shop, user, page } = await openKept()
    await page.click('text=Cart')
    await untilStored(shop, 'Your cart')
    let isDown = true
    await page.route(/\/replay\/rpl_\w+\/chunks$/, route => (isDown ? route.abort() : route.continue()))
    await show(page, `seen in the cart ${noise(20_000)}`)
    await turn(page, 'back', '/')
    isDown = false
    await show(page, 'seen after going back')
    await send(page)
    await untilStored(shop, 'seen in the cart')
    await untilStored(shop, 'seen after going back')
    await user.close()
  })
})
