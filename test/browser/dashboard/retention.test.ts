import { expect, test } from 'vitest'
import { cells, settled, useDashboard, violations } from './dashboard.ts'

/** The grid of cohorts: its numbers, its choices, and the people behind a cell. */

const dashboard = useDashboard()

const count = (value: number) => value.toLocaleString('en-GB')
const rate = (value: number) => value.toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 })

const ZONE = 'project=demo&tz=Europe/Berlin'
type Retention = {
  cohorts: { date: string; users: number; retained: number[]; rates: number[] }[]
  average_rates: number[]
  users_analyzed: number
  people?: { id: string; at: number }[]
}

test.each([
  ['week', ''],
  ['day', '&period=day&cohorts=7'],
  ['month', '&period=month&cohorts=3'],
])('the grid has the cohorts of the API by %s', async (period, query) => {
  const page = await dashboard.open(`/app/p/demo/retention?${query.slice(1)}`)
  await settled(page)
  const answer = await dashboard.get<Retention>(`/retention?${ZONE}&cohorts=8${query}`)
  expect(answer.cohorts.length).toBeGreaterThan(0)
  const [all, ...rows] = await cells(page, `Retention by ${period}`)
  expect(all?.slice(1)).toEqual(answer.average_rates.map(rate))
  expect(rows).toHaveLength(answer.cohorts.length)
  rows.forEach((row, i) => {
    const cohort = answer.cohorts[i]
    expect(row[0]).toContain(count(cohort?.users ?? -1))
    expect(row.slice(1).filter(text => text !== '')).toEqual(cohort?.rates.map(rate))
  })
})

test('a cell opens its numbers and its people, by keyboard alone, and those who did not come back', async () => {
  const page = await dashboard.open('/app/p/demo/retention')
  await settled(page)
  const { cohorts } = await dashboard.get<Retention>(`/retention?${ZONE}&cohorts=8&period=week`)
  const cohort = cohorts[0]
  await page.locator('table.grid tbody a').first().focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForURL(/cell=/)
  await settled(page)
  expect(new URL(page.url()).searchParams.get('cell')).toBe(`${cohort?.date}:1`)
  const panel = page.locator('section.panel').filter({ has: page.locator('.summary') })
  expect(await panel.locator('.num').allInnerTexts()).toEqual([
    rate(cohort?.rates[1] ?? -1),
    count(cohort?.retained[1] ?? -1),
  ])
  const place = `${ZONE}&cohorts=8&period=week&people_of_cohort=${cohort?.date}&people_of_offset=1`
  const back = await dashboard.get<Retention>(`/retention?${place}`)
  expect(back.people?.length).toBe(cohort?.retained[1])
  const people = page.getByRole('table', { name: /^People of/ })
  const ids = () => people.locator('tbody th').allInnerTexts()
  expect(await ids()).toEqual(back.people?.map(({ id }) => id))
  await page.getByRole('link', { name: 'Did not' }).click()
  await page.waitForURL(/gone=1/)
  await settled(page)
  const gone = await dashboard.get<Retention>(`/retention?${place}&people_dropped=true`)
  expect(gone.people?.length).toBeGreaterThan(0)
  expect(await ids()).toEqual(gone.people?.map(({ id }) => id))
  // The definition of the number, and its call.
  await panel.locator('.num').first().click()
  await page.getByRole('dialog').getByText('footfall retention demo').waitFor()
})

test('what makes people join and return is in the address, and the toolbar leaves out the range', async () => {
  const page = await dashboard.open('/app/p/demo/retention?f=country:eq:DE')
  await settled(page)
  await page.getByLabel('Joined with').selectOption('signup')
  await page.waitForURL(/event=signup/)
  await page.getByLabel('Came back with').selectOption('page_view')
  await page.waitForURL(/back=page_view/)
  await page.reload()
  await settled(page)
  const { cohorts } = await dashboard.get<Retention>(
    `/retention?${ZONE}&cohorts=8&period=week&event=signup&returning_event=page_view`,
  )
  expect(cohorts.length).toBeGreaterThan(0)
  const [, ...rows] = await cells(page, 'Retention by week')
  expect(rows.map(row => row.slice(1).filter(Boolean))).toEqual(cohorts.map(({ rates }) => rates.map(rate)))
  expect(await page.getByLabel('Range', { exact: true }).count()).toBe(0)
  await page.getByText('do not count in this view').waitFor()
})

test('a project where nobody joined says so', async () => {
  await dashboard.post('/projects', { name: 'retention-empty' }, 201)
  const page = await dashboard.open('/app/p/retention-empty/retention')
  await page.getByText('Nobody joined in these cohorts').waitFor()
})

test('retention is accessible, light and dark', async () => {
  const { cohorts } = await dashboard.get<Retention>(`/retention?${ZONE}&cohorts=8&period=week`)
  for (const query of [`?cell=${cohorts[0]?.date}:1`, '?period=day&cohorts=30']) {
    const page = await dashboard.open(`/app/p/demo/retention${query}`)
    await settled(page)
    expect(await violations(page)).toEqual([])
  }
})

test('a phone shows the grid in its own scroller', async () => {
  const page = await dashboard.open('/app/p/demo/retention', { viewport: { width: 390, height: 844 } })
  await settled(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
