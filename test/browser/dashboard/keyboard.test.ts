import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

/** The keyboard alone: the link over the navigation, the focus after a change, and what is read out. */

const dashboard = useDashboard()
/** Stops of the Tab key on the overview: the navigation has 21, and each of five panels about six. */
const MAX_STOPS = 70
/** The id or the class of what has the focus. */
const focused = 'document.activeElement?.id || document.activeElement?.className'

test('the first stop skips the navigation: the next one is in the view', async () => {
  const page = await dashboard.open('/app/p/demo/pages?range=7d')
  await settled(page)
  await page.keyboard.press('Tab')
  expect(await page.evaluate(focused)).toBe('skip')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(focused)).toBe('main')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
  expect(new URL(page.url()).searchParams.get('range')).toBe('7d')
})

test('after a filter by keyboard the focus is at the filters, and both are read out', async () => {
  const page = await dashboard.visit('/app/p/demo?range=7d')
  const status = page.locator('.shell > [role="status"]')
  await page.getByRole('link', { name: 'Germany', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Country is Germany', exact: true }).waitFor()
  await expect.poll(() => page.evaluate(focused)).toBe('filters')
  await expect.poll(() => status.textContent()).toBe('Filters: Country is Germany')
  await page.getByRole('button', { name: 'Remove the filter: Country is Germany' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(focused)).toBe('filters')
  await expect.poll(() => status.textContent()).toBe('No filters')
})

test('another view is read out, and a link that stays keeps the focus', async () => {
  const page = await dashboard.visit('/app/p/demo?range=7d')
  const status = page.locator('.shell > [role="status"]')
  const link = page.getByRole('link', { name: 'Heatmap', exact: true })
  await link.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => status.textContent()).toBe('Heatmap')
  expect(await link.evaluate(each => each === document.activeElement)).toBe(true)
  await page.goBack()
  await expect.poll(() => status.textContent()).toBe('Overview')
})

test('an address with a slash at its end opens its page', async () => {
  const page = await dashboard.open('/app/p/demo/pages/?range=7d')
  await page.getByRole('heading', { name: 'Pages', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/app/p/demo/pages')
})

test('a list is one stop of the Tab key, arrow keys go through its rows, and the overview has few stops', async () => {
  const page = await dashboard.visit('/app/p/demo?range=7d')
  const stops = () =>
    page.evaluate(
      () =>
        [
          ...document.querySelectorAll<HTMLElement>('a[href], button, select, input, summary, [tabindex]'),
        ].filter(each => each.tabIndex >= 0 && each.checkVisibility()).length,
    )
  // 107 before lists were one stop each.
  expect(await stops()).toBeLessThanOrEqual(MAX_STOPS)
  const links = page.getByRole('table', { name: 'Pages by visitors' }).getByRole('link')
  const isFocused = (index: number) => links.nth(index).evaluate(each => each === document.activeElement)
  await links.first().focus()
  await page.keyboard.press('ArrowDown')
  expect(await isFocused(1)).toBe(true)
  await page.keyboard.press('End')
  expect(await isFocused((await links.count()) - 1)).toBe(true)
  await page.keyboard.press('ArrowDown')
  expect(await isFocused((await links.count()) - 1)).toBe(true)
  await page.keyboard.press('Home')
  expect(await isFocused(0)).toBe(true)
  await page.keyboard.press('Tab')
  expect(await links.evaluateAll(all => all.includes(document.activeElement as HTMLAnchorElement))).toBe(
    false,
  )
})
