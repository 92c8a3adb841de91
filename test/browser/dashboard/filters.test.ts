import { expect, test } from 'vitest'
import { useDashboard } from './dashboard.ts'

/** Filters, segments and the palette, which all views share. */

const dashboard = useDashboard()

test('a filter is changed where it stands, and its field may have others beside it', async () => {
  const page = await dashboard.visit('/app/p/demo?range=14d&f=country:eq:DE&f=country:neq:FR')
  await page.getByRole('button', { name: 'Country is Germany', exact: true }).click()
  await page.getByRole('combobox', { name: 'Condition' }).selectOption('neq')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('button', { name: 'Country is not Germany', exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.getAll('f')).toEqual(['country:neq:DE', 'country:neq:FR'])
})

test('a saved view is a segment: its filters hold in whatever view is open', async () => {
  const name = 'segments'
  await dashboard.post('/projects', { name }, 201)
  const query = 'view=overview&f=country%3Aeq%3ADE&f=properties.device%3Aneq%3Amobile'
  await dashboard.post(`/projects/${name}/views`, { name: 'Germans at a desk', query }, 201)
  const page = await dashboard.visit(`/app/p/${name}/sources?range=7d`)
  const segments = page.getByRole('combobox', { name: 'Segment' })
  await segments.selectOption('Germans at a desk')
  await page.getByRole('button', { name: 'Device is not mobile', exact: true }).waitFor()
  const { pathname, searchParams } = new URL(page.url())
  expect([pathname, searchParams.get('range')]).toEqual([`/app/p/${name}/sources`, '7d'])
  await page.reload()
  await page.getByRole('link', { name: 'Pages', exact: true }).click()
  await page.getByRole('button', { name: 'Country is Germany', exact: true }).waitFor()
  expect(await segments.locator('option:checked').innerText()).toBe('Germans at a desk')
  await segments.selectOption('Everything')
  await page.waitForURL(url => !url.searchParams.has('f'))
})

test('the palette jumps to a saved view, to dates and to a comparison, and adds a filter by a person', async () => {
  const name = 'palette'
  await dashboard.post('/projects', { name }, 201)
  const query = 'view=sources&range=90d'
  await dashboard.post(`/projects/${name}/views`, { name: 'Quarter by source', query }, 201)
  const page = await dashboard.visit(`/app/p/${name}`)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const jump = async (text: string, found: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Jump to/ }).fill(text)
    await page.getByRole('listbox').getByRole('option', { name: found }).first().waitFor()
    await page.keyboard.press('Enter')
  }
  await jump('quarter', 'Quarter by source')
  await page.waitForURL(`**/app/p/${name}/sources?range=90d`)
  await jump('2026-01-05 to 2026-01-07', '5 Jan – 7 Jan')
  await page.waitForURL(/from=2026-01-05&to=2026-01-07/)
  await jump('user_id is ada', 'user_id is ada')
  await page.waitForURL(/f=user_id%3Aeq%3Aada/)
  await jump('overview', 'Overview')
  await jump('previous year', 'Previous year')
  await page.waitForURL(/compare=year/)
})
