import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

/** What a view shows when there is no answer, or not yet, or not of everything. */

const dashboard = useDashboard()

const NUMBER = '[data-number="visitors"] .num'
const STATS = '**/stats?*'

/** Answers reads of a path with an error of the service. */
async function refuse(page: Page, path: string, status: number, error: string, message = 'Because.') {
  await page.route(path, route => route.fulfill({ status, json: { error, message } }))
}

/** Opens a view of which nothing is asked yet, so that a test can prepare the answers. */
function elsewhere(): Promise<Page> {
  return dashboard.open('/app/p/demo/settings')
}

test('a short wait shows nothing, and grey bars come after 200 ms', async () => {
  const page = await elsewhere()
  await page.clock.install()
  await page.clock.pauseAt(new Date(Date.now() + 60_000))
  const held: Route[] = []
  await page.route(/\/(stats|query)\b/, route => void held.push(route))
  await page.goto('/app/p/demo')
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

test('where one answer fails, the others are shown, and its panel says what is wrong', async () => {
  const page = await elsewhere()
  await page.route('**/query', route =>
    route.request().postDataJSON().group_by[0] === 'country'
      ? route.fulfill({ status: 500, json: { error: 'INTERNAL', message: 'Try again later.' } })
      : route.continue(),
  )
  await page.goto('/app/p/demo?range=7d')
  const panel = page.getByRole('region', { name: 'Places' })
  await panel.getByText('Something failed').waitFor()
  expect(await panel.innerText()).toContain('Try again later.')
  await page.locator(NUMBER).waitFor()
  await page.getByRole('table', { name: 'Pages by visitors' }).waitFor()
})

test.each([
  [400, 'VALIDATION_ERROR', 'The service cannot answer this', null],
  [403, 'FORBIDDEN', 'You may not see this', 'Somebody who may'],
  [403, 'PRO_REQUIRED', 'This is part of the Pro plan', 'Upgrade the account'],
  [404, 'NOT_FOUND', 'This does not exist', 'All sites'],
  [429, 'RATE_LIMITED', 'Too many reads', 'Trying again by itself'],
])('status %i with %s says what it means, why, and what to do', async (status, code, title, advice) => {
  const page = await elsewhere()
  await refuse(page, STATS, status, code, 'The reason of the service.')
  await page.goto('/app/p/demo')
  const note = page.getByRole('alert').filter({ hasText: title })
  await note.waitFor()
  expect(await note.innerText()).toContain('The reason of the service.')
  if (advice !== null) expect(await note.innerText()).toContain(advice)
})

test('the numbers come by themselves when the service is back, or when too many reads are over', async () => {
  const page = await elsewhere()
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

test('a known answer stays when it cannot be asked again, and says that it is from before', async () => {
  const page = await dashboard.open('/app/p/demo?range=7d')
  await settled(page)
  const number = await page.locator(NUMBER).innerText()
  await refuse(page, STATS, 503, 'STARTING', 'The service starts.')
  await page.clock.install({ time: Date.now() + 60_000 })
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await page.getByText('These numbers are from before').first().waitFor()
  expect(await page.locator(NUMBER).innerText()).toBe(number)
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

test('a project without events in the range says where its events are', async () => {
  const page = await dashboard.open('/app/p/demo?from=2020-01-01&to=2020-01-02')
  await page.getByText('No events in this range').waitFor()
  await page.getByRole('link', { name: 'Show everything since then' }).click()
  await page.locator(NUMBER).waitFor()
})
