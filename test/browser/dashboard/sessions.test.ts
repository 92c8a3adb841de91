import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { snapshotAt } from '#test/support/replays'
import { useDashboard } from './dashboard.ts'

/** The view of sessions: one is opened by keyboard, and leads to its recording. */

const dashboard = useDashboard()

test('by keyboard alone: a session is opened, and each of its events says what it holds', async () => {
  const page = await dashboard.visit('/app/p/demo/sessions?range=14d&only=engaged')
  const link = page.locator('[data-session]').first()
  const id = await link.getAttribute('data-session')
  await link.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.searchParams.get('session') === id)
  const list = page.getByRole('list', { name: 'Events of the session' })
  await list.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await list
    .locator('dd', { hasText: String(id) })
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

  await eventually(async () => {
    const { sessions } = await dashboard.get<{ sessions: object[] }>(`/sessions?project=${name}&since=0d`)
    expect(sessions).toMatchObject([{ has_replay: true }])
  })
  const page = await dashboard.visit(`/app/p/${name}/sessions?range=1d`)
  await page.getByText('▶ replay').waitFor()
  await page.locator('[data-session]').click()
  const [viewer] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Watch the replay' }).click(),
  ])
  await viewer.waitForURL(/\/replay\/viewer#/)
  expect(await viewer.evaluate(() => window.opener)).toBe(null)
  expect(page.url()).not.toContain('viewer')
  await viewer.close()
})
