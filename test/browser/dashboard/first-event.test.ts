import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { HUMAN_BROWSER } from '#test/support/browser'
import { useDashboard } from './dashboard.ts'

/** The first steps: a project is created, its snippet is copied, and the first event is seen. */

const dashboard = useDashboard()

type Project = { id: string; name: string; project_token: string; allowed_origins: string; snippet: string }

const newName = () => `first-${Math.random().toString(36).slice(2)}`

/** An event as the tracker sends it. */
async function sendEvent({ name, project_token, allowed_origins }: Project): Promise<void> {
  const response = await fetch(`${dashboard.service.baseUrl}/track`, {
    method: 'POST',
    headers: { Origin: allowed_origins, 'User-Agent': HUMAN_BROWSER.userAgent },
    body: JSON.stringify({
      project: name,
      token: project_token,
      event: 'page_view',
      user_id: 'anon_1',
      properties: { path: '/' },
    }),
  })
  expect(response.status).toBe(202)
}

/** The list of projects as an account without one has it; everything else is answered by the service. */
async function withoutProjects(page: Page): Promise<void> {
  await page.route('**/projects', async (route, request) => {
    if (request.method() !== 'GET') return route.continue()
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), projects: [] } })
  })
  await page.reload()
}

test('an account without projects creates one by keyboard alone, and sees its first event by itself', async () => {
  const page = await dashboard.visit('/app')
  await withoutProjects(page)
  await page.getByRole('heading', { name: 'Your first site' }).waitFor()
  const host = `${newName()}.example`
  await page.getByLabel('Address of the site').focus()
  await page.keyboard.type(`https://www.${host}/shop?a=b`)
  expect(await page.getByLabel('Name of the project').inputValue()).toBe(host)
  await page.keyboard.press('Enter')

  await page.getByText('Waiting for the first event').waitFor()
  const project = await dashboard.get<Project>(`/projects/${host}`)
  expect(project.allowed_origins).toBe(`https://www.${host}`)
  const { snippet } = await dashboard.post<Project>('/projects', { name: host })
  expect(await page.locator('.first-steps pre').textContent()).toBe(snippet)

  await sendEvent(project)
  await page.getByText('We have seen your first event').waitFor()
  const link = page.getByRole('link', { name: `Open the overview of ${host}` })
  await link.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/app/p/${host}`)
})

test('a project without events shows the same on its overview, and then its numbers', async () => {
  const project = await dashboard.post<Project>('/projects', { name: newName() }, 201)
  const page = await dashboard.visit(`/app/p/${project.name}`)
  await page.getByText('Waiting for the first event').waitFor()
  expect(await page.locator('.first-steps pre').textContent()).toBe(project.snippet)
  expect(await page.getByRole('region', { name: 'Devices' }).count()).toBe(0)
  await sendEvent(project)
  await page.getByRole('button', { name: 'Visitors: 1. About this number' }).waitFor()
  expect(await page.getByText('first event').count()).toBe(0)
})

test('a name that is taken by another site, or is none, is refused in words', async () => {
  const origin = `https://${newName()}.example`
  await dashboard.post('/projects', { name: newName(), allowed_origins: origin }, 201)
  const page = await dashboard.visit('/app?new=1')
  await page.getByLabel('Address of the site').fill(origin)
  await page.getByLabel('Name of the project').fill(newName())
  await page.getByRole('button', { name: 'Create the project' }).click()
  await page.getByRole('alert').filter({ hasText: 'origin' }).waitFor()
  await page.getByLabel('Name of the project').fill('<b>my site</b>')
  await page.getByRole('button', { name: 'Create the project' }).click()
  expect(
    await page.getByLabel('Name of the project').evaluate((input: HTMLInputElement) => input.validity.valid),
  ).toBe(false)
})
