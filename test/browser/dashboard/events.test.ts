import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard, violations } from './dashboard.ts'

/** The view of events shows names, properties, values and whole events as the API answers them. */

const dashboard = useDashboard()

const dated = { project: 'demo', date_from: '13d', tz: 'Europe/Berlin', count_mode: 'raw', limit: 50 }
const count = (value: unknown) => Number(value).toLocaleString('en-GB')

type Query = { rows: Record<string, string | number | null>[] }

/** The first three cells of each row of a table. */
function cells(page: Page, table: string): Promise<(string | null)[][]> {
  return page
    .getByRole('table', { name: table })
    .locator('tbody tr')
    .evaluateAll(rows => rows.map(row => [...row.children].slice(0, 3).map(cell => cell.textContent)))
}

test('names, and the values of a property, have the numbers of the API; a click on a value is a filter', async () => {
  const page = await dashboard.open('/app/p/demo/events?range=14d')
  await settled(page)
  const metrics = ['event_count', 'unique_users']
  const { rows } = await dashboard.post<Query>('/query', { ...dated, metrics, group_by: ['event'] })
  expect(await cells(page, 'Events by number')).toEqual(
    rows.map(row => [row.event, count(row.event_count), count(row.unique_users)]),
  )
  await page.getByRole('link', { name: 'signup', exact: true }).click()
  await page
    .getByRole('list', { name: 'Properties of the event' })
    .getByRole('link', { name: 'plan' })
    .click()
  await page.getByRole('table', { name: 'Values of plan' }).waitFor()
  const plans = await dashboard.post<Query>('/query', {
    ...dated,
    metrics,
    group_by: ['properties.plan'],
    filters: [{ field: 'event', op: 'eq', value: 'signup' }],
  })
  const first = plans.rows.filter(row => !row.other)[0]
  expect((await cells(page, 'Values of plan'))[0]).toEqual([
    first?.['properties.plan'] ?? '(not set)',
    count(first?.event_count),
    count(first?.unique_users),
  ])
  const value = page.getByRole('table', { name: 'Values of plan' }).getByRole('link').first()
  const plan = await value.innerText()
  await value.focus()
  await page.keyboard.press('Enter')
  await page.getByText(`plan is ${plan}`).waitFor()
})

test('hostile names, keys and values stay text', async () => {
  const name = `events-${Math.random().toString(36).slice(2)}`
  const hostile = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  const properties = { label: hostile }
  await dashboard.post('/track', { token, event: hostile, user_id: 'u', session_id: 's', properties }, 202)
  const path = `/app/p/${name}/events?range=1d&prop=label&event=${encodeURIComponent(hostile)}`
  const page = await dashboard.open(path)
  await expect
    .poll(
      async () => {
        await page.reload()
        await settled(page)
        return page.getByRole('table', { name: 'Values of label' }).getByText(hostile).count()
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  await page.locator('.timeline summary').first().click()
  expect(await page.locator('main img, main script').count()).toBe(0)
})

test('events are accessible, light and dark', async () => {
  const page = await dashboard.open('/app/p/demo/events?event=signup&prop=plan')
  await settled(page)
  expect(await violations(page)).toEqual([])
})
