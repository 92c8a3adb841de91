import { expect, test } from 'vitest'
import { eventLabel } from '#dashboard/texts'
import { eventually } from '#test/support/eventually'
import { snapshotAt } from '#test/support/replays'
import type { Drawn } from './drawn.ts'
import { useDrawings } from './drawn-view.ts'
import { HOSTILE } from './reader.ts'

/** The view of sessions shows the list of the API, and the events of one session. */

const drawings = useDrawings()

const ZONE = 'project=demo&since=13d&tz=Europe/Berlin'

type Session = { session_id: string; user_id: string; event_count: number }
type Sessions = { sessions: Session[]; next_before: string | null }
type Events = { events: { id: string; event: string; properties: { path?: string } }[] }

const shown = (page: Drawn) => page.all('[data-session]').map(({ attribs }) => attribs['data-session'])
const idsOf = ({ sessions }: Sessions) => sessions.map(({ session_id }) => session_id)
const read = (more: string) => drawings.get<Sessions>(`/sessions?limit=50&${ZONE}${more}`)

test('sessions are listed newest first, and the pages of the list follow its cursors there and back', async () => {
  const page = await drawings.draw('/app/p/demo/sessions?range=14d')
  const first = await read('')
  const second = await read(`&before=${encodeURIComponent(String(first.next_before))}`)
  expect(shown(page)).toEqual(idsOf(first))
  const older = await drawings.draw(page.linkOf('Older'))
  expect(shown(older)).toEqual(idsOf(second))
  expect(shown(await drawings.draw(older.linkOf('Newer')))).toEqual(idsOf(first))
})

test('bounces alone, and the sessions of one person, are what the API answers for them', async () => {
  const page = await drawings.draw('/app/p/demo/sessions?range=14d')
  const bounces = await drawings.draw(page.linkOf('Without interaction'))
  expect(shown(bounces)).toEqual(idsOf(await read('&is_bounce=1')))
  const user = encodeURIComponent((await read('')).sessions[0]?.user_id ?? '')
  const own = await drawings.draw(`/app/p/demo/sessions?range=14d&f=user_id:eq:${user}`)
  expect(shown(own)).toEqual(idsOf(await read(`&user_id=${user}`)))
})

test('sessions with a replay alone are those of which one was recorded, and a lost step of a funnel leads to them', async () => {
  const name = `recorded-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  await drawings.put('/replays/settings', { project: name, enabled: true })
  const at = Date.now()
  for (const id of ['recorded', 'other']) {
    const sender = { token, session_id: id }
    await drawings.post('/track', { ...sender, event: 'page_view', user_id: `user-${id}` }, 202)
    if (id === 'other') continue
    const start = { ...sender, start_id: `start-${at}-1234567890`, started_at: at }
    const { replay_id } = await drawings.post<{ replay_id: string }>('/replay/start', start, 202)
    const chunk = { ...sender, index: 0, events: snapshotAt(at) }
    await drawings.post(`/replay/${replay_id}/chunks`, chunk, 202)
  }
  const all = await eventually(async () => {
    const page = await drawings.draw(`/app/p/${name}/sessions?range=7d`)
    expect(shown(page).toSorted()).toEqual(['other', 'recorded'])
    return page
  })
  const recorded = await drawings.draw(all.linkOf('With a replay'))
  expect(shown(recorded)).toEqual(['recorded'])
  const of = (since: string) =>
    drawings.get<Sessions>(`/sessions?project=${name}&has_replay=true&since=${since}`)
  expect(idsOf(await of('7d'))).toEqual(['recorded'])
  const before = await drawings.draw(`/app/p/${name}/sessions?range=yesterday&only=replays`)
  expect(before.region('Sessions')).toContain('No session with a replay in this range')

  const funnel = await drawings.draw(`/app/p/${name}/funnel?range=7d&step=page_view&step=signup&lost=1`)
  const sessions = funnel
    .all('[data-session-link]')
    .map(link => [
      new URL(link.attribs.href ?? '', 'http://a').searchParams.get('session'),
      funnel.textOf(link),
    ])
  expect(sessions.toSorted()).toEqual([
    ['other', 'Session'],
    ['recorded', '▶ replay'],
  ])
  const opened = await drawings.draw(funnel.linkOf('▶ replay'))
  expect(opened.texts('[aria-label="Events of the session"] strong')).toEqual([eventLabel('page_view')])
})

test('the events of a session are those of the API in their order, and each says what it holds', async () => {
  const page = await drawings.draw('/app/p/demo/sessions?range=14d&only=engaged')
  const { session_id: id, event_count } = (await read('&is_bounce=0')).sessions[0] as Session
  const [link] = page.all('[data-session]')
  const opened = await drawings.draw(link?.attribs.href ?? '')
  const { events } = await drawings.get<Events>(`/events?limit=500&session_id=${id}&${ZONE}`)
  expect(events.length).toBe(event_count)
  const list = '[aria-label="Events of the session"]'
  expect(opened.texts(`${list} strong`)).toEqual(events.map(({ event }) => eventLabel(event)).toReversed())
  expect(opened.texts(`${list} dd`)).toContain(String(events.at(-1)?.properties.path))
})

test('hostile text of visitors stays text in the list and on the time line', async () => {
  const name = `hostile-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const properties = {
    ...{ path: HOSTILE, title: HOSTILE, device: HOSTILE },
    referrer: `javascript:alert(1)//${HOSTILE}`,
  }
  const ids = { user_id: HOSTILE, session_id: HOSTILE }
  await drawings.post('/track', { token, event: HOSTILE, ...ids, properties }, 202)
  const page = await eventually(async () => {
    const drawn = await drawings.draw(`/app/p/${name}/sessions?range=1d`)
    expect(shown(drawn)).toEqual([HOSTILE])
    return drawn
  })
  const opened = await drawings.draw(page.all('[data-session]')[0]?.attribs.href ?? '')
  expect(opened.texts('[aria-label="Events of the session"] strong')).toEqual([HOSTILE])
  expect(opened.texts('[aria-label="Events of the session"] dd')).toContain(HOSTILE)
  for (const each of [page, opened]) expect(each.foreignMarkup()).toEqual([])
})
