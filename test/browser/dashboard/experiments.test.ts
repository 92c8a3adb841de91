import { expect, test } from 'vitest'
import { useDashboard, violations } from './dashboard.ts'

/** Experiments: what a person changes is what the API then answers. */

const dashboard = useDashboard()

type Experiment = { id: string; name: string; status: string; winner: string | null }

async function newProject(): Promise<string> {
  const name = `exp-${Math.random().toString(36).slice(2)}`
  await dashboard.post('/projects', { name }, 201)
  return name
}

function newExperiment(project: string): Promise<Experiment> {
  const body = { project, name: 'cta', variants: ['control', 'free'], goal_event: 'signup' }
  return dashboard.post<Experiment>('/experiments', body, 201)
}

const read = (id: string) => dashboard.get<Experiment>(`/experiments/${id}`)
const placeOf = (project: string, { id, name }: Experiment) =>
  `/app/p/${project}/experiments?experiment=${id}&of=${name}`

test('by keyboard alone: an experiment is created with shares, and the page says what to put into the site', async () => {
  const name = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/experiments`)
  await page.getByRole('link', { name: 'New experiment' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name' }).focus()
  await page.keyboard.type('hero_text')
  await page.keyboard.press('Tab')
  await page.keyboard.type('signup')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('90')
  await page.keyboard.press('Tab')
  await page.keyboard.type('short')
  await page.keyboard.press('Tab')
  await page.keyboard.type('10')
  await page.keyboard.press('Enter')
  await page.waitForURL(/experiment=exp_/)
  const { experiments } = await dashboard.get<{ experiments: object[] }>(`/experiments?project=${name}`)
  expect(experiments).toMatchObject([
    {
      ...{ name: 'hero_text', goal_event: 'signup', status: 'active' },
      variants: [
        { key: 'control', weight: 90 },
        { key: 'short', weight: 10 },
      ],
    },
  ])
  await page.getByText('<a data-aa-experiment="hero_text" data-aa-variant-short=').waitFor()
})

test('what is wrong with a new experiment is said, and four variants are the most', async () => {
  const name = await newProject()
  await newExperiment(name)
  const page = await dashboard.visit(
    `/app/p/${name}/experiments?new=1&name=cta&goal=signup&variant=a&variant=b`,
  )
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('alert').getByText('has this name').waitFor()
  await page.getByRole('button', { name: 'Add a variant' }).click()
  await page.getByRole('button', { name: 'Add a variant' }).click()
  expect(await page.locator('.variant').count()).toBe(4)
  expect(await page.getByRole('button', { name: 'Add a variant' }).count()).toBe(0)
})

test('an experiment is paused, resumed, and completed with a winner after a question', async () => {
  const name = await newProject()
  const experiment = await newExperiment(name)
  const page = await dashboard.visit(placeOf(name, experiment))
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect((await read(experiment.id)).status).toBe('paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  expect((await read(experiment.id)).status).toBe('active')

  await page.getByRole('button', { name: 'Complete …' }).click()
  expect(await violations(page, 'main')).toEqual([])
  await page.getByRole('button', { name: 'Not yet' }).click()
  expect((await read(experiment.id)).status).toBe('active')
  await page.getByRole('button', { name: 'Complete …' }).click()
  await page.getByLabel('Winner').selectOption('free')
  await page.getByRole('button', { name: 'Complete cta' }).click()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  expect(await read(experiment.id)).toMatchObject({ status: 'completed', winner: 'free' })
  expect(await page.getByRole('button', { name: 'Complete …' }).count()).toBe(0)
})

test('an experiment is deleted after a question, and Escape keeps it', async () => {
  const name = await newProject()
  const experiment = await newExperiment(name)
  const page = await dashboard.visit(placeOf(name, experiment))
  await page.getByRole('button', { name: 'Delete …' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Delete cta?').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Delete cta' }).click()
  await page.getByText('No experiment yet').waitFor()
  expect(await dashboard.get(`/experiments?project=${name}`)).toEqual({ experiments: [] })
})
