import { expect, test } from 'vitest'
import { useDashboard } from './dashboard.ts'

/** The grid of cohorts by keyboard, and the choices above it. */

const dashboard = useDashboard()

test('by keyboard alone: a cell opens its numbers and its people; choices change what is counted', async () => {
  const page = await dashboard.visit('/app/p/demo/retention?f=country:eq:DE')
  const first = page.locator('table.grid tbody a').first()
  const next = page.locator('table.grid tbody a').nth(1)
  await first.focus()
  await page.keyboard.press('ArrowRight')
  const href = await next.getAttribute('href')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname + url.search === href)
  expect(new URL(page.url()).searchParams.get('cell')).toMatch(/^\d{4}-\d{2}-\d{2}:1$/)
  await page.getByRole('table', { name: /^People of/ }).waitFor()
  await page.getByRole('link', { name: 'Did not' }).click()
  await page.waitForURL(/gone=1/)
  // The definition of the number, and its call.
  const panel = page.locator('section.panel').filter({ has: page.locator('.summary') })
  await panel.locator('.num').first().click()
  await page.getByRole('dialog').getByText('footfall retention demo').waitFor()
  await page.keyboard.press('Escape')

  await page.getByLabel('Joined with').selectOption('signup')
  await page.waitForURL(/event=signup/)
  await page.getByLabel('Came back with').selectOption('page_view')
  await page.waitForURL(/back=page_view/)
})
