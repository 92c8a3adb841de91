import { expect, test } from 'vitest'
import { eventLabel } from '#dashboard/texts'
import { eventually } from '#test/support/eventually'
import type { Drawn } from './drawn.ts'
import { useDrawings } from './drawn-view.ts'
import { count, HOSTILE, rate } from './reader.ts'

/** The funnel shows the numbers of the API, its questions say what they leave out, and losses list people. */

const drawings = useDrawings()

const PATH = '/app/p/demo/funnel?range=14d&step=page_view&step=signup_started&step=signup'
const BODY = {
  project: 'demo',
  since: '13d',
  tz: 'Europe/Berlin',
  steps: [{ event: 'page_view' }, { event: 'signup_started' }, { event: 'signup' }],
}

type Step = { event: string; users: number; conversion_rates: { from_first: number } }
type Funnel = {
  steps: Step[]
  overall_conversion_rate: number
  people: { id: string; at: number }[]
  breakdowns: { value: string | null; steps: Step[]; overall_conversion_rate: number }[]
}

/** Of each step: its event, how many passed it, and the part of the first. */
const chart = (page: Drawn) => {
  const [labels, users, rates] = ['.label', '.num', '.rate'].map(part =>
    page.texts(`ol.funnel > li .step ${part}`),
  )
  return labels?.map((label, i) => [label, users?.[i], rates?.[i]])
}
const usersOf = (page: Drawn) => page.texts('ol.funnel > li .step .num')

test('a funnel shows the numbers of the API: steps, losses, the whole, and a breakdown', async () => {
  const page = await drawings.draw(`${PATH}&breakdown=country`)
  const funnel = await drawings.post<Funnel>('/funnel', { ...BODY, breakdown: 'country' })
  expect(funnel.steps[2]?.users).toBeGreaterThan(0)
  expect(chart(page)).toEqual(
    funnel.steps.map(step => [
      eventLabel(step.event),
      count(step.users),
      rate(step.conversion_rates.from_first),
    ]),
  )
  const users = funnel.steps.map(step => step.users)
  expect(page.tile('entered')).toBe(count(users[0]))
  expect(page.tile('completed')).toBe(count(users[2]))
  expect(page.tile('conversion')).toBe(rate(funnel.overall_conversion_rate))
  const losses = [(users[0] ?? 0) - (users[1] ?? 0), (users[1] ?? 0) - (users[2] ?? 0)]
  expect(page.texts('ol.funnel .lost a')).toEqual(losses.map(lost => `${count(lost)} lost`))
  expect(page.cells('Funnel by country').map(row => row.slice(1))).toEqual(
    funnel.breakdowns.map(each => [
      ...each.steps.map(step => count(step.users)),
      rate(each.overall_conversion_rate),
    ]),
  )
})

test('a loss lists the people who were lost, and beside them those who passed', async () => {
  const page = await drawings.draw(PATH)
  const lost = await drawings.draw(page.all('ol.funnel .lost a')[1]?.attribs.href ?? '')
  expect(lost.address.searchParams.getAll('lost')).toEqual(['2'])
  const idsOf = ({ people }: Funnel) => people.map(({ id }) => id)
  const asked = { ...BODY, people_of_step: 2 }
  const dropped = await drawings.post<Funnel>('/funnel', { ...asked, people_dropped: true })
  expect(dropped.people.length).toBeGreaterThan(0)
  expect(lost.cells('Lost between signup_started and signup').map(([id]) => id)).toEqual(idsOf(dropped))
  const passed = await drawings.draw(lost.linkOf('Passed it'))
  expect(passed.cells('Passed signup_started').map(([id]) => id)).toEqual(
    idsOf(await drawings.post<Funnel>('/funnel', asked)),
  )
})

test('conditions, the window, sessions and the filters of all views reach the question', async () => {
  const page = await drawings.draw(`${PATH}&f=country:eq:DE&where=1:path:eq:/pricing&window=24&by=session_id`)
  expect(page.text()).toContain('Path is /pricing')
  const funnel = await drawings.post<Funnel>('/funnel', {
    ...BODY,
    steps: [
      { event: 'page_view', filters: [{ property: 'path', op: 'eq', value: '/pricing' }] },
      { event: 'signup_started' },
      { event: 'signup' },
    ],
    where: { field: 'country', op: 'eq', value: 'DE' },
    ...{ conversion_window_hours: 24, count_by: 'session_id' },
  })
  expect(funnel.steps[0]?.users).toBeGreaterThan(0)
  expect(usersOf(page)).toEqual(funnel.steps.map(step => count(step.users)))
})

test('a filter by anything chooses the people of the funnel, and its head says so', async () => {
  const page = await drawings.draw(`${PATH}&f=event:eq:signup`)
  const funnel = await drawings.post<Funnel>('/funnel', {
    ...{ ...BODY, where: { field: 'event', op: 'eq', value: 'signup' } },
  })
  expect(funnel.steps[0]?.users).toBeGreaterThan(0)
  expect(usersOf(page)).toEqual(funnel.steps.map(step => count(step.users)))
  expect(page.region('Step by step')).toContain('The filters choose people')
})

test('an empty builder offers a first funnel of the events of the project', async () => {
  const page = await drawings.draw('/app/p/demo/funnel')
  const funnel = await drawings.draw(page.all('main .note a')[0]?.attribs.href ?? '')
  const steps = funnel.address.searchParams.getAll('step')
  expect(steps[0]).toBe('page_view')
  expect(steps.length).toBeGreaterThan(1)
  expect(usersOf(funnel)).toHaveLength(steps.length)
})

test('hostile names of events, and ids of people, stay text', async () => {
  const name = `funnel-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const event = { event: HOSTILE, user_id: HOSTILE, properties: { plan: HOSTILE } }
  await drawings.post('/track', { token, ...event }, 202)
  await eventually(async () => {
    const { steps } = await drawings.post<Funnel>('/funnel', {
      ...{ project: name, since: '0d', steps: [{ event: HOSTILE }, { event: 'x' }] },
    })
    expect(steps[0]?.users).toBe(1)
  })
  const query = new URLSearchParams([
    ['step', HOSTILE],
    ['step', 'x'],
    ['lost', '1'],
    ['breakdown', 'plan'],
    ['where', `1:plan:eq:${HOSTILE}`],
  ])
  const page = await drawings.draw(`/app/p/${name}/funnel?${query}`)
  const [people] = page.all('table[aria-label^="Lost between"]')
  expect(people && page.textOf(people)).toContain(HOSTILE)
  expect(page.cells('Funnel by plan').map(([value]) => value)).toEqual([HOSTILE])
  expect(page.foreignMarkup()).toEqual([])
})
