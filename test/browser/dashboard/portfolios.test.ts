import { expect, test } from 'vitest'
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

test('goals, milestones, roles and words of all projects are kept, and the others stay when one changes', async () => {
  const [shop, blog] = [await newProject(), await newProject()]
  const page = await dashboard.open('/app/portfolios')
  await settled(page)
  const panel = page.getByRole('region', { name: 'What all projects have in common' })
  const save = async () => {
    await panel.getByRole('button', { name: 'Save what is common' }).click()
    await panel.getByText('Saved', { exact: true }).waitFor()
  }
  await panel.getByLabel('Goals').fill('More orders\n\n <b>Fewer</b> returns ')
  await panel.getByLabel('Milestones that all projects lead to').fill('order_placed')
  await panel.getByRole('button', { name: '+ What a project is for' }).click()
  await panel.getByLabel('Project of role 1').selectOption(shop)
  await panel.getByLabel('Text of role 1').fill('The shop')
  await panel.getByRole('button', { name: '+ A word of all projects' }).click()
  await panel.getByLabel('Name of word 1').fill('Order')
  await panel.getByLabel('Meaning of word 1').fill('A paid <i>cart</i>')
  expect(await panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await save()
  const context = async () =>
    (await dashboard.get<{ portfolio_context: object }>('/portfolio-context')).portfolio_context
  expect(await context()).toMatchObject({
    goals: ['More orders', '<b>Fewer</b> returns'],
    shared_milestones: ['order_placed'],
    surface_roles: [{ project: shop, role: 'The shop' }],
    glossary: [{ term: 'Order', definition: 'A paid <i>cart</i>' }],
  })
  expect(await violations(page, 'section[aria-label="What all projects have in common"]')).toEqual([])

  await page.reload()
  await settled(page)
  expect(await panel.getByLabel('Project of role 1').locator('option:checked').textContent()).toBe(shop)
  await panel.getByRole('button', { name: '+ What a project is for' }).click()
  await panel.getByLabel('Project of role 2').selectOption(blog)
  await panel.getByLabel('Text of role 2').fill('Articles')
  await panel.getByRole('button', { name: 'Remove word 1' }).click()
  expect(await panel.getByText('Saved', { exact: true }).count()).toBe(0)
  await save()
  expect(await context()).toMatchObject({
    goals: ['More orders', '<b>Fewer</b> returns'],
    surface_roles: [{ project: shop }, { project: blog, role: 'Articles' }],
    glossary: [],
  })
})

test('what the service refuses is said in its words, and what was typed stays', async () => {
  const page = await dashboard.open('/app/portfolios')
  await settled(page)
  const panel = page.getByRole('region', { name: 'What all projects have in common' })
  await panel.getByLabel('Goals').fill('1\n2\n3\n4\n5\n6')
  await panel.getByRole('button', { name: 'Save what is common' }).click()
  await panel.getByRole('alert').getByText('up to 5 entries').waitFor()
  expect(await panel.getByLabel('Goals').inputValue()).toBe('1\n2\n3\n4\n5\n6')
})
