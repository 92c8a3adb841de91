import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'
import { faultsOfLayout } from './layout.ts'

/** A view on paper. */

const dashboard = useDashboard()

/** Width of A4 with the margins of Chromium, px. */
const PAPER = 718

test.each(['', '/sources', '/pages'])(
  'the view %j of a month is printed with its dates and numbers alone',
  async view => {
    const page = await dashboard.open(`/app/p/demo${view}?range=30d`, { colorScheme: 'dark' })
    await settled(page)
    await page.setViewportSize({ width: PAPER, height: 1_000 })
    await page.emulateMedia({ media: 'print' })
    await settled(page)
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    expect(await page.locator('.toolbar .title').innerText()).toMatch(/^demo\n+\S+\n+.*–/)
    for (const hidden of ['.side', '.toolbar .controls', '.tools'])
      expect(await page.locator(hidden).locator('visible=true').count(), hidden).toBe(0)
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(20, 24, 31)')
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light')
    const folder = process.env.SCREENSHOTS
    if (folder !== undefined)
      await page.screenshot({ path: `${folder}/print${view.replace('/', '-')}.png`, fullPage: true })
    expect(await page.evaluate(faultsOfLayout)).toEqual([])
  },
)
