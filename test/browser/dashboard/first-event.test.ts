import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { settled, useDashboard, violations } from './dashboard.ts'
import { faultsOfLayout } from './layout.ts'

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

/** A site on a port of this machine whose page is what `tag` returns then, and a browser of a visitor. */
async function startSite(tag: () => string) {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><title>Shop</title><head>${tag()}</head><a href="/cart">Cart</a>`)
  })
  await new Promise<void>(listening => server.listen(0, listening))
  const { port } = server.address() as AddressInfo
  const context = await (await sharedBrowser()).newContext(HUMAN_BROWSER)
  onTestFinished(async () => {
    await context.close()
    server.closeAllConnections()
    await new Promise(closed => server.close(closed))
  })
  const visitor = await context.newPage()
  /** Opens the page, waits until it is parsed, and sends what waits by hiding it. */
  const visit = async (host: string) => {
    await visitor.goto(`http://${host}:${port}/`)
    await visitor.goto('about:blank')
  }
  return { port, visit }
}

test('a site on this machine gets a tag that sends, and a refusal is shown and mended with one click', async () => {
  let tag = ''
  const { port, visit } = await startSite(() => tag)
  const page = await dashboard.open('/app?new=1')
  const name = newName()
  await page.getByLabel('Address of the site').fill(`localhost:${port}`)
  await page.getByLabel('Name of the project').fill(name)
  await page.getByRole('button', { name: 'Create the project' }).click()
  await page.getByText('Waiting for the first event').waitFor()
  expect(await dashboard.get(`/projects/${name}`)).toMatchObject({
    allowed_origins: `http://localhost:${port}`,
  })
  expect(await page.getByLabel('The site runs on my machine').isChecked()).toBe(true)
  tag = (await page.locator('.first-steps pre').textContent()) ?? ''
  expect(tag).toContain('data-localhost="true"')

  // Another name of the same machine is another origin.
  await visit('127.0.0.1')
  await page.getByText('An event came and was not stored').waitFor()
  const refused = page.getByLabel('Events that were not stored')
  await refused.getByText(`add http://127.0.0.1:${port} to allowed_origins`).waitFor()
  await refused.getByRole('button', { name: `Allow http://127.0.0.1:${port}` }).click()
  await refused.getByText('Nothing more').waitFor()
  expect(await refused.getByRole('button').count()).toBe(0)

  await visit('127.0.0.1')
  await page.getByText('We have seen your first event').waitFor()
  await page.getByText('The newest: Page view').waitFor()
})

test('without the attribute a page of this machine sends nothing, and the page says that the tag has it', async () => {
  const { name, project_token } = await dashboard.post<Project>('/projects', { name: newName() }, 201)
  const page = await dashboard.visit(`/app/p/${name}`)
  const tag = page.locator('.first-steps pre')
  await page.getByText('Waiting for the first event').waitFor()
  expect(await tag.textContent()).not.toContain('data-localhost')
  const options = {
    'Single-page application': 'data-track-spa',
    'Routes behind a #': 'data-track-hash',
    Clicks: 'data-track-clicks',
    'Outgoing links': 'data-track-outgoing',
    'Ask for consent first': 'data-require-consent',
    'The site runs on my machine': 'data-localhost',
  }
  for (const [label, attribute] of Object.entries(options)) {
    await page.getByLabel(label).check()
    expect(await tag.textContent(), label).toContain(` ${attribute}="true"`)
  }
  await page.getByLabel('Clicks').uncheck()
  expect(await tag.textContent()).not.toContain('data-track-clicks')
  expect(await tag.textContent()).toContain(project_token)
})

test('a page is checked before it sends: what would be stored, what not, and what mends it', async () => {
  const host = newName()
  const created = { name: newName(), allowed_origins: `https://${host}.example` }
  const { name } = await dashboard.post<Project>('/projects', created, 201)
  const page = await dashboard.visit(`/app/p/${name}`)
  await page.getByText('Check a page before that').click()
  const form = page.locator('.check-event')
  const check = form.getByRole('button', { name: 'Check', exact: true })
  await check.click()
  await form.getByText(`A page view of https://${host}.example would be stored`).waitFor()

  await form.getByLabel('Address of a page').fill(`www.${host}.example/cart`)
  await check.click()
  await form.getByText(`A page view of https://www.${host}.example would not be stored`).waitFor()
  await form.getByRole('button', { name: `Allow https://www.${host}.example` }).click()
  await form.getByText(`A page view of https://www.${host}.example would be stored`).waitFor()
  expect(await dashboard.get(`/projects/${name}`)).toMatchObject({
    ...{ allowed_origins: `https://${host}.example,https://www.${host}.example` },
    ...{ first_event_at: null, refused: { events: [] } },
  })

  await form.getByLabel('Address of a page').fill('two words')
  await check.click()
  const field = form.getByLabel('Address of a page')
  expect(await field.evaluate((input: HTMLInputElement) => input.validationMessage)).toContain(
    'shop.example/cart',
  )
})

test('refusals and the open check can be read at every width, and axe finds nothing', async () => {
  const created = { name: newName(), allowed_origins: `https://${newName()}.example` }
  const project = await dashboard.post<Project>('/projects', created, 201)
  const origin = `https://${'long-'.repeat(10)}name.${newName()}.example`
  const sent = { token: project.project_token, event: 'page_view' }
  const response = await fetch(`${dashboard.service.baseUrl}/track`, {
    ...{ method: 'POST', headers: { Origin: origin, 'User-Agent': HUMAN_BROWSER.userAgent } },
    body: JSON.stringify(sent),
  })
  expect(response.status).toBe(403)
  const page = await dashboard.open(`/app/p/${project.name}`)
  await page.getByRole('button', { name: `Allow ${origin}` }).waitFor()
  await page.getByText('Check a page before that').click()
  await page.getByLabel('Address of a page').fill(origin)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('would not be stored').waitFor()
  for (const width of [320, 390, 720, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await settled(page)
    expect(await page.evaluate(faultsOfLayout), `${width}`).toEqual([])
    const folder = process.env.SCREENSHOTS
    if (folder !== undefined) await page.screenshot({ path: `${folder}/first-${width}.png`, fullPage: true })
  }
  expect(await violations(page)).toEqual([])
})

test('a project without events shows the same on its overview, and then its numbers', async () => {
  const project = await dashboard.post<Project>('/projects', { name: newName() }, 201)
  const page = await dashboard.visit(`/app/p/${project.name}`)
  await page.getByText('Waiting for the first event').waitFor()
  expect(await page.locator('.first-steps pre').textContent()).toBe(project.snippet)
  expect(await page.getByRole('region', { name: 'Devices' }).count()).toBe(0)
  await sendEvent(project)
  await page.getByRole('button', { name: 'Visitors: 1. About this number' }).waitFor()
  expect(await page.getByText('Waiting for the first event').count()).toBe(0)
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
  const name = page.getByLabel('Name of the project')
  const message = () => name.evaluate((input: HTMLInputElement) => input.validationMessage)
  expect(await message()).toBe(
    'Name of the project: 1 to 64 letters from A to Z, digits, dots, dashes and _. It does not take < > spaces /',
  )
  await name.fill('my-site')
  expect(await message()).toBe('')
})
