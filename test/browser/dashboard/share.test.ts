import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard, violations } from './dashboard.ts'

/** Share links: made in the settings, and looked at by somebody without an account. */

const dashboard = useDashboard()

type Link = { id: string; label: string | null; views: string[]; url: string; expires_at: number | null }
type Links = { share_links: Link[] }

function newLink(views: readonly string[]): Promise<Link> {
  return dashboard.post<Link>('/projects/demo/share-links', { views }, 201)
}

const pathOf = ({ url }: Link, view = '') => `${new URL(url).pathname}${view}`

/** Notes what the service refuses the page, and requests that tell where they come from. */
function watchRequests(page: Page): () => Promise<string[]> {
  const found: string[] = []
  const headers: Promise<{ referer?: string }>[] = []
  page.on('response', response => {
    if (response.status() >= 400) found.push(`${response.status()} ${response.url()}`)
  })
  // A request that the end of the page cuts off has no headers.
  page.on('request', request => headers.push(request.allHeaders().catch(() => ({}))))
  return async () => {
    for (const { referer } of await Promise.all(headers)) if (referer !== undefined) found.push(referer)
    expect(headers.length).toBeGreaterThan(3)
    return found
  }
}

test('a link is made in the settings, shown once, listed with its use, and deleted', async () => {
  const name = `share-${Math.random().toString(36).slice(2)}`
  const { id } = await dashboard.post<{ id: string }>('/projects', { name }, 201)
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  const panel = page.getByRole('region', { name: 'Share links' })
  const label = 'For <b>the board</b>'
  await panel.getByLabel('For whom').fill(label)
  await panel.getByLabel('Heatmap').focus()
  await page.keyboard.press('Space')
  await panel.getByLabel('Works').selectOption('7')
  await panel.getByRole('button', { name: 'Create a link' }).click()
  const url = (await panel.locator('.once pre').textContent()) ?? ''
  expect(url).toMatch(/\/share\/aal_[0-9a-f]{96}$/)
  const links = () => dashboard.get<Links>(`/projects/${id}/share-links`)
  const [link] = (await links()).share_links
  expect(link).toMatchObject({ label, views: ['overview', 'heatmap'] })
  expect((link?.expires_at ?? 0) - Date.now()).toBeGreaterThan(6 * 86_400_000)
  await panel.getByText('never used').waitFor()
  expect(await violations(page, 'section[aria-label="Share links"]')).toEqual([])

  const visitor = await dashboard.open(new URL(url).pathname, { isSignedOut: true })
  await settled(visitor)
  // A project without events shows a visitor no token of it.
  await visitor.getByText('No event has arrived yet').waitFor()
  await page.reload()
  await settled(page)
  expect(await page.content()).not.toContain(url.slice(-64))
  await panel.getByText('last used').waitFor()
  await panel.getByRole('button', { name: `Delete the link ${label}` }).click()
  await expect.poll(links).toMatchObject({ share_links: [] })
  // A process knows a link for five seconds.
  await expect.poll(async () => (await visitor.reload())?.status()).toBe(404)
})

test('a visitor sees the chosen views alone, and their requests do not tell where they come from', async () => {
  const link = await newLink(['overview', 'pages', 'heatmap'])
  const page = await dashboard.open('about:blank', { isSignedOut: true })
  const found = watchRequests(page)
  await page.goto(pathOf(link))
  await settled(page)
  expect(await violations(page)).toEqual([])
  await page.locator('[data-number="visitors"] .num').click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.textContent()).not.toMatch(/curl|footfall|SQL/)
  await page.keyboard.press('Escape')
  expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents()).toEqual([
    'Overview',
    'Pages',
    'Heatmap',
  ])
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.waitForURL(url => url.pathname === pathOf(link, '/heatmap'))
  await settled(page)
  // Keys of views that are not shown do nothing.
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await page.goBack()
  await page.waitForURL(url => url.pathname === pathOf(link))
  expect(await page.getByRole('button', { name: 'Save view' }).count()).toBe(0)
  // Numbers of bots are a view of their own, which this link does not show.
  expect(await page.getByRole('group', { name: 'Whose traffic' }).count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('bots')
  await page.getByText('Nothing has this name').waitFor()
  await page.keyboard.press('Escape')
  expect(await found()).toEqual([])
  expect(await page.title()).toBe('demo · Overview · Footfall')
})

test('a filter of a visitor works, and a link that is deleted meanwhile says so', async () => {
  const link = await newLink(['pages'])
  const page = await dashboard.open(pathOf(link, '/pages'), { isSignedOut: true })
  await settled(page)
  await page.getByRole('button', { name: '+ Filter' }).click()
  await page.getByLabel('Field').selectOption('country')
  await page.getByRole('combobox', { name: 'Value' }).fill('DE')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Country is Germany', exact: true }).waitFor()
  await settled(page)
  expect(await page.locator('.note.problem').count()).toBe(0)

  await fetch(`${dashboard.service.baseUrl}/projects/demo/share-links/${link.id}`, {
    method: 'DELETE',
    headers: { 'X-API-Key': dashboard.service.credentials.api_key },
  })
  await page.getByRole('combobox', { name: 'Range' }).selectOption('7d')
  await page.getByText('This link shows nothing any more').first().waitFor()
})

test('a link without the overview opens its first view', async () => {
  const link = await newLink(['heatmap'])
  const page = await dashboard.open(pathOf(link), { isSignedOut: true })
  await page.waitForURL(url => url.pathname === pathOf(link, '/heatmap'))
  await settled(page)
})
