import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

/** The tree of ways to a goal: its folds by keyboard, and its choices. */

const dashboard = useDashboard()

test('the tree folds by keyboard and opens by three levels, and a choice is in the address', async () => {
  const page = await dashboard.visit('/app/p/demo/paths?goal=signup')
  const first = page.locator('.tree > ul > li').first()
  const children = first.locator('> details > ul > li')
  expect(await children.count()).toBeGreaterThan(0)
  await first.locator('> details > summary').focus()
  await page.keyboard.press('Enter')
  await children.first().waitFor({ state: 'hidden' })
  // What is closed is not drawn, so a tree of thousands of nodes stays quick.
  await expect.poll(() => page.locator('.tree details:not([open]) > ul').count()).toBe(0)
  await page.getByRole('link', { name: 'Open more' }).click()
  await page.waitForURL(/open=more/)
  const third = page.locator('.tree > ul > li > details > ul > li > details > ul > li > details')
  await third.first().waitFor()

  await page.getByRole('combobox', { name: 'Steps' }).selectOption('2')
  await page.waitForURL(/depth=2/)
  await settled(page)
  const [label = ''] = await page.locator('.tree > ul > li > details > summary .label').allInnerTexts()
  await page.getByRole('combobox', { name: 'From the page' }).selectOption(label)
  await page.waitForURL(/entry=/)
  await expect
    .poll(() => page.locator('.tree > ul > li > details > summary .label').allInnerTexts())
    .toEqual([label])
})
