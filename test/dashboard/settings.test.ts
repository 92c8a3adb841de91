import { beforeAll, expect, test } from 'vitest'
import { type Dashboard, openDashboard, settled, violations } from './dashboard.ts'

/** The settings of a project: what a person changes is what the API then answers. */

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await openDashboard()
})

type Project = { id: string; name: string }

function newProject(): Promise<Project> {
  const name = `set-${Math.random().toString(36).slice(2)}`
  return dashboard.post<Project>('/projects', { name }, 201)
}

test('origins and annotations are kept by the service', async () => {
  const { id, name } = await newProject()
  const page = await dashboard.open(`/app/p/${name}/settings`)
  await settled(page)
  await page.getByLabel('Origins that may send events').fill('https://shop.example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(() => dashboard.get<{ allowed_origins: string }>(`/projects/${id}`))
    .toMatchObject({ allowed_origins: 'https://shop.example' })

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

test('a view is saved by a name, and its link shows the same picture', async () => {
  const { name } = await newProject()
  const page = await dashboard.open(`/app/p/${name}/pages?range=7d&f=country:eq:DE`)
  await settled(page)
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
  await page.getByText('country is Germany').waitFor()
})

test('a project is deleted only after its name is typed', async () => {
  const { id, name } = await newProject()
  const page = await dashboard.open(`/app/p/${name}/settings`)
  await settled(page)
  const remove = page.getByRole('button', { name: 'Delete the project' })
  expect(await remove.isDisabled()).toBe(true)
  await page.getByLabel(`Type ${name} to delete it`).fill(name)
  await remove.click()
  await page.waitForURL(url => url.pathname === '/app')
  const { projects } = await dashboard.get<{ projects: Project[] }>('/projects')
  expect(projects.map(each => each.id)).not.toContain(id)
})

test.each(['light', 'dark'] as const)('the settings are accessible, %s', async colorScheme => {
  const { name } = await newProject()
  const page = await dashboard.open(`/app/p/${name}/settings`, { colorScheme })
  await settled(page)
  expect(await violations(page)).toEqual([])
})
