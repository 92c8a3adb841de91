import { expect, test } from 'vitest'
import { eventLabel } from '#dashboard/texts'
import { useDrawings } from './drawn-view.ts'
import { count, HOSTILE } from './reader.ts'

/** The view of people shows what the API knows of them. */

const drawings = useDrawings()

test('the most active people, and the time line of one, are those of the API', async () => {
  const page = await drawings.draw('/app/p/demo/people?range=14d')
  const { rows } = await drawings.post<{ rows: { user_id: string; event_count: number; other?: true }[] }>(
    '/query',
    {
      ...{ project: 'demo', date_from: '13d', tz: 'Europe/Berlin', count_mode: 'raw' },
      ...{ metrics: ['event_count', 'session_count'], group_by: ['user_id'], limit: 50 },
    },
  )
  const known = rows.filter(row => row.other !== true)
  expect(page.cells('Visitors by events').map(row => row.slice(0, 2))).toEqual(
    known.map(row => [row.user_id, count(row.event_count)]),
  )
  const user = known[0]?.user_id as string
  const person = await drawings.draw(page.linkOf(user))
  const asked = { project: 'demo', user_id: user, since: '13d', limit: 200 }
  const { events } = await drawings.post<{ events: { event: string }[] }>('/journey', asked)
  expect(events.length).toBeGreaterThan(0)
  expect(person.texts('[aria-label="Events of the visitor"] summary strong')).toEqual(
    events.map(({ event }) => eventLabel(event)),
  )
  const { baseUrl, credentials } = drawings.service
  const response = await fetch(
    `${baseUrl}/users/-?project=demo&dry_run=true&user_id=${encodeURIComponent(user)}`,
    { method: 'DELETE', headers: { 'X-API-Key': credentials.api_key } },
  )
  const dryRun = (await response.json()) as { events: number }
  expect(person.text('[data-number="all-events"] dd')).toBe(count(dryRun.events))
})

test('an id that nobody has is said so, also where it is hostile', async () => {
  const page = await drawings.draw(`/app/p/demo/people?user=${encodeURIComponent(HOSTILE)}`)
  expect(page.text()).toContain('Nobody with this id')
  expect(page.foreignMarkup()).toEqual([])
})
