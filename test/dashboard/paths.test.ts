import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import type { Drawn } from './drawn.ts'
import { useDrawings } from './drawn-view.ts'
import { count, HOSTILE, rate } from './reader.ts'
import { select, textOf } from './select.ts'

/** Ways to a goal: the tree and its choices, and where sessions end without the goal. */

const drawings = useDrawings()

const BODY = { project: 'demo', tz: 'Europe/Berlin', goal_event: 'signup', since: '29d' }

type Node = { type: string; value: string; sessions: number; reached: number; children: Node[] }
type Exit = { exit_page: string; sessions: number; reached: number }
type Entry = { entry_page: string; sessions: number; reached: number; exit_pages: Exit[]; tree: Node[] }
type Paths = { reached: number; entry_paths: Entry[] }

/** Label and number of the first level of the tree. */
function firstLevel(page: Drawn): string[][] {
  const rows = page.all('.tree > ul > li > details > summary > .row')
  return rows.map(row => ['.label', 'b'].map(part => select(row, part).map(textOf).join()))
}

test('the tree has the ways of the API', async () => {
  const page = await drawings.draw('/app/p/demo/paths?goal=signup')
  const { entry_paths, reached } = await drawings.post<Paths>('/paths', BODY)
  expect(entry_paths.length).toBeGreaterThan(1)
  expect(firstLevel(page)).toEqual(entry_paths.map(each => [each.entry_page, count(each.sessions)]))
  const sessions = entry_paths.reduce((all, each) => all + each.sessions, 0)
  expect(page.texts('.summary .num')).toEqual([rate(reached / sessions), count(sessions)])
  const [first] = page.all('.tree > ul > li')
  if (first === undefined) throw new Error('The tree is empty.')
  const below = 'details > ul > li > details > summary > .row b, details > ul > li > .leaf .row b'
  expect(select(first, below).map(textOf)).toEqual(entry_paths[0]?.tree.map(node => count(node.sessions)))
})

test('more of the tree opens three levels, and what is closed is not drawn', async () => {
  const page = await drawings.draw('/app/p/demo/paths?goal=signup')
  const more = await drawings.draw(page.linkOf('Open more'))
  const third = more.all('.tree > ul > li > details > ul > li > details > ul > li > details')
  expect(third.length).toBeGreaterThan(0)
  expect(third.every(({ attribs }) => attribs.open !== undefined)).toBe(true)
  // A tree of thousands of nodes stays quick.
  const branches = more.all('.tree details')
  const closed = branches.filter(({ attribs }) => attribs.open === undefined)
  expect(closed.flatMap(branch => select(branch, 'ul'))).toEqual([])
  expect(more.linkOf('Open less')).toBe(page.address.pathname + page.address.search)
})

test('an entry page and a depth can be chosen, and the ends are those of the choice', async () => {
  const body = { ...BODY, since: '13d', max_steps: 2 }
  const { entry_paths } = await drawings.post<Paths>('/paths', body)
  const entry = entry_paths[1]
  const query = new URLSearchParams({
    goal: 'signup',
    range: '14d',
    depth: '2',
    entry: entry?.entry_page ?? '',
  })
  const page = await drawings.draw(`/app/p/demo/paths?${query}`)
  expect(firstLevel(page)).toEqual([[entry?.entry_page, count(entry?.sessions)]])
  const lost = (exit: Exit) => exit.sessions - exit.reached
  const ends = (entry?.exit_pages ?? []).toSorted((a, b) => lost(b) - lost(a)).slice(0, 20)
  const shown = page.cells('Exit pages by sessions without the goal')
  expect(shown.map(row => row.slice(1, 3))).toEqual(
    ends.map(each => [count(each.sessions), count(lost(each))]),
  )
})

test('who buys after the last step of the tree is no loser: paths and funnel say the same', async () => {
  const name = `paths-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const ways = [
    ['/', '/a', '/b', '/c', '/d', '/e', '/f', '/thanks'],
    ['/', '/a'],
  ]
  for (const [i, pages] of ways.entries()) {
    const sender = { token, user_id: `u${i}`, session_id: `s${i}` }
    for (const path of pages)
      await drawings.post('/track', { ...sender, event: 'page_view', properties: { path } }, 202)
    if (i === 0) await drawings.post('/track', { ...sender, event: 'purchase' }, 202)
  }
  const body = { project: name, goal_event: 'purchase', since: '0d' }
  await eventually(async () => {
    expect(await drawings.post<Paths>('/paths', body)).toMatchObject({
      reached: 1,
      entry_paths: [{ sessions: 2, conversions: 0, reached: 1 }],
    })
  })
  const page = await drawings.draw(`/app/p/${name}/paths?goal=purchase&range=1d`)
  expect(page.texts('.summary .num')).toEqual(['50%', '2'])
  const lost = page.cells('Exit pages by sessions without the goal')
  expect(lost.map(row => row.slice(0, 3))).toEqual([
    ['/a', '1', '1'],
    ['/thanks', '1', '0'],
  ])
  const open = await drawings.draw(`/app/p/${name}/paths?goal=purchase&range=1d&depth=1&open=more`)
  expect(open.text('.tree')).toContain('Goes on, and ends on /thanks')
  expect(open.text('.tree')).toContain('1 reach it later')
})

test('without a goal the view offers one; hostile pages and events stay text', async () => {
  const name = `paths-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  for (const [event, path] of [
    ['page_view', `/${HOSTILE}`],
    [HOSTILE, '/'],
  ]) {
    const ids = { user_id: 'u1', session_id: 's1' }
    await drawings.post('/track', { token, event, ...ids, properties: { path } }, 202)
  }
  await eventually(async () => {
    const { entry_paths } = await drawings.post<Paths>('/paths', { project: name, goal_event: HOSTILE })
    expect(entry_paths[0]?.reached).toBe(1)
  })
  const page = await drawings.draw(`/app/p/${name}/paths`)
  const ways = await drawings.draw(page.all('main .note a')[0]?.attribs.href ?? '')
  expect(ways.texts('.tree .label')).toContain(`/${HOSTILE}`)
  expect(ways.foreignMarkup()).toEqual([])
})
