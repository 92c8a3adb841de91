import { expect, test } from 'vitest'
import { addDays, daysBetween, today, weekOf } from '#dashboard/range'
import type { Drawn } from './drawn.ts'
import { useDrawings } from './drawn-view.ts'
import { count, rate } from './reader.ts'

/** The grid of cohorts: its numbers, its choices, and the people behind a cell. */

const drawings = useDrawings()

const ZONE = 'project=demo&tz=Europe/Berlin'
type Retention = {
  cohorts: { date: string; users: number; retained: number[]; rates: number[] }[]
  average_rates: number[]
  users_analyzed: number
  people?: { id: string; at: number }[]
}

/** The grid stands before the table that everybody can open. */
const grid = (page: Drawn, period: string) =>
  page.cells(`Retention by ${period}`).map(([first, ...cells]) => [first, ...cells.filter(Boolean)])

/** How many weeks (from Monday) have any of the last 30 days: five or six. The weekday of today decides. */
function weeksOf30Days(): number {
  const weekday = new Date(`${today('Europe/Berlin')}T00:00Z`).getUTCDay() || 7
  return 1 + Math.ceil((30 - weekday) / 7)
}

test.each([
  ['week', 'range=90d', 'cohorts=12'],
  ['week', 'range=30d&f=country:eq:DE', `cohorts=${weeksOf30Days()}&filter=country:eq:DE`],
  ['day', 'range=7d&period=day', 'period=day&cohorts=7'],
  ['month', 'range=365d&period=month', 'period=month&cohorts=12'],
])('the grid has the cohorts of the API by %s, %s', async (period, query, asked) => {
  const page = await drawings.draw(`/app/p/demo/retention?${query}`)
  const answer = await drawings.get<Retention>(`/retention?${ZONE}&${asked}`)
  expect(answer.cohorts.length).toBeGreaterThan(0)
  const [all, ...rows] = grid(page, period)
  expect(all?.slice(1)).toEqual(answer.average_rates.map(rate))
  expect(rows.map(row => row.slice(1))).toEqual(answer.cohorts.map(({ rates }) => rates.map(rate)))
  rows.forEach(([name], i) => {
    expect(name).toContain(count(answer.cohorts[i]?.users))
  })
})

test('a cell has the people of the API who came back, and beside them those who did not', async () => {
  const { cohorts } = await drawings.get<Retention>(`/retention?${ZONE}&cohorts=8&period=week`)
  const [cohort] = cohorts
  const page = await drawings.draw(`/app/p/demo/retention?range=90d&cell=${cohort?.date}:1`)
  const numbers = [rate(cohort?.rates[1]), count(cohort?.retained[1])]
  expect(page.texts('section.panel .summary .num')).toEqual(expect.arrayContaining(numbers))
  const ids = (of: Drawn) => of.texts('table[aria-label^="People of"] tbody th')
  const place = `${ZONE}&cohorts=8&period=week&people_of_cohort=${cohort?.date}&people_of_offset=1`
  const back = await drawings.get<Retention>(`/retention?${place}`)
  expect(back.people?.length).toBe(cohort?.retained[1])
  expect(ids(page)).toEqual(back.people?.map(({ id }) => id))
  const gone = await drawings.get<Retention>(`/retention?${place}&people_dropped=true`)
  expect(gone.people?.length).toBeGreaterThan(0)
  expect(ids(await drawings.draw(page.linkOf('Did not')))).toEqual(gone.people?.map(({ id }) => id))
})

test('what makes people join and return is in the address', async () => {
  const page = await drawings.draw('/app/p/demo/retention?range=90d&event=signup&back=page_view')
  const { cohorts } = await drawings.get<Retention>(
    `/retention?${ZONE}&cohorts=8&period=week&event=signup&returning_event=page_view`,
  )
  expect(cohorts.length).toBeGreaterThan(0)
  const [, ...rows] = grid(page, 'week')
  expect(rows.map(row => row.slice(1))).toEqual(cohorts.map(({ rates }) => rates.map(rate)))
  expect(page.region('Cohorts')).toContain('the last weeks of the chosen dates')
})

test.each([
  ['day', 1],
  ['week', 1],
  ['month', 1],
])('cohorts by %s are whole, up to the last date that was chosen', async (period, ago) => {
  const to = addDays(today('Europe/Berlin'), -ago - 7)
  const from = addDays(to, -9)
  const page = await drawings.draw(`/app/p/demo/retention?period=${period}&from=${from}&to=${to}`)
  const { range } = page.said<{ range: { from: string; to: string } }>('GET /retention')
  const first = { day: from, week: weekOf(from), month: `${from.slice(0, 7)}-01` }[period]
  expect(range).toMatchObject({ from: first, to })
  expect(daysBetween(range.from, from)).toBeLessThan(31)
})

test('a project where nobody joined says so', async () => {
  const name = `retention-${Math.random().toString(36).slice(2)}`
  await drawings.post('/projects', { name }, 201)
  expect((await drawings.draw(`/app/p/${name}/retention`)).text()).toContain('Nobody joined in these cohorts')
})
