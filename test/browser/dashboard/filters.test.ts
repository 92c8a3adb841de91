import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

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

type Rows = { rows: { unique_users: number }[] }
const asked = { project: 'demo', date_from: '13d', tz: 'Europe/Berlin', metrics: ['unique_users'] }
const visitors = async (where: object) => {
  const { rows } = await dashboard.post<Rows>('/query', { ...asked, where })
  return rows[0]?.unique_users.toLocaleString('en-GB')
}

test('by keyboard: visitors who did something, and sessions with it, hold in every view, and are removed', async () => {
  const page = await dashboard.visit('/app/p/demo?range=14d')
  await page.keyboard.press('f')
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Visitors who did')
  await page.getByRole('combobox', { name: 'Event' }).fill('signup')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Visitors who did signup', exact: true }).waitFor()
  await settled(page)
  expect(await page.locator('[data-number="visitors"] .num').innerText()).toBe(
    await visitors({ did: { event: 'signup' } }),
  )
  await page.keyboard.press('f')
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Sessions with an event where')
  await page.getByRole('combobox', { name: 'Field' }).selectOption('Path')
  await page.getByRole('combobox', { name: 'Value' }).fill('/pricing')
  await page.keyboard.press('Enter')
  await page
    .getByRole('button', { name: 'Sessions with an event where Path is /pricing', exact: true })
    .waitFor()
  await settled(page)
  const both = {
    and: [
      { did: { event: 'signup' } },
      { session: { field: 'properties.path', op: 'eq', value: '/pricing' } },
    ],
  }
  expect(await page.locator('[data-number="visitors"] .num').innerText()).toBe(await visitors(both))
  expect(new URL(page.url()).searchParams.getAll('f')).toEqual([
    ...['did:eq:signup', 'session.properties.path:eq:/pricing'],
  ])
  await page.getByRole('link', { name: 'Pages', exact: true }).click()
  await page.getByRole('heading', { name: 'Pages', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Visitors who did signup', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove the filter: Visitors who did signup' }).press('Enter')
  await page.waitForURL(url => url.searchParams.getAll('f').length === 1)
  await page
    .getByRole('button', { name: 'Sessions with an event where Path is /pricing', exact: true })
    .click()
  expect(await page.getByRole('combobox', { name: 'Show' }).inputValue()).toBe('session')
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Visitors who did not do')
  await page.getByRole('combobox', { name: 'Event' }).fill('purchase')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.waitForURL(/f=did%3Aneq%3Apurchase/)
})

test('filters are saved as a segment, chosen in another view, renamed and deleted', async () => {
  const name = 'kept-filters'
  await dashboard.post('/projects', { name }, 201)
  const page = await dashboard.visit(`/app/p/${name}?range=7d&f=did:eq:purchase&f=country:eq:DE`)
  await page.getByRole('button', { name: 'Save as segment' }).click()
  await page.getByLabel('Name of a new segment').fill('German buyers')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.searchParams.getAll('f').join() === 'segment:eq:german-buyers')
  const where = { and: [{ did: { event: 'purchase' } }, { field: 'country', op: 'eq', value: 'DE' }] }
  expect(await dashboard.get(`/projects/${name}/segments/german-buyers`)).toMatchObject({
    ...{ title: 'German buyers', where },
  })
  await page.getByRole('button', { name: 'Rename the segment German buyers' }).click()
  await page.getByLabel('New name of German buyers').fill('Buyers of Germany')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Rename the segment Buyers of Germany' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Segment Buyers of Germany', exact: true }).waitFor()
  const choice = page.getByRole('combobox', { name: 'Segment' })
  await choice.selectOption('Everything')
  await page.waitForURL(url => !url.searchParams.has('f'))
  await page.goto(`${new URL(page.url()).origin}/app/p/${name}/sources?f=country:eq:FR`)
  await choice.selectOption('Buyers of Germany')
  await page.waitForURL(
    url => url.searchParams.getAll('f').join() === 'country:eq:FR,segment:eq:german-buyers',
  )
  await page.getByRole('button', { name: 'Edit segments' }).click()
  await page.getByRole('button', { name: 'Delete the segment Buyers of Germany' }).click()
  await page.getByText('Agents and scripts that ask for german-buyers are refused then').waitFor()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.waitForURL(url => url.searchParams.getAll('f').join() === 'country:eq:FR')
  expect(await dashboard.get(`/projects/${name}/segments`)).toEqual({ segments: [] })
  await page.getByRole('button', { name: 'Close' }).click()
})

test('a saved view with filters becomes a segment that agents ask with', async () => {
  const name = 'views-and-segments'
  await dashboard.post('/projects', { name }, 201)
  const page = await dashboard.visit(`/app/p/${name}?f=country:eq:DE`)
  const save = async (title: string, isSegment: boolean) => {
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name of the view').fill(title)
    await page.getByText('Agents ask for it as').waitFor()
    if (!isSegment) await page.getByRole('checkbox', { name: /as a segment/ }).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await save('Germany alone', true)
  await save('A view alone', false)
  const { views } = await dashboard.get<{ views: { name: string }[] }>(`/projects/${name}/views`)
  expect(views.map(each => each.name).toSorted()).toEqual(['A view alone', 'Germany alone'])
  const { segments } = await dashboard.get<{ segments: object[] }>(`/projects/${name}/segments`)
  const where = { field: 'country', op: 'eq', value: 'DE' }
  expect(segments).toMatchObject([{ name: 'germany-alone', title: 'Germany alone', where }])
  await dashboard.post('/query', {
    ...{ project: name, metrics: ['unique_users'], where: { segment: 'germany-alone' } },
  })
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
