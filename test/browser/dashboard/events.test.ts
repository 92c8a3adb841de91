import { expect, test } from 'vitest'
import { useDashboard } from './dashboard.ts'

/** The view of events: clicks lead from a name to the values of a property, and to a filter. */

const dashboard = useDashboard()

test('a click on an event and on a property shows its values, and a value becomes a filter by keyboard', async () => {
  const page = await dashboard.visit('/app/p/demo/events?range=14d')
  await page.getByRole('link', { name: 'signup', exact: true }).click()
  await page
    .getByRole('list', { name: 'Properties of the event' })
    .getByRole('link', { name: 'plan' })
    .click()
  const value = page.getByRole('table', { name: 'Values of plan' }).getByRole('link').first()
  const plan = await value.innerText()
  await value.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `plan is ${plan}`, exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.getAll('f')).toEqual([`properties.plan:eq:${plan}`])
})
