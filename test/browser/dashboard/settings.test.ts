import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

/** The settings of a project: what a person changes is what the API then answers. */

const dashboard = useDashboard()

type Project = { id: string; name: string }

function newProject(): Promise<Project> {
  const name = `set-${Math.random().toString(36).slice(2)}`
  return dashboard.post<Project>('/projects', { name }, 201)
}

test('origins and annotations are kept by the service', async () => {
  const { id, name } = await newProject()
  // An origin is of one project, and other tests use the same account.
  const origin = `https://${name}.example`
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  await page.getByLabel('Origins that may send events').fill(origin)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(() => dashboard.get<{ allowed_origins: string }>(`/projects/${id}`))
    .toMatchObject({ allowed_origins: origin })

  const title = 'Release <b>1</b>'
  await page.getByRole('textbox', { name: 'Date' }).fill('2026-11-20')
  await page.getByLabel('What happened').fill(title)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('list', { name: 'Annotations' }).getByText(title).waitFor()
  const { project_context } = await dashboard.get<{ project_context: { annotations: unknown[] } }>(
    `/project-context?project=${name}`,
  )
  expect(project_context.annotations).toMatchObject([{ occurred_at: '2026-11-20', title }])
})

test('a display name is what the list, the head, the switch, files and portfolios show, and addresses keep the name', async () => {
  const { id, name } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  const field = page.getByLabel('Display name')
  await field.fill(`Shop \u202e${'x'.repeat(3)}`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  expect(await field.evaluate((input: HTMLInputElement) => input.validationMessage)).toContain(
    'It does not take \\u{202e}',
  )
  const title = `Café ${name.slice(4)}`
  await field.fill(title)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => dashboard.get(`/projects/${id}`)).toMatchObject({ name, display_name: title })
  await expect.poll(() => page.title()).toBe(`${title} · Settings · Footfall`)
  const projects = page.getByRole('combobox', { name: 'Project', exact: true })
  await expect.poll(() => projects.locator('option:checked').textContent()).toBe(title)
  expect(new URL(page.url()).pathname).toBe(`/app/p/${name}/settings`)

  await dashboard.visit('/app')
  const row = page.getByRole('table', { name: 'Sites' }).getByRole('link', { name: title })
  await expect.poll(() => row.getAttribute('href')).toBe(`/app/p/${name}`)
  await dashboard.visit('/app/portfolios')
  await page.getByLabel(title).first().waitFor()
})

test('the file of a list and its share link have the display name of the project', async () => {
  const { id, name } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  await page.getByLabel('Display name').fill('Café Zürich')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => dashboard.get(`/projects/${id}`)).toMatchObject({ display_name: 'Café Zürich' })
  const { project_token: token } = await dashboard.get<{ project_token: string }>(`/projects/${id}`)
  await dashboard.post(
    '/track',
    { token, event: 'page_view', user_id: 'guest', properties: { path: '/' } },
    202,
  )
  await expect
    .poll(() => dashboard.get(`/stats?project=${name}&since=7d`))
    .toMatchObject({ totals: { total_events: 1 } })
  await dashboard.visit(`/app/p/${name}/pages`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Pages by visitors as CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^café-zürich-/)

  const { url } = await dashboard.post<{ url: string }>(`/projects/${id}/share-links`, {}, 201)
  const guest = await dashboard.open(new URL(url).pathname, { isSignedOut: true })
  await guest.getByText('Café Zürich, shared by its owner').waitFor()
  await expect.poll(() => guest.title()).toBe('Café Zürich · Overview · Footfall')
})

test('a refused origin is allowed with one click, and the form then keeps it', async () => {
  const own = `https://set-${Math.random().toString(36).slice(2)}.example`
  const created = { name: new URL(own).hostname, allowed_origins: own }
  const project = await dashboard.post<Project & { project_token: string }>('/projects', created, 201)
  const refused = `${own.slice(0, -'.example'.length)}-www.example`
  const response = await fetch(`${dashboard.service.baseUrl}/track`, {
    ...{ method: 'POST', headers: { Origin: refused } },
    body: JSON.stringify({ token: project.project_token, event: 'page_view' }),
  })
  expect(response.status).toBe(403)
  const counted = () => dashboard.get<{ refused: { events: unknown[] } }>(`/projects/${project.id}`)
  await expect.poll(async () => (await counted()).refused.events).toHaveLength(1)
  const page = await dashboard.visit(`/app/p/${project.name}/settings`)
  await page.getByRole('button', { name: `Allow ${refused}` }).click()
  await expect
    .poll(() => page.getByLabel('Origins that may send events').inputValue())
    .toBe(`${own},${refused}`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`${project.name}.renamed`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**.renamed/settings')
  expect(await dashboard.get(`/projects/${project.id}`)).toMatchObject({
    allowed_origins: `${own},${refused}`,
  })
})

test('goals, words and link domains are kept, and annotations stay with them', async () => {
  const { id, name } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  await page.getByRole('textbox', { name: 'Date' }).fill('2026-11-20')
  await page.getByLabel('What happened').fill('Release 1')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('list', { name: 'Annotations' }).getByText('Release 1').waitFor()

  await page.getByRole('textbox', { name: /^Goals/ }).fill('More orders\n\n <b>Fewer</b> returns ')
  await page.getByLabel('Events and pages that count as success').fill('order_placed')
  await page.getByRole('button', { name: '+ A word of your own' }).click()
  await page.getByLabel('Event of word 1').fill('order_placed')
  await page.getByLabel('Name of word 1').fill('Order')
  await page.getByLabel('Meaning of word 1').fill('A paid cart')
  await page.getByRole('button', { name: 'Save the goals and words' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const context = () =>
    dashboard.get<{ project_context: Record<string, unknown[]> }>(`/project-context?project=${name}`)
  expect((await context()).project_context).toMatchObject({
    goals: ['More orders', '<b>Fewer</b> returns'],
    activation_events: ['order_placed'],
    glossary: [{ event_name: 'order_placed', term: 'Order', definition: 'A paid cart' }],
    annotations: [{ title: 'Release 1' }],
  })

  await page.getByLabel('Other domains with the same people').fill('shop.example, blog.example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(() => dashboard.get<{ link_domains: string[] }>(`/projects/${id}`))
    .toMatchObject({ link_domains: ['shop.example', 'blog.example'] })
})

test('replays are turned on with what they leave out, and the page then has their script', async () => {
  const { name } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  const panel = page.getByRole('region', { name: 'Replays' })
  await panel.getByLabel('Record sessions').check()
  await panel.getByLabel('A recording begins').selectOption('immediate')
  await panel.getByText('Parts of pages').click()
  await panel.getByLabel('Blocked').fill('.invoice\n#card')
  await panel.getByRole('button', { name: 'Save the replay settings' }).click()
  await panel.getByText('/replay.js').waitFor()
  expect(await dashboard.get(`/replays/settings?project=${name}`)).toMatchObject({
    settings: { enabled: true, recording_start: 'immediate', block_selectors: ['.invoice', '#card'] },
  })
})

test('a view is saved by a name, and its link shows the same picture', async () => {
  const { name } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/pages?range=7d&f=country:eq:DE`)
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByLabel('Name of the view').fill('Germany')
  await page.keyboard.press('Enter')
  await page.getByLabel('Name of the view').waitFor({ state: 'detached' })
  await page.goto(`/app/p/${name}/settings`)
  await settled(page)
  await page.getByRole('link', { name: 'Germany' }).click()
  await page.waitForURL(/\/pages\?/)
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('range'), searchParams.getAll('f')]).toEqual(['7d', ['country:eq:DE']])
  await page.getByRole('button', { name: 'Country is Germany', exact: true }).waitFor()
})

test('a project is deleted only after its name is typed', async () => {
  const { id, name } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/settings`)
  const remove = page.getByRole('button', { name: 'Delete the project' })
  expect(await remove.isDisabled()).toBe(true)
  await page.getByLabel(`Type ${name} to delete it`).fill(name)
  await remove.click()
  await page.waitForURL(url => url.pathname === '/app')
  const { projects } = await dashboard.get<{ projects: Project[] }>('/projects')
  expect(projects.map(each => each.id)).not.toContain(id)
})
