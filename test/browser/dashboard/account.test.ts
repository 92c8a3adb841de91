import { expect, test } from 'vitest'
import { HUMAN_BROWSER } from '#test/support/browser'
import { cells, settled, useDashboard, violations } from './dashboard.ts'

/** The account: usage, connections, the API key, what was done. It changes the account, so it is alone. */

const dashboard = useDashboard({ isAlone: true })

type Session = { id: string; client_name: string; status: string }
type Usage = { usage: { total_events_this_month: number; total_reads_this_month: number } }
type Audit = { entries: { route: string; action: string; project: string | null; status: number }[] }

const NAME = 'Agent <b>bold</b>'

/** Approves an agent as a person does. */
async function connect(): Promise<string> {
  const { auth_request_id, authorize_url, approval_code } = await dashboard.post<Record<string, string>>(
    '/agent-sessions/start',
    { mode: 'detached', client_type: 'agent', client_name: NAME, scopes: ['analytics:read'] },
    201,
  )
  const page = await dashboard.open(new URL(authorize_url ?? '').pathname)
  await page.getByLabel('The last four characters').fill(approval_code?.slice(-4) ?? '')
  await page.getByRole('button', { name: 'Approve' }).click()
  const exchange_code = await page.locator('#finish-code').textContent()
  const { agent_session } = await dashboard.post<{ agent_session: { id: string } }>(
    '/agent-sessions/exchange',
    {
      auth_request_id,
      exchange_code,
    },
  )
  return agent_session.id
}

test('the usage of the month is that of the API, and a limit that is none says so', async () => {
  await dashboard.get('/stats?project=demo')
  const page = await dashboard.open('/app/account')
  await settled(page)
  const { usage } = await dashboard.get<Usage>('/account/usage')
  const list = page.getByRole('list', { name: 'Usage of this month' })
  expect(usage.total_reads_this_month).toBeGreaterThan(0)
  expect((await list.getByRole('listitem').allInnerTexts()).slice(0, 2)).toEqual([
    `Events ${usage.total_events_this_month} no limit`,
    `Reads ${usage.total_reads_this_month} no limit`,
  ])
})

test('an account that can be upgraded has the link of the API, and a full limit is drawn full', async () => {
  const page = await dashboard.open('about:blank')
  const url = '/account/billing/agent-upgrade?account=acc_1'
  await page.route('**/account/usage', async route => {
    const response = await route.fetch()
    const known = await response.json()
    const limits = { ...known.tier_limits, max_reads_per_month: 1 }
    const next_action = { type: 'open_browser', url, reason: 'r' }
    const payment = { ...known.payment, state: 'upgrade_available', next_action }
    await route.fulfill({
      response,
      json: { ...known, entitlement_source: 'free', tier_limits: limits, payment },
    })
  })
  await page.goto('/app/account')
  await settled(page)
  expect(await page.getByRole('link', { name: 'Upgrade to Pro' }).getAttribute('href')).toBe(url)
  expect(await page.locator('.meter .full').count()).toBe(1)
})

test('a connection is shown by the words of its client, and is disconnected by keyboard', async () => {
  const id = await connect()
  const page = await dashboard.open('/app/account')
  await settled(page)
  await page.getByRole('list', { name: 'Connections' }).getByText(NAME).waitFor()
  await page.getByRole('button', { name: `Disconnect ${NAME}` }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('No agent is connected').waitFor()
  const { sessions } = await dashboard.get<{ sessions: Session[] }>('/account/agent-sessions')
  expect(sessions.find(each => each.id === id)?.status).toBe('revoked')
  await page.getByText('1 disconnected').click()
  await page.getByRole('list', { name: 'Disconnected' }).getByText(NAME).waitFor()
})

test('the audit log has the entries of the API, page by page', async () => {
  for (let i = 0; i < 32; i++) await dashboard.post('/projects', { name: `audit-${i}` }, 201)
  const page = await dashboard.open('about:blank')
  const answered = page.waitForResponse(response => response.url().includes('/account/audit'))
  await page.goto('/app/account')
  const first: Audit = await (await answered).json()
  await settled(page)
  const shownOf = (rows: string[][]) => rows.map(([, , what, project, status]) => [what, project, status])
  const wanted = ({ entries }: Audit) =>
    entries.map(({ action, project, status }) => [
      action.replaceAll('_', ' '),
      project ?? '–',
      String(status),
    ])
  expect(first.entries).toHaveLength(30)
  expect(shownOf(await cells(page, 'Audit log'))).toEqual(wanted(first))
  const older = page.waitForResponse(response => response.url().includes('before='))
  await page.getByRole('link', { name: 'Older' }).click()
  const second: Audit = await (await older).json()
  expect(second.entries.length).toBeGreaterThan(0)
  await expect.poll(async () => shownOf(await cells(page, 'Audit log'))).toEqual(wanted(second))
})

test('the receipt of an erasure is found by its id, and an unknown id says so', async () => {
  const { project_token } = await dashboard.get<{ project_token: string }>('/projects/demo')
  await fetch(`${dashboard.service.baseUrl}/track`, {
    method: 'POST',
    headers: { 'User-Agent': HUMAN_BROWSER.userAgent },
    body: JSON.stringify({ project: 'demo', token: project_token, event: 'page_view', user_id: 'user-1' }),
  })
  const erase = async () => {
    const response = await fetch(`${dashboard.service.baseUrl}/users/user-1?project=demo`, {
      method: 'DELETE',
      headers: { 'X-API-Key': dashboard.service.credentials.api_key },
    })
    return response.json() as Promise<{ erasure_id?: string }>
  }
  // The event is in the reports a moment after the response.
  let id: string | undefined
  await expect
    .poll(
      async () => {
        id = (await erase()).erasure_id
        return id
      },
      { timeout: 60_000 },
    )
    .toBeDefined()
  const page = await dashboard.open('/app/account')
  await settled(page)
  await page.getByLabel('Id of the receipt').fill(String(id))
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Erasure', exact: true }).getByText(String(id)).waitFor()
  await page.getByLabel('Id of the receipt').fill('era_0000000000000000')
  await page.keyboard.press('Enter')
  await page.getByText('This does not exist').waitFor()
})

test('the account is accessible, light and dark', async () => {
  await connect()
  const page = await dashboard.open('/app/account')
  await settled(page)
  expect(await violations(page)).toEqual([])
})

// The last one, because the others use the old key.
test('the API key is replaced after a second click, and shown once', async () => {
  const old = dashboard.service.credentials.api_key
  const page = await dashboard.open('/app/account')
  await settled(page)
  await page.getByRole('button', { name: 'Replace the API key …' }).click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Replace the API key …' }).click()
  await page.getByRole('button', { name: 'Replace the key' }).click()
  const key = (await page.locator('.once pre').textContent()) ?? ''
  const status = async (each: string) =>
    (await fetch(`${dashboard.service.baseUrl}/account`, { headers: { 'X-API-Key': each } })).status
  expect([await status(key), await status(old)]).toEqual([200, 401])
  await page.reload()
  await settled(page)
  expect(await page.content()).not.toContain(key)
})
