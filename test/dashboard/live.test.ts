import { expect, test } from 'vitest'
import { eventLabel } from '#dashboard/texts'
import { eventually } from '#test/support/eventually'
import { useDrawings } from './drawn-view.ts'

/** The numbers and lists of the live view are those of GET /live. */

const drawings = useDrawings()

type Live = {
  active_visitors: number
  active_sessions: number
  events_per_minute: number
  top_pages: { path: string; visitors: number }[]
  top_events: { event: string; count: number }[]
  recent_events: { event: string }[]
}

test('numbers and lists are those of the API', async () => {
  const name = `live-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  for (const [i, path] of ['/', '/pricing'].entries()) {
    const ids = { user_id: `u${i}`, session_id: `s${i}` }
    await drawings.post('/track', { token, event: 'page_view', ...ids, properties: { path } }, 202)
  }
  const live = () => drawings.get<Live>(`/live?project=${name}&window=300`)
  await eventually(async () => expect((await live()).recent_events).toHaveLength(2))
  const page = await drawings.draw(`/app/p/${name}/live`)
  const expected = page.said<Live>('GET /live')
  expect(expected).toMatchObject({ active_visitors: 2, active_sessions: 2 })
  for (const number of ['active_visitors', 'active_sessions', 'events_per_minute'] as const) {
    expect(page.tile(number)).toBe(String(expected[number]))
  }
  expect(page.cells('Pages by active visitors')).toEqual(
    expected.top_pages.map(({ path, visitors }) => [path, String(visitors)]),
  )
  expect(page.cells('Events by number')).toEqual(
    expected.top_events.map(({ event, count }) => [eventLabel(event), String(count)]),
  )
})

test('ten countries are shown, and how many more there are', async () => {
  const countries = Array.from({ length: 12 }, (_, i) => ({
    ...{ country: `A${String.fromCharCode(65 + i)}`, visitors: 12 - i, sessions: 1, events: 1 },
  }))
  const page = await drawings.draw('/app/p/demo/live', {
    answer: ({ pathname }, ask) =>
      pathname === '/live'
        ? ask().then(async answer => Response.json({ ...((await answer.json()) as object), countries }))
        : undefined,
  })
  expect(page.text()).toContain('And 2 more.')
  expect(page.cells('Countries by active visitors').map(row => row[1])).toEqual(
    countries.slice(0, 10).map(({ visitors }) => String(visitors)),
  )
})
