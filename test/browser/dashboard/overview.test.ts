import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

/** What a reader does on the overview, by mouse and by keyboard, and how they come there. */

const dashboard = useDashboard()
let page: Page

const visitors = () => page.locator('[data-number="visitors"] .num').innerText()

test('a click on a value filters every number, the address has the filter, and back takes it away', async () => {
  page = await dashboard.visit('/app/p/demo?range=14d')
  const before = await visitors()
  await page.getByRole('link', { name: 'Germany' }).click()
  await page.getByRole('button', { name: 'Country is Germany', exact: true }).waitFor()
  await settled(page)
  expect(new URL(page.url()).searchParams.getAll('f')).toEqual(['country:eq:DE'])
  const { rows } = await dashboard.post<{ rows: { unique_users: number }[] }>('/query', {
    ...{ project: 'demo', date_from: '13d', tz: 'Europe/Berlin', metrics: ['unique_users'] },
    ...{ count_mode: 'raw', filters: [{ field: 'country', op: 'eq', value: 'DE' }] },
  })
  expect(await visitors()).toBe(rows[0]?.unique_users.toLocaleString('en-GB'))
  await page.goBack()
  await settled(page)
  expect(await visitors()).toBe(before)
})

test('the map has the visitors of every country, a click on one filters as its row does, and the keyboard passes it by', async () => {
  page = await dashboard.visit('/app/p/demo?range=14d')
  const map = page.getByRole('img', { name: /^Map of visitors by country/ })
  await map.waitFor()
  const { rows } = await dashboard.post<{ rows: { country: string | null; unique_users: number }[] }>(
    '/query',
    {
      ...{ project: 'demo', date_from: '13d', tz: 'Europe/Berlin', metrics: ['unique_users'], limit: 300 },
      group_by: ['country'],
    },
  )
  const shown = await map.locator('[data-country]').evaluateAll(all => all.map(each => each.textContent))
  const known = rows.map(({ unique_users }) => unique_users)
  expect(shown.length).toBeGreaterThan(5)
  for (const text of shown) expect(known).toContain(Number(text?.replace(/^.*: |,/g, '')))
  expect(shown).toContain(
    `Germany: ${rows.find(({ country }) => country === 'DE')?.unique_users.toLocaleString('en-GB')}`,
  )
  expect(await map.locator('[tabindex], a, button').count()).toBe(0)
  await map.locator('[data-country="DE"]').click()
  await page.getByRole('button', { name: 'Country is Germany', exact: true }).waitFor()
})

test('a goal is chosen by keyboard or by its name, and each list then says how many did it', async () => {
  page = await dashboard.visit('/app/p/demo?range=14d')
  await page.getByRole('combobox', { name: 'Goal' }).selectOption('signup')
  await page.waitForURL(/goal=signup/)
  await settled(page)
  const did = `people(${JSON.stringify({ person: { field: 'event', op: 'eq', value: 'signup' } })})`
  const { rows } = await dashboard.post<{ rows: Record<string, number>[] }>('/query', {
    ...{ project: 'demo', date_from: '13d', tz: 'Europe/Berlin', metrics: ['unique_users', did] },
    ...{ group_by: ['country'], limit: 1 },
  })
  const [first] = rows
  const cell = page.getByRole('table', { name: 'Places by visitors' }).locator('td').first()
  const [some = 0, all = 1] = [first?.[did], first?.unique_users]
  const part = (some / all).toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 })
  const shown = [all, some].map(number => number.toLocaleString('en-GB'))
  expect(await cell.innerText()).toBe(`${shown[0]} ${shown[1]} (${part})`)
  expect(await page.getByRole('columnheader', { name: 'Visitors, did it' }).count()).toBe(4)
  await page.getByRole('combobox', { name: 'Goal' }).selectOption('none')
  await page.waitForURL(url => !url.searchParams.has('goal'))
  await page
    .getByRole('textbox', { name: 'or page' })
    .or(page.getByRole('combobox', { name: 'or page' }))
    .fill('/pri*')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.searchParams.get('goal') === '/pri*')
  await page.getByText('or of its sessions, saw /pri*').waitFor()

  type Context = { project_context: { activation_events: string[] } }
  const context = () => dashboard.get<Context>('/project-context?project=demo')
  const before = (await context()).project_context
  await page.getByRole('button', { name: 'Keep /pri* as a goal of the project' }).click()
  await expect
    .poll(async () => (await context()).project_context.activation_events)
    .toEqual([...before.activation_events, '/pri*'])
  await page.getByRole('combobox', { name: 'Goal' }).selectOption('none')
  const kept = page.getByRole('table', { name: 'Goals by visitors' }).getByRole('link', { name: '/pri*' })
  await kept.waitFor()
  expect(await page.getByRole('row', { name: /^\/pri\*/ }).innerText()).toMatch(/\d+\s+\d.*%/)
  expect(await page.getByRole('button', { name: /^Keep / }).count()).toBe(0)
  await dashboard.put('/project-context', { project: 'demo', ...before })
})

test('by keyboard alone: a filter, a range, the list of keys, and a jump by the palette', async () => {
  page = await dashboard.visit('/app/p/demo')
  await page.keyboard.press('f')
  await page.getByRole('combobox', { name: 'Field' }).selectOption('country')
  await page.getByRole('combobox', { name: 'Value' }).fill('FR')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Country is France', exact: true }).waitFor()
  await page.keyboard.press('2')
  await page.waitForURL(/range=7d/)
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Jump to/ }).fill('all sites')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname === '/app')
})

test('the palette stays open when the dialog before it says late that it is closed', async () => {
  page = await dashboard.visit('/app/p/demo')
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.evaluate(async () => {
    const keys = document.querySelector('dialog[open]') as HTMLDialogElement
    const isClosed = new Promise(done => keys.addEventListener('close', done))
    // The event of closing comes after this task.
    keys.close()
    dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
    await isClosed
  })
  await page.getByRole('combobox', { name: /Jump to/ }).fill('all sites')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname === '/app')
})

test('a number can be questioned: its meaning, its receipt, and calls that give the same number', async () => {
  page = await dashboard.visit('/app/p/demo?range=14d')
  await page.locator('[data-number="visitors"] .num').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('People who did something').waitFor()
  expect(await dialog.getByText('Fresh until').count()).toBe(1)
  const codes = await dialog.locator('pre').allInnerTexts()
  expect(codes[0]).toMatch(/^curl -H "X-API-Key: \$FOOTFALL_API_KEY" 'http.*\/stats\?project=demo&since=13d/)
  expect(codes[1]).toBe(
    'footfall stats demo --since 13d --tz Europe/Berlin --group-by day --compare previous',
  )
  await dialog.getByRole('button', { name: 'Show the SQL' }).click()
  await dialog
    .getByText(/SELECT/i)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
})

test('a browser without a session signs in first and comes back; the demo is open to everybody', async () => {
  const stranger = await dashboard.open('/app/p/demo?range=7d', { isSignedOut: true })
  const url = new URL(stranger.url())
  expect([url.pathname, url.searchParams.get('to')]).toEqual(['/auth/sign-in', '/app/p/demo?range=7d'])
  await stranger.goto('/app/demo?range=7d')
  await stranger.locator('[data-number="visitors"] .num').waitFor()
})

test('the landing page leads to all sites, and from there to each', async () => {
  const owner = await dashboard.open('/')
  await owner.waitForURL(url => url.pathname === '/app')
  await owner.getByRole('row', { name: /^demo/ }).getByRole('link').click()
  await owner.waitForURL(url => url.pathname === '/app/p/demo')
})
