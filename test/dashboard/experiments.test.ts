import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import type { Drawn } from './drawn.ts'
import { useDrawings } from './drawn-view.ts'
import { count, HOSTILE, rate } from './reader.ts'

/** Experiments: the numbers are those of the API. */

const drawings = useDrawings()

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
  decision_interval: Record<string, [number, number]>
  recommendation: string
  plan: { size: number; rule: string }
}
type Experiment = { id: string; name: string; results: Results }

const signed = (value: number) =>
  value.toLocaleString('en-GB', {
    ...{ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' },
  })
const read = (id: string) => drawings.get<Experiment>(`/experiments/${id}`)

async function newExperiment(more: object = {}) {
  const project = `exp-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>(
    ...(['/projects', { name: project }, 201] as const),
  )
  const body = { project, name: 'cta', variants: ['control', 'free'], goal_event: 'signup', ...more }
  const { id, name } = await drawings.post<Experiment>('/experiments', body, 201)
  return { project, token, id, place: `/app/p/${project}/experiments?experiment=${id}&of=${name}` }
}

/** The sum of a column of the exposures by day. */
const exposures = (page: Drawn, column: number) =>
  page.cells('Exposures by day').reduce((sum, row) => sum + Number(row[column]), 0)

test('results, lift and exposures by day are those of the API', async () => {
  const page = await drawings.draw('/app/p/demo/experiments?experiment=exp_demo_signup_cta&of=signup_cta')
  const { results } = await read('exp_demo_signup_cta')
  const liftOf = (key: string) => {
    const [low, high] = results.decision_interval[key] as [number, number]
    return [signed(results.lift[key] as number), `${signed(low)} to ${signed(high)}`]
  }
  expect(page.cells('Results by variant').map(row => row.slice(1))).toEqual(
    results.variants.map(({ key, exposures, unique_users, conversions, conversion_rate }, i) => [
      ...[count(unique_users), rate(conversion_rate), rate(results.probability_best[key])],
      ...(i === 0 ? ['–', '–'] : liftOf(key)),
      ...[count(conversions), count(exposures), '50 %'],
    ]),
  )
  expect(page.text()).toContain(results.recommendation.replaceAll('`', ''))
  expect(page.text()).toContain(results.plan.rule)
  expect(page.text()).toContain(`Visitors for each variant${count(results.plan.size)}`)
  expect([1, 2].map(column => exposures(page, column))).toEqual(results.variants.map(each => each.exposures))
})

test('forced exposures are in no picture, and an experiment without users says what to do', async () => {
  const { token, id, place } = await newExperiment()
  expect((await drawings.draw(place)).text()).toContain('Nobody has seen a variant yet')
  for (const [user_id, more] of [
    ['u1', { forced: true }],
    ['u2', {}],
  ] as const) {
    const properties = { experiment: 'cta', variant: 'free', ...more }
    const event = { event: '$experiment_exposure', user_id, session_id: user_id, properties }
    await drawings.post('/track', { token, ...event }, 202)
  }
  await eventually(async () => expect((await read(id)).results.variants[1]?.exposures).toBe(1))
  // Reads of half a second may share what they see of the lake, so the picture may come later than the
  // results.
  const drawn = await eventually(async () => {
    const page = await drawings.draw(place)
    expect(page.said<{ rows: unknown[] }>('POST /query').rows).toHaveLength(2)
    return page
  })
  expect(exposures(drawn, 2)).toBe(1)
})

test('the demo has no buttons that would change it', async () => {
  const buttons = ['Pause', 'Complete …', 'Delete …']
  const options = { isSignedOut: true }
  const list = await drawings.draw('/app/demo/experiments', options)
  const page = await drawings.draw(list.linkOf('signup_cta'), options)
  expect(page.cells('Results by variant').length).toBeGreaterThan(1)
  expect(page.texts('button').filter(text => buttons.includes(text))).toEqual([])
  const own = await drawings.draw((await newExperiment()).place)
  expect(own.texts('button')).toEqual(expect.arrayContaining(buttons))
})

test('a hostile goal stays text', async () => {
  const { place } = await newExperiment({ goal_event: HOSTILE })
  const page = await drawings.draw(place)
  const list = await drawings.draw(page.linkOf('All experiments'))
  for (const each of [page, list]) {
    expect(each.text()).toContain(HOSTILE)
    expect(each.foreignMarkup()).toEqual([])
  }
})
