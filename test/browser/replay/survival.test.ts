import type { BrowserContext, Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { noise, openShop, SHOP, setVisibility, show, untilStored, WITHIN } from './recorded-shop.ts'
import { openConfigured, openReplaySite, type ReplaySite, settle } from './replay-site.ts'

/** What becomes of a recording when the network, the service, the browser or the user is in its way. */

let site: ReplaySite
beforeAll(async () => {
  site = await openReplaySite()
})
afterAll(() => site?.close())

/** Returns the paths that a page asks for from now on. */
function watchRequests(page: Page): string[] {
  const paths: string[] = []
  page.on('request', request => paths.push(new URL(request.url()).pathname))
  return paths
}

const isChunk = (request: Request) => /\/replay\/rpl_\w+\/chunks$/.test(request.url())

async function onChunks(target: Page | BrowserContext, handler: (route: Route) => Promise<unknown>) {
  await target.route(/\/replay\/rpl_\w+\/chunks$/, handler)
}

test('what is recorded while the browser is offline is sent when it is back', async () => {
  const { shop, user, page, errors } = await openShop(site)
  await user.setOffline(true)
  await show(page, 'seen offline')
  await setVisibility(page, 'hidden')
  await setVisibility(page, 'visible')
  await show(page, 'seen later')
  await user.setOffline(false)
  await setVisibility(page, 'hidden')
  await untilStored(shop, 'seen later')
  await untilStored(shop, 'seen offline')
  expect(errors).toEqual([])
  await user.close()
})

test.each([500, 503, 429, 408])(
  'a chunk that gets %i is sent again until the service has it, once',
  async status => {
    const { shop, user, page } = await openShop(site, { hasClock: true })
    let refusals = 2
    await onChunks(page, route => (refusals-- > 0 ? route.fulfill({ status, json: {} }) : route.continue()))
    await show(page, 'seen in trouble')
    await setVisibility(page, 'hidden')
    await eventually(async () => {
      // The recorder tries again, after a wait.
      await page.clock.runFor(5_000)
      expect(refusals).toBeLessThan(0)
    }, WITHIN)
    await untilStored(shop, 'seen in trouble')
    await user.close()
  },
)

test.each([
  ['chunks', 0],
  // A request that outlives its page has less than 60,000 bytes.
  ['a chunk that is too large to be sent while the page is left', 20_000],
])('a page that is left while the service is down hands %s to the next page', async (_, words) => {
  const { shop, user, page } = await openShop(site, { hasClock: true })
  let isDown = true
  await onChunks(page, route => (isDown ? route.abort() : route.continue()))
  await show(page, `seen before the cart ${noise(words)}`)
  await page.goto(shop.url('/cart'))
  await settle(page)
  isDown = false
  await page.clock.runFor(5_000)
  await untilStored(shop, 'seen before the cart')
  await untilStored(shop, 'Your cart')
  await user.close()
})

test.each([403, 404, 413])(
  'a refusal with %i ends the recording of the session without an error',
  async status => {
    const { shop, user, page, errors } = await openShop(site)
    await onChunks(page, route => route.fulfill({ status, json: {} }))
    await show(page, 'refused')
    await setVisibility(page, 'hidden')
    const kept = () => page.evaluate(() => JSON.stringify(sessionStorage))
    await eventually(async () => expect(await kept()).toContain('\\"hasEnded\\":true'), WITHIN)
    // The requests of the refused page must not count as requests of the next page.
    await page.goto('about:blank')
    const later = watchRequests(page)
    await page.goto(shop.url('/cart'))
    await eventually(() => expect(later).toContain('/replay/config'), WITHIN)
    await show(page, 'not recorded')
    await setVisibility(page, 'hidden')
    await page.goto('about:blank')
    expect(later.filter(path => /^\/replay\/(start|rpl_)/.test(path))).toEqual([])
    expect(errors).toEqual([])
    await user.close()
  },
)

test('a full storage of the browser loses nothing that can be sent, and the page sees no error', async () => {
  const { shop, user, page, errors } = await openShop(site)
  await page.evaluate(() => {
    for (let size = 4_000_000; size >= 1; size = Math.floor(size / 2)) {
      try {
        for (;;) sessionStorage.setItem(`fill-${Math.random()}`, 'x'.repeat(size))
      } catch {}
    }
  })
  await show(page, 'seen with a full storage')
  await setVisibility(page, 'hidden')
  await untilStored(shop, 'seen with a full storage')
  expect(errors).toEqual([])
  await user.close()
})

test('a page that comes back from the cache of the browser goes on in the same replay', async () => {
  const { shop, user, page } = await openShop(site)
  const turn = (type: string) =>
    page.evaluate(name => dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type)
  await show(page, 'seen before')
  await turn('pagehide')
  await eventually(async () => expect((await shop.replays())[0]?.status).toBe('complete'), WITHIN)
  await show(page, 'unseen')
  await turn('pageshow')
  await show(page, 'seen after')
  await setVisibility(page, 'hidden')
  const replay = await untilStored(shop, 'seen after')
  expect(replay.status).toBe('recording')
  // What changed meanwhile is in the new snapshot only.
  const events = await shop.events(replay.id)
  expect(events.filter(({ type }) => type === 2)).toHaveLength(2)
  await user.close()
})

test.each([
  ['ends a moment later, goes on in its replay', true, 1],
  ['never ends, begins a replay of its own', false, 2],
])('a page that comes back before the page that it replaces, which %s', async (_, ends, replays) => {
  const { shop, user, page } = await openShop(site)
  await page.evaluate(async ends => {
    const key = Object.keys(sessionStorage).find(name => name.endsWith(':replay')) ?? ''
    const mark = (isOpen: boolean) =>
      sessionStorage.setItem(
        key,
        JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key) ?? ''), isOpen }),
      )
    const turn = (name: string) => dispatchEvent(new PageTransitionEvent(name, { persisted: true }))
    turn('pagehide')
    mark(true)
    turn('pageshow')
    // It has looked once, and looks again after a timer that is longer than this one.
    if (ends) setTimeout(() => mark(false))
  }, ends)
  await show(page, 'seen after')
  await eventually(async () => {
    const stored = await shop.replays()
    expect(stored).toHaveLength(replays)
    expect(JSON.stringify(await shop.events(stored.at(-1)!.id))).toContain('seen after')
  }, WITHIN)
  await user.close()
})

test('a hidden page sends what it has at once, and a closed tab ends its replay', async () => {
  const { shop, user, page } = await openShop(site)
  await show(page, 'seen last')
  const chunk = page.waitForRequest(isChunk)
  await setVisibility(page, 'hidden')
  await chunk
  await setVisibility(page, 'visible')
  await show(page, 'seen at the very end')
  await page.close({ runBeforeUnload: true })
  await untilStored(shop, 'seen at the very end')
  await eventually(async () => expect((await shop.replays())[0]?.status).toBe('complete'), WITHIN)
  await user.close()
})

test.each([
  ['a revoked consent', () => (window as unknown as { aa: { revokeConsent(): void } }).aa.revokeConsent()],
  ['an opt-out', () => localStorage.setItem('aa_disabled', 'true')],
])('after %s nothing more leaves, and what waits is dropped', async (_, revoke) => {
  const { shop, user, page } = await openShop(site)
  let isDown = true
  await onChunks(page, route => (isDown ? route.fulfill({ status: 503, json: {} }) : route.continue()))
  await show(page, 'seen before it was revoked')
  await setVisibility(page, 'hidden')
  await setVisibility(page, 'visible')
  const kept = () =>
    page.evaluate(() => Object.keys(sessionStorage).filter(key => /:replay(_unsent)?$/.test(key)))
  expect(await kept()).toHaveLength(2)
  await page.evaluate(revoke)
  await eventually(async () => expect(await kept()).toEqual([]), WITHIN)
  const later = watchRequests(page)
  isDown = false
  await show(page, 'after it was revoked')
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await setVisibility(page, 'hidden')
  await page.goto(shop.url('/cart'))
  await eventually(() => expect(later).toContain('/replay/config'), WITHIN)
  await page.goto('about:blank')
  expect(later.filter(path => /^\/replay\/(start|rpl_)/.test(path))).toEqual([])
  const [replay] = await shop.replays()
  expect(JSON.stringify(await shop.events(replay!.id))).not.toContain('revoked')
  await user.close()
})

test('nothing is recorded before the consent that the project asks for, and everything after it', async () => {
  const shop = await site.newSite(SHOP, { settings: { recording_start: 'after_consent' } })
  const user = await site.newUser()
  const page = await user.newPage()
  await page.clock.install()
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await openConfigured(page, shop.url())
  // The recorder looks each second whether it may begin.
  await page.clock.runFor(10_000)
  await show(page, 'before')
  expect(asked).not.toContain('/replay/start')
  await page.evaluate(() => (window as unknown as { aaReplay: { consent(): void } }).aaReplay.consent())
  await eventually(() => expect(asked).toContain('/replay/start'), WITHIN)
  await page.evaluate(() => (window as unknown as { aaReplay: { stop(): void } }).aaReplay.stop())
  await eventually(async () => expect((await shop.replays())[0]?.status).toBe('complete'), WITHIN)
  await user.close()
})

test.each([
  ['bytes', { max_bytes: 6_000, max_duration_ms: 900_000 }, 'too_many_bytes'],
  ['time', { max_bytes: 2_000_000, max_duration_ms: 4_000 }, 'too_long'],
])(
  'a replay ends at its limit of %s, says so, and no later page records the session',
  async (_, limits, reason) => {
    const shop = await site.newSite(SHOP)
    const user = await site.newUser()
    await user.route('**/replay/config*', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), limits } })
    })
    const page = await user.newPage()
    await page.clock.install()
    await page.goto(shop.url())
    await eventually(async () => expect((await shop.replays())[0]?.chunks.length).toBeGreaterThan(0), WITHIN)
    await show(page, noise(5_000))
    await setVisibility(page, 'hidden')
    await setVisibility(page, 'visible')
    await page.clock.runFor(10_000)
    const replay = await untilStored(shop, reason)
    expect(
      replay.chunks.reduce((sum, chunk) => sum + (chunk as unknown as { bytes: number }).bytes, 0),
    ).toBeLessThan(limits.max_bytes)
    await eventually(async () => expect((await shop.replays())[0]?.status).toBe('complete'), WITHIN)
    const later: Request[] = []
    page.on('request', request => later.push(request))
    const paths = () => later.map(request => new URL(request.url()).pathname)
    await page.goto(shop.url('/cart'))
    await eventually(() => expect(paths()).toContain('/replay/config'), WITHIN)
    await page.goto('about:blank')
    expect(paths()).not.toContain('/replay/start')
    // What is stored may come again, because the page was left before it had all answers.
    const added = later.filter(
      request => isChunk(request) && request.postDataJSON().index >= replay.chunks.length,
    )
    expect(added).toEqual([])
    // The page may still ask for its settings when it is closed.
    await user.unrouteAll({ behavior: 'ignoreErrors' })
    await user.close()
  },
)
