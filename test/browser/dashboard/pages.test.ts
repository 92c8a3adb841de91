import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard, violations } from './dashboard.ts'

/** The views of pages and sources show what the API answers. */

const dashboard = useDashboard()

const dated = { project: 'demo', date_from: '13d', tz: 'Europe/Berlin', count_mode: 'raw' }
const ZONE = 'project=demo&since=13d&tz=Europe/Berlin'
const count = (value: unknown) => Number(value).toLocaleString('en-GB')
const rate = (value: unknown) =>
  Number(value).toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 })

type Query = { rows: Record<string, string | number | null>[] }

/** The cells of a table, row by row. */
function cells(page: Page, table: string): Promise<string[][]> {
  return page
    .getByRole('table', { name: table })
    .locator('tbody tr')
    .evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent?.trim() ?? '')))
}

test('pages are listed by visitors, and by the sessions that begin and end on them', async () => {
  const page = await dashboard.open('/app/p/demo/pages?range=14d')
  await settled(page)
  const { rows } = await dashboard.post<Query>('/query', {
    ...dated,
    metrics: ['unique_users', 'event_count', 'session_count', 'bounce_rate'],
    group_by: ['properties.path'],
    filters: [{ field: 'event', op: 'eq', value: 'page_view' }],
    limit: 50,
  })
  const expected = rows
    .filter(({ other }) => !other)
    .map(row => [
      row['properties.path'],
      ...[row.unique_users, row.event_count, row.session_count].map(count),
      rate(row.bounce_rate),
    ])
  expect(await cells(page, 'Pages by visitors')).toEqual(expected)
  await page.getByRole('link', { name: 'Entry pages' }).click()
  await settled(page)
  const ends = await dashboard.get<{ entry_pages: { page: string; sessions: number }[] }>(
    `/pages?type=both&limit=50&${ZONE}`,
  )
  const shown = await cells(page, 'Entry pages by sessions')
  expect(shown.map(row => row.slice(0, 2))).toEqual(
    ends.entry_pages.map(each => [each.page, count(each.sessions)]),
  )
  const lengths = await dashboard.get<{ distribution: { bucket: string; sessions: number }[] }>(
    `/sessions/distribution?${ZONE}`,
  )
  expect((await cells(page, 'Sessions by length')).map(([bucket]) => bucket)).toEqual(
    lengths.distribution.map(({ bucket }) => bucket),
  )
})

test('sources are listed by any utm field, and by the part of their users that sent an event', async () => {
  const page = await dashboard.open('/app/p/demo/sources?range=14d&by=utm_source')
  await settled(page)
  const { rows } = await dashboard.post<Query>('/query', {
    ...dated,
    metrics: ['unique_users'],
    group_by: ['properties.utm_source'],
    limit: 50,
  })
  const named = rows.filter(row => !row.other && row['properties.utm_source'] !== null)
  expect((await cells(page, 'Sources by visitors')).map(row => row.slice(0, 2))).toEqual(
    named.map(row => [row['properties.utm_source'], count(row.unique_users)]),
  )
  await page.getByRole('combobox', { name: 'Event', exact: true }).selectOption('signup')
  await page.waitForURL(/goal=signup/)
  await settled(page)
  const { values, rate: all } = await dashboard.get<{
    rate: number
    values: { value: string; users: number; converted: number; rate: number }[]
  }>(`/conversion?goal=signup&by=utm_source&limit=50&${ZONE}`)
  expect(await page.locator('.num.inline').innerText()).toBe(rate(all))
  expect(await cells(page, 'Sources by conversion')).toEqual(
    values.map(each => [each.value, count(each.users), count(each.converted), rate(each.rate)]),
  )
})

test('the campaigns of a goal are accessible, light and dark', async () => {
  const page = await dashboard.open('/app/p/demo/sources?by=utm_campaign&goal=signup')
  await settled(page)
  expect(await violations(page)).toEqual([])
})
