import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

/** How a view waits for its answers, and how they come by themselves. */

const dashboard = useDashboard()

const NUMBER = '[data-number="visitors"] .num'
const STATS = '**/stats?*'

test('a short wait shows nothing, and grey bars come after 200 ms', async () => {
  const held: Route[] = []
  const page = await dashboard.open('/app/p/demo', {
    async prepare(each) {
      await each.clock.install()
      await each.clock.pauseAt(new Date(Date.now() + 60_000))
      await each.route(/\/(stats|query)\b/, route => void held.push(route))
    },
  })
  await page.waitForSelector('main .skeleton', { state: 'attached' })
  let waited = 0
  while (waited < 5_000 && (await page.locator('main .skeleton.slow').count()) === 0) {
    await page.clock.runFor(20)
    waited += 20
  }
  expect(waited).toBeGreaterThan(200 - 20)
  expect(waited).toBeLessThan(5_000)
  await page.clock.resume()
  for (const route of held) await route.continue()
  await page.unroute(/\/(stats|query)\b/)
  await page.locator(NUMBER).waitFor()
})

test('the numbers come by themselves when the service is back, or when too many reads are over', async () => {
  const page = await dashboard.visit('/app/p/demo/settings')
  for (const [status, error] of [
    [503, 'STARTING'],
    [429, 'RATE_LIMITED'],
  ] as const) {
    let refused = 0
    await page.route(STATS, route => {
      refused += 1
      return refused > 2
        ? route.continue()
        : route.fulfill({ status, json: { error, message: 'Ask again.' } })
    })
    await page.goto('/app/p/demo')
    await page.locator(NUMBER).waitFor()
    expect(refused).toBeGreaterThan(2)
    await page.unroute(STATS)
  }
})

test('where the reads of a view are one call, they are one call again after it has failed', async () => {
  const page = await dashboard.visit('/app/p/demo/settings')
  // As the page is on AWS.
  await page.route('**/app/p/demo', async route => {
    const response = await route.fetch()
    const body = (await response.text()).replace('id="app"', 'id="app" data-reads-together="true"')
    await route.fulfill({ response, body })
  })
  /** What was asked until the reads were answered: the reads of a call, or one read alone. */
  const asked: string[][] = []
  const READS = /\/(reads$|stats\?|query$|sources\?)/
  await page.route(READS, route => {
    const { reads } = (route.request().postDataJSON() ?? {}) as { reads?: { read: string }[] }
    asked.push(reads?.map(({ read }) => read) ?? [route.request().url()])
    return asked.length > 2
      ? route.continue()
      : route.fulfill({ status: 503, json: { error: 'STARTING', message: 'Ask again.' } })
  })
  await page.goto('/app/p/demo')
  await page.locator(NUMBER).waitFor()
  const [first = [], ...again] = asked.slice(0, 3)
  expect(first.length).toBeGreaterThan(5)
  expect(again).toEqual([first, first])
  for (const url of ['**/app/p/demo', READS]) await page.unroute(url)
})

test('a busy page asks the reads of a failed call again in one call', async () => {
  const asked: string[][] = []
  const page = await dashboard.open('/app/p/demo', {
    async prepare(each) {
      // Each look at the clock finds it later, as where the page waits for the processor in between.
      await each.addInitScript(() => {
        const now = Date.now.bind(Date)
        let late = 0
        Date.now = () => {
          late += 100
          return now() + late
        }
      })
      await each.route('**/app/p/demo', async route => {
        const response = await route.fetch()
        const body = (await response.text()).replace('id="app"', 'id="app" data-reads-together="true"')
        await route.fulfill({ response, body })
      })
      await each.route(/\/(reads$|stats\?|query$|sources\?)/, route => {
        const { reads } = (route.request().postDataJSON() ?? {}) as { reads?: { read: string }[] }
        asked.push(reads?.map(({ read }) => read) ?? [route.request().url()])
        return asked.length > 2
          ? route.continue()
          : route.fulfill({ status: 503, json: { error: 'STARTING', message: 'Ask again.' } })
      })
    },
  })
  await page.locator(NUMBER).waitFor()
  const [first = [], ...again] = asked.slice(0, 3)
  expect(first.length).toBeGreaterThan(4)
  expect(again).toEqual([first, first])
})

test('where all reads of a view fail, it says so once, and one click asks each of them once', async () => {
  const page = await dashboard.visit('/app/p/demo/settings')
  const READS = /\/(stats\?|query$|sources\?)/
  let isBroken = true
  let asked = 0
  await page.route(READS, route => {
    asked += 1
    return isBroken
      ? route.fulfill({ status: 500, json: { error: 'INTERNAL_ERROR', message: 'It failed.' } })
      : route.continue()
  })
  await page.goto('/app/p/demo')
  await expect.poll(() => page.getByText('No numbers yet.').count()).toBeGreaterThan(4)
  // The first part that fails says so itself until a second one fails too.
  await expect.poll(() => page.getByRole('alert').filter({ hasText: 'It failed.' }).count()).toBe(1)
  await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  const reads = asked
  isBroken = false
  await page.getByRole('button', { name: 'Try again' }).dblclick()
  await page.locator(NUMBER).waitFor()
  await expect.poll(() => page.getByText('Something failed').count()).toBe(0)
  await settled(page)
  expect(asked).toBe(2 * reads)
  await page.unroute(READS)
})

test('offline, a view that was not asked before says so, and its numbers come with the connection', async () => {
  const page = await dashboard.open('/app/p/demo')
  await settled(page)
  await page.context().setOffline(true)
  await page.keyboard.press('2')
  await page.getByText('You are offline').first().waitFor()
  await page.context().setOffline(false)
  await page.locator(NUMBER).waitFor()
  // The headline numbers are answered before the lists.
  await expect.poll(() => page.getByText('You are offline').count()).toBe(0)
  await settled(page)
})

test('an expired session leads to the sign-in and back to the same view', async () => {
  const page = await dashboard.open('/app/p/demo/pages?range=7d')
  await settled(page)
  const context = page.context()
  const cookies = await context.cookies()
  await context.clearCookies()
  await page.keyboard.press('3')
  await page.waitForURL(url => url.pathname === '/auth/sign-in')
  const to = new URL(page.url()).searchParams.get('to')
  expect(to).toBe('/app/p/demo/pages?range=14d')
  // What a sign-in does, whoever knows the person.
  await context.addCookies(cookies)
  await page.reload()
  await page.waitForURL(url => url.pathname + url.search === to)
  await settled(page)
})
