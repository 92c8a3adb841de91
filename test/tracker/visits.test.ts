import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { inPage, NOON } from './in-page.ts'

const here = inPage()
const MINUTE = 60_000

async function visit(page: Page, path: string) {
  here.server.serve(`<!doctype html><title>Shoes</title>${here.server.snippet()}`)
  await page.goto(here.server.page(path))
}

/** Of each page view that has arrived: path, session (numbered by first appearance), count of sessions, days. */
function pageViews() {
  const sessions: string[] = []
  return here.server.items().map(({ session_id, properties }) => {
    if (!sessions.includes(session_id)) sessions.push(session_id)
    const { path, session_count, days_since_first_visit } = properties
    return [path, sessions.indexOf(session_id) + 1, session_count, days_since_first_visit]
  })
}

test('pages of one tab are one session; 30 minutes without an event begin another', async () => {
  const page = await here.tab()
  await page.clock.install({ time: NOON })
  await visit(page, '/a')
  await page.clock.runFor(29 * MINUTE)
  await visit(page, '/b')
  await page.clock.runFor(31 * MINUTE)
  await visit(page, '/c')
  await page.clock.runFor(5000)
  await eventually(() =>
    expect(pageViews()).toEqual([
      ['/a', 1, 1, 0],
      ['/b', 1, 1, 0],
      ['/c', 2, 2, 0],
    ]),
  )
  expect(new Set(here.server.items().map(item => item.user_id)).size).toBe(1)
})

test('two tabs are two sessions of one visitor', async () => {
  const visitor = await here.visitor()
  const [one, two] = [await here.tab(visitor), await here.tab(visitor)]
  for (const [page, path] of [
    [one, '/one'],
    [two, '/two'],
    [one, '/one/next'],
  ] as const) {
    await visit(page, path)
    await here.leave(page)
    await eventually(() => expect(pageViews().map(([at]) => at)).toContain(path))
  }
  expect(pageViews().map(([path, session]) => [path, session])).toEqual([
    ['/one', 1],
    ['/two', 2],
    ['/one/next', 1],
  ])
  expect(new Set(here.server.items().map(item => item.user_id)).size).toBe(1)
})

test('a visitor who comes back days later is known, with the first campaign', async () => {
  const visitor = await here.visitor()
  const page = await here.tab(visitor)
  await page.clock.install({ time: NOON })
  await visit(page, '/a?utm_source=news')
  await here.leave(page)
  await page.close()

  const later = await here.tab(visitor)
  await later.clock.install({ time: new Date(NOON.getTime() + 3.5 * 24 * 60 * MINUTE) })
  await visit(later, '/b?utm_source=ads')
  await here.leave(later)
  await eventually(() =>
    expect(pageViews()).toEqual([
      ['/a', 1, 1, 0],
      ['/b', 2, 2, 3],
    ]),
  )
  expect(here.server.items()[1]!.properties).toMatchObject({ utm_source: 'ads', first_utm_source: 'news' })
})

test('the storages hold the documented keys, scoped by the token', async () => {
  const page = await here.tab()
  await visit(page, '/a?utm_source=news')
  await page.evaluate(() => window.aa!.track('x'))
  const kept = await page.evaluate(() => ({ local: { ...localStorage }, tab: { ...sessionStorage } }))
  expect(kept).toEqual({
    local: {
      'aa:aat_1:uid': expect.stringMatching(/^anon_/),
      'aa:aat_1:ft': '{"utm_source":"news"}',
      'aa:aat_1:sc': '1',
      'aa:aat_1:fv': expect.stringMatching(/^\d{13}$/),
    },
    tab: {
      'aa:aat_1:utm': '{"utm_source":"news"}',
      'aa:aat_1:sid': expect.stringMatching(/^sess_/),
      'aa:aat_1:last_activity': expect.stringMatching(/^\d{13}$/),
    },
  })
})

test('blocked storages cost the memory of the visitor, not the events', async () => {
  const page = await here.tab()
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    }
  })
  await visit(page, '/a')
  await page.evaluate(() => window.aa!.track('x'))
  await here.leave(page)
  await eventually(() => expect(here.server.items().map(item => item.event)).toEqual(['page_view', 'x']))
  const [first, second] = here.server.items()
  expect(second).toMatchObject({ user_id: first!.user_id, session_id: first!.session_id })
  expect(page.thrown).toEqual([])
})
