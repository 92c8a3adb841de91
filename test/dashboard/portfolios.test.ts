import { expect, test } from 'vitest'
import { slugOf } from '#dashboard/views/portfolios/slug'
import { settled, useDashboard, violations } from './dashboard.ts'

/** Portfolios: projects that share their people. */

const dashboard = useDashboard()

type Portfolio = { id: string; slug: string; name: string; members: { project: string }[] }

const unique = () => Math.random().toString(36).slice(2, 10)

async function newProject(): Promise<string> {
  const { name } = await dashboard.post<{ name: string }>('/projects', { name: `pf-${unique()}` }, 201)
  return name
}

async function portfolioOf(slug: string): Promise<Portfolio | undefined> {
  const { portfolios } = await dashboard.get<{ portfolios: Portfolio[] }>('/portfolios')
  return portfolios.find(each => each.slug === slug)
}

const membersOf = async (slug: string) => (await portfolioOf(slug))?.members.map(({ project }) => project)

test('a portfolio is created by keyboard, changed, and deleted after a second click; its projects stay', async () => {
  const [first, second] = [await newProject(), await newProject()]
  const slug = `acme-${unique()}`
  const name = `Acme <b>& Söhne</b>`
  const page = await dashboard.open('/app/portfolios')
  await settled(page)
  const form = page.getByRole('region', { name: 'New portfolio' })
  await form.getByLabel('Name', { exact: true }).focus()
  await page.keyboard.type(name)
  expect(await form.getByLabel('Short name').inputValue()).toBe('acme-b-sohne-b')
  await form.getByLabel('Short name').fill(slug)
  await form.getByLabel(first, { exact: true }).focus()
  await page.keyboard.press('Space')
  await form.getByRole('button', { name: 'Create the portfolio' }).focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name }).filter({ hasText: slug })
  await panel.waitFor()
  expect(await portfolioOf(slug)).toMatchObject({ name, members: [{ project: first }] })

  await panel.getByLabel(second, { exact: true }).check()
  await panel.getByLabel(first, { exact: true }).uncheck()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => membersOf(slug)).toEqual([second])

  await panel.getByRole('button', { name: 'Delete …' }).click()
  await panel.getByRole('button', { name: 'Keep it' }).click()
  await panel.getByRole('button', { name: 'Delete …' }).click()
  await panel.getByRole('button', { name: 'Delete the portfolio' }).click()
  await panel.waitFor({ state: 'detached' })
  expect(await portfolioOf(slug)).toBeUndefined()
  await dashboard.get(`/projects/${second}`)
})

test('a project of another portfolio is refused in words, until the reader says that it moves', async () => {
  const project = await newProject()
  const [from, to] = [`from-${unique()}`, `to-${unique()}`]
  await dashboard.post('/portfolios', { slug: from, name: from, projects: [project] }, 201)
  await dashboard.post('/portfolios', { slug: to, name: to }, 201)
  const page = await dashboard.open('/app/portfolios')
  await settled(page)
  const panel = page.getByRole('region', { name: to })
  await panel.getByLabel(project, { exact: true }).check()
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('alert').filter({ hasText: 'portfolio' }).waitFor()
  expect(await membersOf(from)).toEqual([project])
  await panel.getByLabel('Take projects out of other portfolios').check()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => membersOf(to)).toEqual([project])
  expect(await membersOf(from)).toEqual([])
})

test.each([
  ['Ärzte & Co.', 'arzte-co'],
  ['--a--', 'a'],
  ['東京', ''],
  ['x'.repeat(90), 'x'.repeat(64)],
])('the short name of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

test('portfolios are accessible, light and dark', async () => {
  await dashboard.post('/portfolios', { slug: `axe-${unique()}`, name: 'Axe' }, 201)
  const page = await dashboard.open('/app/portfolios')
  await settled(page)
  expect(await violations(page)).toEqual([])
})
