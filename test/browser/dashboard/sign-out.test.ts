import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { settled, useDashboard, violations } from './dashboard.ts'

/** How a person ends the session of their browser. The last test ends the one that all of them use. */

const dashboard = useDashboard({ isAlone: true })

const LOGOUT = '**/auth/logout'

/** What the browser keeps of the dashboard. */
const remembered = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('footfall-')))

async function openSites(prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
  const { projects } = await dashboard.get<{ projects: { name: string }[] }>('/projects')
  const page = await dashboard.open(`/app/p/${projects[0]?.name}/settings`, { prepare })
  await settled(page)
  // The list of projects, whose zones are remembered, may be answered after the view.
  await eventually(async () => expect((await remembered(page)).length).toBeGreaterThan(0))
  return page
}

/** Answers the form in the place of the service, so that the session stays. Returns what was sent. */
function answerForm(status: number): { sent: string[]; prepare(page: Page): Promise<unknown> } {
  const sent: string[] = []
  const fulfil = async (route: Route) => {
    sent.push(route.request().postData() ?? '')
    // The sign-in page leads a browser with a session back.
    if (status === 200) await route.request().frame().page().context().clearCookies()
    await route.fulfill({ status, contentType: 'application/json', body: '{}' })
  }
  return { sent, prepare: page => page.route(LOGOUT, fulfil) }
}

test('the palette signs out by keyboard', async () => {
  const { sent, prepare } = answerForm(200)
  const page = await openSites(prepare)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('sign out')
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname === '/auth/sign-in')
  expect(new URL(page.url()).search).toBe('')
  expect(sent).toEqual([expect.stringMatching(/^csrf=[0-9a-f]{64}$/)])
  expect(await remembered(page)).toEqual([])
})

test('a sign-out that fails says so, and the page goes on', async () => {
  const { prepare } = answerForm(403)
  const page = await openSites(prepare)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('alert').getByText('You are still signed in').waitFor()
  expect(new URL(page.url()).pathname).toMatch(/settings$/)
  expect((await remembered(page)).length).toBeGreaterThan(0)
  expect(await violations(page)).toEqual([])
  await page.unroute(LOGOUT)
  await page.route(LOGOUT, route => route.abort())
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('alert').getByText('The service does not answer').waitFor()
})

test('the demo and a share link have nobody to sign out', async () => {
  const { projects } = await dashboard.get<{ projects: { name: string }[] }>('/projects')
  const link = await dashboard.post<{ url: string }>(`/projects/${projects[0]?.name}/share-links`, {}, 201)
  for (const path of ['/app/demo', new URL(link.url).pathname]) {
    const page = await dashboard.open(path)
    await page.getByRole('button', { name: /^Keys/ }).waitFor()
    expect(await page.getByText('Sign out').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('sign out')
    await page.getByText('Nothing has this name').waitFor()
  }
  // The page and what it asks name the link, and the service must not print its secret.
  expect(dashboard.service.output?.()).not.toContain(link.url.slice(-64))
})

test('the button ends the session of this browser alone, and nothing of it is left', async () => {
  const page = await openSites()
  const [before] = (await page.context().cookies()).filter(({ name }) => /session/.test(name))
  await page.getByRole('button', { name: 'Sign out', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname === '/auth/sign-in')
  expect(await remembered(page)).toEqual([])
  expect((await page.context().cookies()).filter(({ name }) => /session/.test(name))).toEqual([])
  const { baseUrl } = dashboard.service
  const headers = { Cookie: `${before?.name}=${before?.value}` }
  expect((await fetch(`${baseUrl}/projects`, { headers })).status).toBe(401)
  // The key of the account is no session of this browser.
  await dashboard.get('/projects')

  await page.goBack()
  await page.waitForURL(url => url.pathname === '/auth/sign-in')
  expect(await page.getByRole('navigation', { name: 'Views' }).count()).toBe(0)
})
