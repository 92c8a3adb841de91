import { expect, test } from 'vitest'
import { eventLabel } from '#dashboard/texts'
import { eventually } from '#test/support/eventually'
import { useDrawings } from './drawn-view.ts'
import { count, HOSTILE } from './reader.ts'

/** The view of events shows names, properties, values and whole events as the API answers them. */

const drawings = useDrawings()

const DATED = { project: 'demo', date_from: '13d', tz: 'Europe/Berlin', count_mode: 'raw', limit: 50 }
const METRICS = ['event_count', 'unique_users']

type Query = { rows: Record<string, string | number | null>[] }

test('names, and the values of a property, have the numbers of the API; a value leads to a filter', async () => {
  const page = await drawings.draw('/app/p/demo/events?range=14d')
  const { rows } = await drawings.post<Query>('/query', { ...DATED, metrics: METRICS, group_by: ['event'] })
  expect(rows.length).toBeGreaterThan(1)
  expect(page.cells('Events by number').map(row => row.slice(0, 3))).toEqual(
    rows.map(row => [eventLabel(String(row.event)), count(row.event_count), count(row.unique_users)]),
  )
  const signup = await drawings.draw(page.linkOf('signup'))
  const plan = signup
    .all('[aria-label="Properties of the event"] a')
    .find(each => signup.textOf(each).startsWith('plan'))
  const values = await drawings.draw(plan?.attribs.href ?? '')
  const plans = await drawings.post<Query>('/query', {
    ...{ ...DATED, metrics: METRICS, group_by: ['properties.plan'] },
    filters: [{ field: 'event', op: 'eq', value: 'signup' }],
  })
  const first = plans.rows.find(row => !row.other)
  expect(values.cells('Values of plan')[0]?.slice(0, 3)).toEqual([
    first?.['properties.plan'] ?? '(not set)',
    count(first?.event_count),
    count(first?.unique_users),
  ])
  const [link] = values.all('table[aria-label="Values of plan"] a')
  const filtered = await drawings.draw(link?.attribs.href ?? '')
  expect(filtered.text('.page')).toContain(`plan is ${link && values.textOf(link)}`)
})

test('hostile names, keys and values stay text', async () => {
  const name = `events-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const event = { event: HOSTILE, user_id: 'u', session_id: 's', properties: { label: HOSTILE } }
  await drawings.post('/track', { token, ...event }, 202)
  const path = `/app/p/${name}/events?range=1d&prop=label&event=${encodeURIComponent(HOSTILE)}`
  const page = await eventually(async () => {
    const drawn = await drawings.draw(path)
    expect(drawn.cells('Values of label').map(([value]) => value)).toEqual([HOSTILE])
    return drawn
  })
  // What an event holds stands in its row, open or not.
  expect(page.texts('.timeline dd')).toContain(HOSTILE)
  expect(page.foreignMarkup()).toEqual([])
})
