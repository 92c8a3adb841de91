import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useDashboard } from './dashboard.ts'

/** What every chart and table offers: where its numbers come from, CSV and PNG. */

const dashboard = useDashboard()
let page: Page

/** What a click on a button saves. */
async function saved(button: string): Promise<{ name: string; content: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) }
}

/** Pixels of a PNG that differ from its first one, and its size. */
async function inked(png: Buffer): Promise<{ width: number; height: number; part: number }> {
  return page.evaluate(async base64 => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const canvas = document.createElement('canvas')
    ;[canvas.width, canvas.height] = [image.width, image.height]
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.drawImage(image, 0, 0)
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)
    const other = pixels.filter(pixel => pixel !== pixels[0]).length
    return { width: image.width, height: image.height, part: other / pixels.length }
  }, png.toString('base64'))
}

test.each([
  ['/app/p/demo?range=14d', 'Visitors by day'],
  ['/app/p/demo?range=14d', 'Places by visitors'],
  ['/app/p/demo/pages?range=14d', 'Pages by visitors'],
  ['/app/p/demo/funnel?range=14d&step=page_view&step=signup', 'Funnel'],
  ['/app/p/demo/retention', 'Retention'],
  ['/app/p/demo/heatmap', 'Events by weekday and hour'],
])('the picture of %s: %s is saved as PNG with all that is drawn', async (path, name) => {
  page = await dashboard.visit(path)
  const { name: file, content } = await saved(`${name} as PNG`)
  const start = `demo-${name.toLowerCase().replaceAll(' ', '-')}-`
  expect(file.slice(0, start.length)).toBe(start)
  expect(file.slice(start.length)).toMatch(/^\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.png$/)
  const { width, height, part } = await inked(content)
  expect(width).toBeGreaterThan(600)
  expect(height).toBeGreaterThan(150)
  expect(part).toBeGreaterThan(0.02)
})

test('a table is saved as CSV with the numbers as they are, and shown as the reader writes them', async () => {
  page = await dashboard.visit('/app/p/demo/pages?range=30d')
  const { content } = await saved('Pages by visitors as CSV')
  const [head, first = '', ...others] = content.toString().split('\r\n')
  expect(head).toBe('\ufeffPage,Visitors,Views,Sessions,Without interaction (0 to 1)')
  // The list shows 50 of 60.
  expect(others.filter(line => line !== '')).toHaveLength(59)
  const { rows } = await dashboard.post<{ rows: Record<string, number | string>[] }>('/query', {
    ...{ project: 'demo', date_from: '29d', tz: 'Europe/Berlin', count_mode: 'raw', limit: 1 },
    group_by: ['properties.path'],
    metrics: ['unique_users', 'event_count', 'session_count', 'bounce_rate'],
    filters: [{ field: 'event', op: 'eq', value: 'page_view' }],
  })
  const [row = {}] = rows
  const { unique_users, event_count, session_count, bounce_rate } = row
  expect(first).toBe(
    [row['properties.path'], unique_users, event_count, session_count, bounce_rate].join(','),
  )
  const cells = page
    .getByRole('table', { name: 'Pages by visitors' })
    .locator('tbody tr')
    .first()
    .locator('td')
  expect((await cells.allInnerTexts())[1]).toBe(Number(event_count).toLocaleString('en-GB'))
})

test('a chart and a table say where their numbers come from: definitions, receipt, calls and statements', async () => {
  page = await dashboard.visit('/app/p/demo/sources?range=14d&by=utm_medium')
  await page.getByRole('button', { name: 'About these numbers: Sources by visitors' }).click()
  const dialog = page.getByRole('dialog')
  for (const title of ['Visitors:', 'Sessions:', 'Without interaction:'])
    await dialog.getByText(title, { exact: true }).waitFor()
  await dialog.getByText('Fresh until').waitFor()
  const [curl, command] = await dialog.locator('pre').allInnerTexts()
  expect(curl).toContain('/query')
  expect(command).toMatch(/^footfall query demo .*--metrics unique_users,/)
  await page.keyboard.press('Escape')
})

test('an answer that a cap has cut says so at its picture', async () => {
  await page.route('**/heatmap?*', async route => {
    const response = await route.fetch()
    const receipt = response.headers()['x-footfall-receipt']?.replace('exact=true', 'exact=false') ?? ''
    await route.fulfill({ response, headers: { ...response.headers(), 'x-footfall-receipt': receipt } })
  })
  page = await dashboard.visit('/app/p/demo/heatmap?range=7d')
  await page.getByRole('button', { name: 'Not complete: Events by weekday and hour' }).click()
  await page.getByText('No: a limit or a cap has cut the answer').waitFor()
  await page.unrouteAll()
  await page.keyboard.press('Escape')
})

test('the value of today goes on, so its line is dashed and its name says so far', async () => {
  page = await dashboard.visit('/app/p/demo?range=14d&compare=none')
  expect(await page.locator('path.tail').count()).toBe(1)
  await page.getByRole('img', { name: /^Visitors by day/ }).focus()
  await page.keyboard.press('End')
  await page
    .locator('.readout')
    .getByText(/, so far$/)
    .waitFor()
})
