import { expect, test } from 'vitest'
import { cells, settled, useDashboard, violations } from './dashboard.ts'

/** Hours by weekdays in the chosen zone, wide and on a phone. */

const dashboard = useDashboard()

const count = (value: number) => value.toLocaleString('en-GB')

type Cell = { day: number; hour: number; events: number; users: number }
type Heatmap = { heatmap: Cell[]; peak: Cell; busiest_day: string; busiest_hour: number }

test.each([
  ['events', ''],
  ['users', '&of=users'],
] as const)('the grid has the %s of the API, from Monday to Sunday', async (measure, query) => {
  const page = await dashboard.open(`/app/p/demo/heatmap?range=14d${query}`)
  await settled(page)
  const { heatmap } = await dashboard.get<Heatmap>('/heatmap?project=demo&since=13d&tz=Europe/Berlin')
  const at = (day: number, hour: number) => heatmap.find(each => each.day === day && each.hour === hour)
  const rows = await cells(page, `${measure === 'users' ? 'Visitors' : 'Events'} by weekday and hour`)
  const shown = rows.filter(row => row.length === 25)
  expect(shown.map(([name]) => name)).toEqual([
    ...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  ])
  expect(shown.map(row => row.slice(1))).toEqual(
    [1, 2, 3, 4, 5, 6, 0].map(day =>
      Array.from({ length: 24 }, (_, hour) => count(at(day, hour)?.[measure] ?? 0)),
    ),
  )
})

test('the peak is that of the API, in the zone of the address', async () => {
  const page = await dashboard.open('/app/p/demo/heatmap?range=14d&tz=Asia/Tokyo')
  await settled(page)
  const { peak, busiest_hour } = await dashboard.get<Heatmap>('/heatmap?project=demo&since=13d&tz=Asia/Tokyo')
  const tile = page.locator('[data-number="peak"]')
  expect(await tile.locator('.num').innerText()).toBe(count(peak.events))
  expect(await tile.locator('dt').innerText()).toContain(`${String(peak.hour).padStart(2, '0')}:00`)
  expect(await page.locator('[data-number="hour"] dt').innerText()).toContain(
    `${String(busiest_hour).padStart(2, '0')}:00`,
  )
  await page.getByText('hours of Asia/Tokyo').waitFor()
})

test('on a phone the hours stand one below the other, and all weekdays fit', async () => {
  const page = await dashboard.open('/app/p/demo/heatmap', { viewport: { width: 390, height: 844 } })
  await settled(page)
  await page.locator('table.grid thead th').nth(7).waitFor()
  expect(await page.locator('table.grid thead th').count()).toBe(8)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  const last = await page.locator('table.grid thead th').last().boundingBox()
  expect((last?.x ?? 999) + (last?.width ?? 0)).toBeLessThanOrEqual(390)
})

test('a project without events says so', async () => {
  await dashboard.post('/projects', { name: 'heatmap-empty' }, 201)
  const page = await dashboard.open('/app/p/heatmap-empty/heatmap')
  await page.getByText('No events in this range').waitFor()
})

test('on a phone the heatmap is accessible, light and dark', async () => {
  const page = await dashboard.open('/app/p/demo/heatmap', { viewport: { width: 390, height: 844 } })
  await settled(page)
  expect(await violations(page)).toEqual([])
})
