import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cells, settled, useDashboard, violations } from './dashboard.ts'

/** The funnel builder: its numbers, its address, clicks, the keyboard, and the people behind a loss. */

const dashboard = useDashboard()

const count = (value: number) => value.toLocaleString('en-GB')
const rate = (value: number) => value.toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 })

const QUERY = 'step=page_view&step=signup_started&step=signup'
const PATH = `/app/p/demo/funnel?range=14d&${QUERY}`
const BODY = {
  project: 'demo',
  since: '13d',
  tz: 'Europe/Berlin',
  steps: [{ event: 'page_view' }, { event: 'signup_started' }, { event: 'signup' }],
}

type Step = { event: string; users: number; conversion_rates: { from_first: number } }
type Funnel = {
  steps: Step[]
  overall_conversion_rate: number
  people: { id: string; at: number }[]
  breakdowns: { value: string | null; steps: Step[]; overall_conversion_rate: number }[]
}

const tile = (page: Page, name: string) => page.locator(`[data-number="${name}"] .num`).innerText()

/** Of each step: its event, how many passed it, and the part of the first. */
function chart(page: Page): Promise<string[][]> {
  return page
    .locator('ol.funnel > li .step')
    .evaluateAll(steps =>
      steps.map(step =>
        ['.label', '.num', '.rate'].map(part => step.querySelector(part)?.textContent?.trim() ?? ''),
      ),
    )
}

const own = (page: Page, name: string) => new URL(page.url()).searchParams.getAll(name)

test('a funnel shows the numbers of the API: steps, losses, the whole, and a breakdown', async () => {
  const page = await dashboard.open(`${PATH}&breakdown=country`)
  await settled(page)
  const funnel = await dashboard.post<Funnel>('/funnel', { ...BODY, breakdown: 'country' })
  expect(funnel.steps[2]?.users).toBeGreaterThan(0)
  expect(await chart(page)).toEqual(
    funnel.steps.map(step => [step.event, count(step.users), rate(step.conversion_rates.from_first)]),
  )
  expect(await tile(page, 'entered')).toBe(count(funnel.steps[0]?.users ?? -1))
  expect(await tile(page, 'completed')).toBe(count(funnel.steps[2]?.users ?? -1))
  expect(await tile(page, 'conversion')).toBe(rate(funnel.overall_conversion_rate))
  const users = funnel.steps.map(step => step.users)
  const losses = [(users[0] ?? 0) - (users[1] ?? 0), (users[1] ?? 0) - (users[2] ?? 0)]
  expect(await page.locator('ol.funnel .lost a').allInnerTexts()).toEqual(
    losses.map(lost => `${count(lost)} lost`),
  )
  const groups = await cells(page, 'Funnel by country')
  expect(groups.map(row => row.slice(1))).toEqual(
    funnel.breakdowns.map(each => [
      ...each.steps.map(step => count(step.users)),
      rate(each.overall_conversion_rate),
    ]),
  )
})

test('a click on a loss lists the people who were lost, and back closes the list', async () => {
  const page = await dashboard.open(PATH)
  await settled(page)
  await page.locator('ol.funnel .lost a').nth(1).click()
  await page
    .getByRole('region', { name: 'Lost between signup_started and signup', exact: true })
    .first()
    .waitFor()
  await settled(page)
  const { people } = await dashboard.post<Funnel>('/funnel', {
    ...BODY,
    people_of_step: 2,
    people_dropped: true,
  })
  expect(people.length).toBeGreaterThan(0)
  const shown = await cells(page, 'Lost between signup_started and signup')
  expect(shown.map(([id]) => id)).toEqual(people.map(({ id }) => id))
  expect(own(page, 'lost')).toEqual(['2'])
  await page.getByRole('link', { name: 'Passed it' }).click()
  await page.getByRole('table', { name: 'Passed signup_started' }).waitFor()
  const passed = await dashboard.post<Funnel>('/funnel', { ...BODY, people_of_step: 2 })
  expect((await cells(page, 'Passed signup_started')).map(([id]) => id)).toEqual(
    passed.people.map(({ id }) => id),
  )
  await page.goBack()
  await page.goBack()
  await page
    .getByRole('table', { name: 'Lost between signup_started and signup' })
    .waitFor({ state: 'detached' })
  expect(await chart(page)).toHaveLength(3)
})

test('by keyboard alone: steps are added, moved with the focus on them, and removed', async () => {
  const page = await dashboard.open('/app/p/demo/funnel?range=14d')
  await settled(page)
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
  expect((await chart(page)).map(([, users]) => users)).toEqual(funnel.steps.map(step => count(step.users)))
  await page.getByRole('button', { name: 'Remove step 1' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.searchParams.getAll('step').length === 2)
  await isFocused('Remove step 1')
  await page.goBack()
  expect(own(page, 'step')).toEqual(['page_view', 'signup_started', 'signup'])
})

test('conditions, the window, sessions and the filters of all views reach the question, and a reload keeps them', async () => {
  const page = await dashboard.open(`${PATH}&f=country:eq:DE`)
  await settled(page)
  await page.getByRole('button', { name: 'Add a condition to step 1' }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Value' }).fill('/pricing')
  await page.keyboard.press('Enter')
  await page.getByText('path is /pricing').first().waitFor()
  await page.getByLabel('Within').selectOption('24')
  await page.getByRole('combobox', { name: 'Count' }).selectOption('session_id')
  await page.waitForURL(/by=session_id/)
  expect(own(page, 'where')).toEqual(['1:path:eq:/pricing'])
  await page.reload()
  await settled(page)
  const german = { property: 'country', op: 'eq', value: 'DE' }
  const funnel = await dashboard.post<Funnel>('/funnel', {
    ...BODY,
    steps: [
      { event: 'page_view', filters: [{ property: 'path', op: 'eq', value: '/pricing' }, german] },
      { event: 'signup_started', filters: [german] },
      { event: 'signup', filters: [german] },
    ],
    conversion_window_hours: 24,
    count_by: 'session_id',
  })
  expect(funnel.steps[0]?.users).toBeGreaterThan(0)
  expect((await chart(page)).map(([, users]) => users)).toEqual(funnel.steps.map(step => count(step.users)))
  // A filter by something that a step does not know is named.
  await page.goto(`${PATH}&f=user_id:neq:u1`)
  await page.getByText('Without the filter by user_id').waitFor()
})

test('an empty builder offers a first funnel of the events of the project, by one click', async () => {
  const page = await dashboard.open('/app/p/demo/funnel')
  await settled(page)
  await page.locator('main .note a').click()
  await page.locator('ol.funnel').waitFor()
  expect(own(page, 'step')[0]).toBe('page_view')
  expect(own(page, 'step').length).toBeGreaterThan(1)
})

test('hostile names of events, and ids of people, stay text', async () => {
  const hostile = `"><img src=x onerror="document.title='owned'"><script>1</script>`
  const project = 'funnel-hostile'
  const { project_token: token } = await dashboard.post<{ project_token: string }>(
    '/projects',
    { name: project },
    201,
  )
  await dashboard.post(
    '/track',
    { token, event: hostile, user_id: hostile, properties: { plan: hostile } },
    202,
  )
  // A page that is open asks again after a minute only.
  await eventually(async () => {
    const { steps } = await dashboard.post<Funnel>('/funnel', {
      ...{ project, since: '0d', steps: [{ event: hostile }, { event: 'x' }] },
    })
    expect(steps[0]?.users).toBe(1)
  })
  const page = await dashboard.open(
    `/app/p/${project}/funnel?${new URLSearchParams([
      ['step', hostile],
      ['step', 'x'],
      ['lost', '1'],
      ['breakdown', 'plan'],
      ['where', `1:plan:eq:${hostile}`],
    ])}`,
  )
  await page
    .getByRole('table', { name: /^Lost between/ })
    .getByText(hostile, { exact: true })
    .waitFor()
  await page.getByRole('table', { name: 'Funnel by plan' }).getByText(hostile, { exact: true }).waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect(await page.title()).toBe(`${project} · Funnels · Footfall`)
})

test('the builder is accessible, light and dark', async () => {
  const page = await dashboard.open(
    `/app/p/demo/funnel?${QUERY}&breakdown=country&lost=1&where=1:path:eq:/pricing`,
  )
  await settled(page)
  expect(await violations(page)).toEqual([])
})

test('a phone shows the whole builder without scrolling sideways', async () => {
  const page = await dashboard.open(`${PATH}&breakdown=country&lost=1`, {
    viewport: { width: 390, height: 844 },
  })
  await settled(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
