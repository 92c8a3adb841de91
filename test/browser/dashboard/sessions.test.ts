import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { snapshotAt } from '#test/support/replays'
import { settled, useDashboard, violations } from './dashboard.ts'

/** The view of sessions shows the list of the API, and the events of one session. */

const dashboard = useDashboard()

const ZONE = 'project=demo&since=13d&tz=Europe/Berlin'

type Session = { session_id: string; event_count: number; is_bounce: number }
type Sessions = { sessions: Session[]; next_before: string | null }
type Events = { events: { id: string; event: string; properties: { path?: string } }[] }

function shownSessions(page: Page): Promise<(string | undefined)[]> {
  return page
    .locator('[data-session]')
    .evaluateAll(links => links.map(link => (link as HTMLElement).dataset.session))
}

const idsOf = ({ sessions }: Sessions) => sessions.map(({ session_id }) => session_id)

test('sessions are listed newest first, and the pages of the list follow its cursors there and back', async () => {
  const page = await dashboard.open('/app/p/demo/sessions?range=14d')
  await settled(page)
  const first = await dashboard.get<Sessions>(`/sessions?limit=50&${ZONE}`)
  const cursor = encodeURIComponent(String(first.next_before))
  const second = await dashboard.get<Sessions>(`/sessions?limit=50&before=${cursor}&${ZONE}`)
  expect(await shownSessions(page)).toEqual(idsOf(first))
  await page.getByRole('link', { name: 'Older' }).click()
  await page.waitForURL(/before=/)
  await settled(page)
  await expect.poll(() => shownSessions(page)).toEqual(idsOf(second))
  await page.reload()
  await settled(page)
  await page.getByRole('link', { name: 'Newer' }).click()
  await expect.poll(() => shownSessions(page)).toEqual(idsOf(first))
})

test('bounces alone, and the sessions of one person, are what the API answers for them', async () => {
  const page = await dashboard.open('/app/p/demo/sessions?range=14d')
  await settled(page)
  await page.getByRole('link', { name: 'Bounces' }).click()
  const bounces = await dashboard.get<Sessions>(`/sessions?limit=50&is_bounce=1&${ZONE}`)
  await expect.poll(() => shownSessions(page)).toEqual(idsOf(bounces))
  const [{ user_id: user }] = (
    await dashboard.get<{ sessions: [{ user_id: string }] }>(`/sessions?limit=1&${ZONE}`)
  ).sessions
  const own = await dashboard.get<Sessions>(`/sessions?limit=50&user_id=${encodeURIComponent(user)}&${ZONE}`)
  await page.goto(`/app/p/demo/sessions?range=14d&f=user_id:eq:${encodeURIComponent(user)}`)
  await settled(page)
  expect(await shownSessions(page)).toEqual(idsOf(own))
})

test('by keyboard alone: a session is opened, its events are in their order, and each says what it holds', async () => {
  const page = await dashboard.open('/app/p/demo/sessions?range=14d&only=engaged')
  await settled(page)
  const { sessions } = await dashboard.get<Sessions>(`/sessions?limit=50&is_bounce=0&${ZONE}`)
  const { session_id: id, event_count } = sessions[0] as Session
  await page.locator('[data-session]').first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/session=/)
  const list = page.getByRole('list', { name: 'Events of the session' })
  await list.waitFor()
  const { events } = await dashboard.get<Events>(`/events?limit=500&session_id=${id}&${ZONE}`)
  expect(events.length).toBe(event_count)
  expect(await list.locator('strong').allInnerTexts()).toEqual(events.map(({ event }) => event).toReversed())
  await list.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await list
    .locator('dd', { hasText: String(events.at(-1)?.properties.path) })
    .first()
    .waitFor()
})

test('a session with a recording leads to its replay, in a tab that cannot reach back', async () => {
  const { service } = dashboard
  const name = `replay-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  const session = 'recorded-1'
  const settings = await fetch(`${service.baseUrl}/replays/settings`, {
    method: 'PUT',
    headers: { 'X-API-Key': service.credentials.api_key },
    body: JSON.stringify({ project: name, enabled: true }),
  })
  expect(settings.status).toBe(200)
  const at = Date.now()
  const sender = { token, session_id: session }
  await dashboard.post('/track', { ...sender, event: 'page_view', user_id: 'u1' }, 202)
  const start = { ...sender, start_id: `start-${at}-1234567890`, started_at: at }
  const { replay_id: id } = await dashboard.post<{ replay_id: string }>('/replay/start', start, 202)
  await dashboard.post(`/replay/${id}/chunks`, { ...sender, index: 0, events: snapshotAt(at) }, 202)
  await dashboard.post(`/replay/${id}/finish`, { ...sender, chunks: 1 }, 202)

  const page = await dashboard.open(`/app/p/${name}/sessions?range=1d`)
  await expect
    .poll(async () => {
      await page.reload()
      await settled(page)
      return page.getByText('▶ replay').count()
    })
    .toBe(1)
  await page.locator('[data-session]').click()
  const [viewer] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Watch the replay' }).click(),
  ])
  await viewer.waitForURL(/\/replay\/viewer#/)
  expect(await viewer.evaluate(() => window.opener)).toBe(null)
  expect(page.url()).not.toContain('viewer')
})

test('hostile text of visitors stays text in the list and on the time line', async () => {
  const name = `hostile-${Math.random().toString(36).slice(2)}`
  const hostile = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  const properties = {
    path: hostile,
    title: hostile,
    referrer: `javascript:alert(1)//${hostile}`,
    device: hostile,
  }
  await dashboard.post(
    '/track',
    { token, event: hostile, user_id: hostile, session_id: hostile, properties },
    202,
  )
  const page = await dashboard.open(`/app/p/${name}/sessions?range=1d`)
  await expect
    .poll(async () => {
      await page.reload()
      await settled(page)
      return page.locator('[data-session]').count()
    })
    .toBe(1)
  await page.locator('[data-session]').click()
  await page.getByRole('list', { name: 'Events of the session' }).getByText(hostile).first().waitFor()
  await page.locator('.timeline summary').click()
  expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0)
  expect(await page.title()).toBe(`${name} · Sessions · Footfall`)
})

test('an open session is accessible, light and dark', async () => {
  const page = await dashboard.open('/app/p/demo/sessions')
  await page.locator('[data-session]').first().click()
  await page.getByRole('list', { name: 'Events of the session' }).waitFor()
  await page.locator('.timeline summary').first().click()
  expect(await violations(page)).toEqual([])
})
