import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cells, useDashboard, violations } from './dashboard.ts'

/** Lists of rows: search, order, and more rows than are shown at once. */

const dashboard = useDashboard()

const LIST = 'Pages by visitors'

/** The list as it is before anybody has ordered it, searched in it, or opened more of it. */
async function fresh(range: string) {
  await dashboard.visit('/app/p/demo/settings')
  return dashboard.visit(`/app/p/demo/pages?tz=UTC&compare=none&${range}`)
}

test('a list shows 50 rows and how many there are, and the rest with one click', async () => {
  const { total_rows, rows } = await dashboard.post<{ total_rows?: number; rows: { other?: true }[] }>(
    '/query',
    {
      ...{ project: 'demo', date_from: '29d', tz: 'UTC', count_mode: 'raw', metrics: ['unique_users'] },
      ...{ group_by: ['properties.path'], limit: 1_000 },
      filters: [{ field: 'event', op: 'eq', value: 'page_view' }],
    },
  )
  const all = total_rows ?? rows.length
  expect(all).toBeGreaterThan(50)
  const page = await fresh('range=30d')
  expect(await cells(page, LIST)).toHaveLength(50)
  await page.getByText(`50 of ${all} rows.`).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText(`${all} of ${all} rows.`).waitFor()
  expect(await cells(page, LIST)).toHaveLength(all)
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
})

test('a search finds rows that are not shown yet, and says when there are none', async () => {
  const page = await fresh('range=30d')
  const table = page.getByRole('table', { name: LIST })
  const shown = (await cells(page, LIST)).map(([path]) => path)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(async () => (await cells(page, LIST)).length).toBeGreaterThan(50)
  const last = (await cells(page, LIST)).at(-1)?.[0] as string
  expect(shown).not.toContain(last)

  await fresh('range=30d')
  const search = page.getByRole('searchbox', { name: `Search in ${LIST}` })
  await search.fill(last.toUpperCase())
  await table.getByRole('link', { name: last, exact: true }).waitFor()
  await search.fill('no page of this site')
  await page.getByText('No row has this text.').waitFor()
  expect(await violations(page, 'main')).toEqual([])
  await search.fill('')
  await expect.poll(async () => (await cells(page, LIST)).length).toBe(50)
})

test('the head of a column orders the list by keyboard, and says so to a screen reader', async () => {
  const page = await fresh('range=14d')
  const head = page.getByRole('columnheader', { name: 'Views', exact: true })
  await head.getByRole('button').focus()
  await page.keyboard.press('Enter')
  expect(await head.getAttribute('aria-sort')).toBe('descending')
  const views = async () => (await cells(page, LIST)).map(row => Number(row[2]?.replaceAll(/\D/g, '')))
  const descending = await views()
  expect(descending).toEqual(descending.toSorted((a, b) => b - a))
  await page.keyboard.press('Enter')
  expect(await head.getAttribute('aria-sort')).toBe('ascending')
  const ascending = await views()
  expect(ascending).toEqual(ascending.toSorted((a, b) => a - b))
  expect(ascending[0]).toBeLessThan(descending[0] as number)
  expect(await violations(page, 'main')).toEqual([])
})

test('a list whose rows did not come says so, and one click asks for them again', async () => {
  const page = await fresh('range=30d')
  let asked = 0
  await page.route('**/query', route => {
    const isWhole = route.request().postDataJSON().limit === 1_000
    if (isWhole) asked += 1
    return isWhole && asked === 1
      ? route.fulfill({ status: 400, json: { error: 'QUERY_FAILED', message: 'Ask for less.' } })
      : route.continue()
  })
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('Ask for less.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(async () => (await cells(page, LIST)).length).toBeGreaterThan(50)
  expect(await page.getByText('Ask for less.').count()).toBe(0)
  await page.unroute('**/query')
})

test('sums of several currencies are ordered by the one that most rows have, not as texts', async () => {
  const name = `sums-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  const paid = [
    ['spring', 9, 'EUR'],
    ['autumn', 100, 'EUR'],
    ['winter', 20, 'EUR'],
    ['winter', 5_000, 'JPY'],
    ['summer', 7, 'JPY'],
  ] as const
  const events = paid.flatMap(([utm_source, value, currency], i) => {
    const ids = { user_id: `u${i}`, session_id: `s${i}` }
    return [
      { event: 'page_view', ...ids, properties: { path: '/', utm_source } },
      { event: 'purchase', ...ids, properties: { value, currency } },
    ]
  })
  await dashboard.post('/track/batch', { token, events }, 202)
  await eventually(async () => {
    expect(await dashboard.get(`/stats?project=${name}&since=0d`)).toMatchObject({
      totals: { total_events: events.length },
    })
  })
  const page = await dashboard.visit(`/app/p/${name}/sources?range=1d&by=source&goal=purchase`)
  const head = page.getByRole('columnheader', { name: 'Value' })
  const sums = async () => (await cells(page, 'Sessions by source')).map(row => row.at(-1))
  await head.getByRole('button').click()
  await expect.poll(sums).toEqual(['100 EUR', '20 EUR, 5,000 JPY', '9 EUR', '7 JPY'])
  await head.getByRole('button').click()
  await expect.poll(sums).toEqual(['9 EUR', '20 EUR, 5,000 JPY', '100 EUR', '7 JPY'])
})
