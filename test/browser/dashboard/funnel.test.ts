import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard, violations } from './dashboard.ts'

/** The funnel builder: its address, clicks, the keyboard, and the people behind a loss. */

const dashboard = useDashboard()

const PATH = '/app/p/demo/funnel?range=14d&step=page_view&step=signup_started&step=signup'
const BODY = {
  project: 'demo',
  since: '13d',
  tz: 'Europe/Berlin',
  steps: [{ event: 'page_view' }, { event: 'signup_started' }, { event: 'signup' }],
}

type Funnel = { steps: { users: number }[] }

const shownUsers = (page: Page) => page.locator('ol.funnel > li .step .num').allInnerTexts()
const own = (page: Page, name: string) => new URL(page.url()).searchParams.getAll(name)

test('a click on a loss lists the people who were lost, and back closes the list', async () => {
  const page = await dashboard.visit(PATH)
  await page.locator('ol.funnel .lost a').nth(1).click()
  const lost = page.getByRole('table', { name: 'Lost between signup_started and signup' })
  await lost.waitFor()
  expect(own(page, 'lost')).toEqual(['2'])
  await page.getByRole('link', { name: 'Passed it' }).click()
  await page.getByRole('table', { name: 'Passed signup_started' }).waitFor()
  await page.goBack()
  await page.goBack()
  await lost.waitFor({ state: 'detached' })
  expect(await shownUsers(page)).toHaveLength(3)
})

test('by keyboard alone: steps are added, moved with the focus on them, and removed', async () => {
  const page = await dashboard.visit('/app/p/demo/funnel?range=14d')
  const name = page.getByRole('combobox', { name: 'Event of a further step' })
  await name.focus()
  for (const event of ['page_view', 'signup', 'signup_started']) {
    await page.keyboard.type(event)
    await page.keyboard.press('Enter')
    await page
      .getByRole('combobox', { name: /^Event of step/ })
      .last()
      .waitFor()
    await page.waitForURL(url => url.searchParams.getAll('step').at(-1) === event)
  }
  const up = page.getByRole('button', { name: 'Move step 3 up' })
  await up.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.searchParams.getAll('step').at(-1) === 'signup')
  expect(own(page, 'step')).toEqual(['page_view', 'signup_started', 'signup'])
  const isFocused = (label: string) =>
    page.waitForFunction(each => document.activeElement?.getAttribute('aria-label') === each, label)
  await isFocused('Move step 2 up')
  await settled(page)
  const funnel = await dashboard.post<Funnel>('/funnel', BODY)
  expect(await shownUsers(page)).toEqual(funnel.steps.map(({ users }) => users.toLocaleString('en-GB')))
  await page.getByRole('button', { name: 'Remove step 1' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.searchParams.getAll('step').length === 2)
  await isFocused('Remove step 1')
  await page.goBack()
  expect(own(page, 'step')).toEqual(['page_view', 'signup_started', 'signup'])
})

test('conditions, the window and the count of sessions are chosen, and stand in the address', async () => {
  const page = await dashboard.visit(`${PATH}&f=country:eq:DE`)
  await page.getByRole('button', { name: 'Add a condition to step 1' }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Value' }).fill('/pricing')
  await page.keyboard.press('Enter')
  await page.getByText('Path is /pricing').first().waitFor()
  await page.getByLabel('Within').selectOption('24')
  await page.getByRole('combobox', { name: 'Count' }).selectOption('session_id')
  await page.waitForURL(/by=session_id/)
  expect([own(page, 'where'), own(page, 'window')]).toEqual([['1:path:eq:/pricing'], ['24']])
})

test('a page is a step in two clicks, with a pattern too, and the funnel is saved and opened by its name', async () => {
  const name = `Way ${Math.random().toString(36).slice(2)}`
  const project = `funnel-${Math.random().toString(36).slice(2)}`
  await dashboard.post('/projects', { name: project }, 201)
  const page = await dashboard.visit(`/app/p/${project}/funnel?range=14d`)
  const field = page.getByRole('combobox', { name: 'Page of a further step' })
  await field.fill('/pricing')
  await page.getByRole('button', { name: 'Add page' }).click()
  await page.waitForURL(url => url.searchParams.getAll('step').length === 1)
  await field.fill('/docs/**')
  await page.getByRole('button', { name: 'Add page' }).click()
  await page.waitForURL(url => url.searchParams.getAll('step').length === 2)
  expect(own(page, 'step')).toEqual(['page_view', 'page_view'])
  expect(own(page, 'where')).toEqual(['1:path:eq:/pricing', '2:path:glob:/docs/**'])
  await page.getByRole('list', { name: 'Steps of the funnel' }).getByText('Path is like /docs/**').waitFor()

  await page.getByRole('textbox', { name: 'Name of this funnel' }).fill(name)
  await page.getByRole('button', { name: 'Save funnel' }).click()
  const link = page.getByRole('region', { name: 'Saved funnels' }).getByRole('link', { name })
  await link.waitFor()
  await dashboard.visit(`/app/p/${project}/funnel?range=14d`)
  await link.click()
  await page.waitForURL(url => url.searchParams.getAll('step').length === 2)
  expect(await violations(page, 'main')).toEqual([])
})

test('a step of a pattern has the people of POST /funnel with glob', async () => {
  const page = await dashboard.visit(
    '/app/p/demo/funnel?range=14d&step=page_view&step=page_view&where=1:path:eq:/pricing&where=2:path:glob:/docs/**',
  )
  const filters = (op: string, value: string) => [{ property: 'path', op, value }]
  const steps = [
    { event: 'page_view', filters: filters('eq', '/pricing') },
    { event: 'page_view', filters: filters('glob', '/docs/**') },
  ]
  const asked = await dashboard.post<Funnel>('/funnel', { ...BODY, steps })
  const users = asked.steps.map(step => step.users.toLocaleString('en-US'))
  expect(Number(users[1])).toBeGreaterThan(0)
  await expect.poll(() => shownUsers(page)).toEqual(users)
})
