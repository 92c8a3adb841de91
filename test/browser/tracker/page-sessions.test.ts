import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { NOON, useTestSite } from './test-site.ts'

const site = useTestSite()
const MINUTE = 60_000

async function openPage(page: Page, path: string) {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet()}`)
  await page.goto(site.server.page(path))
}

/**
 * Returns path, session (numbered by first appearance), session count and days since the first visit of each
 * page view.
 */
function pageViews() {
  const sessions: string[] = []
  return site.server.events().map(({ session_id, properties }) => {
    if (!sessions.includes(session_id)) sessions.push(session_id)
    const { path, session_count, days_since_first_visit } = properties
    return [path, sessions.indexOf(session_id) + 1, session_count, days_since_first_visit]
  })
}

test('pages of one tab are one session, until 30 minutes without an event', async () => {
  const page = await site.tab()
  await page.clock.install({ time: NOON })
  await openPage(page, '/a')
  await page.clock.runFor(29 * MINUTE)
  await openPage(page, '/b')
  await page.clock.runFor(31 * MINUTE)
  await openPage(page, '/c')
  await page.clock.runFor(5000)
  await eventually(() =>
    expect(pageViews()).toEqual([
      ['/a', 1, 1, 0],
      ['/b', 1, 1, 0],
      ['/c', 2, 2, 0],
    ]),
  )
  expect(new Set(site.server.events().map(({ user_id }) => user_id)).size).toBe(1)
})

test('two tabs are two sessions of one user', async () => {
  const user = await site.newUser()
  const [firstTab, secondTab] = [await site.tab(user), await site.tab(user)]
  for (const [page, path] of [
    [firstTab, '/one'],
    [secondTab, '/two'],
    [firstTab, '/one/next'],
  ] as const) {
    await openPage(page, path)
    await site.leave(page)
    await eventually(() => expect(pageViews().map(([at]) => at)).toContain(path))
  }
  expect(pageViews().map(([path, session]) => [path, session])).toEqual([
    ['/one', 1],
    ['/two', 2],
    ['/one/next', 1],
  ])
  expect(new Set(site.server.events().map(({ user_id }) => user_id)).size).toBe(1)
})

test('a user who comes back days later has the same id and the first campaign', async () => {
  const user = await site.newUser()
  const page = await site.tab(user)
  await page.clock.install({ time: NOON })
  await openPage(page, '/a?utm_source=news')
  await site.leave(page)
  await page.close()

  const laterTab = await site.tab(user)
  await laterTab.clock.install({ time: new Date(NOON.getTime() + 3.5 * 24 * 60 * MINUTE) })
  await openPage(laterTab, '/b?utm_source=ads')
  await site.leave(laterTab)
  await eventually(() =>
    expect(pageViews()).toEqual([
      ['/a', 1, 1, 0],
      ['/b', 2, 2, 3],
    ]),
  )
  expect(site.server.events()[1]!.properties).toMatchObject({ utm_source: 'ads', first_utm_source: 'news' })
})

test('the storages hold the documented keys with the token', async () => {
  const page = await site.tab()
  await openPage(page, '/a?utm_source=news')
  await page.evaluate(() => window.aa!.track('x'))
  await eventually(() => expect(site.server.experimentRequests).toBe(1))
  await page.waitForFunction(() => sessionStorage.getItem('aa:aat_1:experiments'))
  const stored = await page.evaluate(() => ({ local: { ...localStorage }, tab: { ...sessionStorage } }))
  expect(stored).toEqual({
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
      'aa:aat_1:experiments': '1',
    },
  })
})

test('with blocked storages, events are still sent', async () => {
  const page = await site.tab()
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    }
  })
  await openPage(page, '/a')
  await page.evaluate(() => window.aa!.track('x'))
  await site.leave(page)
  await eventually(() => expect(site.server.events().map(({ event }) => event)).toEqual(['page_view', 'x']))
  const [first, second] = site.server.events()
  expect(second).toMatchObject({ user_id: first!.user_id, session_id: first!.session_id })
  expect(page.errors).toEqual([])
})
