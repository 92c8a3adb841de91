import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useDashboard } from './dashboard.ts'

/** When an open view asks again: each question costs money on AWS. */

const dashboard = useDashboard()

/** What the page of one machine says, `data-refresh-seconds`. */
const REFRESH_MS = 60_000

/** The overview with a clock that only the test moves, and what it asks of /stats from then on. */
async function openOverview() {
  const page = await dashboard.visit('/app/p/demo/settings')
  await page.clock.install()
  const asked: string[] = []
  page.on('request', request => {
    if (new URL(request.url()).pathname === '/stats') asked.push(request.url())
  })
  await page.goto(new URL('/app/p/demo', page.url()).href)
  await page.getByRole('heading', { name: 'Visitors' }).first().waitFor()
  await page.waitForLoadState('networkidle')
  return { page, asked, asks: () => asked.splice(0).length }
}

const look = (page: Page, state: string) =>
  page.evaluate(value => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

test('an open view asks again after the time that the page says', async () => {
  const { page, asked, asks } = await openOverview()
  expect(asks()).toBeGreaterThan(0)
  expect(await page.locator('#app').getAttribute('data-refresh-seconds')).toBe('60')
  await page.clock.runFor(REFRESH_MS - 5_000)
  expect(asked).toEqual([])
  await page.clock.runFor(5_000)
  await expect.poll(() => asked.length).toBeGreaterThan(0)
})

test('a hidden tab asks nothing, and asks only what is old when it is shown again', async () => {
  const { page, asked, asks } = await openOverview()
  asks()
  await look(page, 'hidden')
  await look(page, 'visible')
  expect(asked).toEqual([])
  await look(page, 'hidden')
  await page.clock.runFor(10 * REFRESH_MS)
  expect(asked).toEqual([])
  await look(page, 'visible')
  await expect.poll(() => asked.length).toBeGreaterThan(0)
})
