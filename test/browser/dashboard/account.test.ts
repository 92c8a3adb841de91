import { expect, test } from 'vitest'
import { HUMAN_BROWSER } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { settled, useDashboard, violations } from './dashboard.ts'

/** The account: connections, the API key, receipts. It changes the account, so it is alone. */

const dashboard = useDashboard({ isAlone: true })

type Session = { id: string; client_name: string; status: string }
const NAME = 'Agent <b>bold</b>'

/** Approves an agent as a person does. */
async function connect(): Promise<string> {
  const { auth_request_id, authorize_url } = await dashboard.post<Record<string, string>>(
    '/agent-sessions/start',
    { mode: 'detached', client_type: 'agent', client_name: NAME, scopes: ['analytics:read'] },
    201,
  )
  const page = await dashboard.open(new URL(authorize_url ?? '').pathname)
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

test('a connection is shown by the words of its client, and is disconnected by keyboard', async () => {
  const id = await connect()
  const page = await dashboard.visit('/app/account')
  await page.getByRole('list', { name: 'Connections' }).getByText(NAME).waitFor()
  expect(await violations(page, 'main')).toEqual([])
  await page.getByRole('button', { name: `Disconnect ${NAME}` }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('No agent is connected').waitFor()
  const { sessions } = await dashboard.get<{ sessions: Session[] }>('/account/agent-sessions')
  expect(sessions.find(each => each.id === id)?.status).toBe('revoked')
  await page.getByText('1 disconnected').click()
  await page.getByRole('list', { name: 'Disconnected' }).getByText(NAME).waitFor()
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
  const id = await eventually(async () => {
    const answer = await erase()
    expect(answer).toMatchObject({ erasure_id: expect.any(String) })
    return answer.erasure_id
  })
  const page = await dashboard.visit('/app/account')
  await page.getByLabel('Id of the receipt').fill(String(id))
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Erasure', exact: true }).getByText(String(id)).waitFor()
  await page.getByLabel('Id of the receipt').fill('era_0000000000000000')
  await page.keyboard.press('Enter')
  await page.getByText('This does not exist').waitFor()
})

// The last one, because the others use the old key.
test('the API key is replaced after a second click, and shown once', async () => {
  const old = dashboard.service.credentials.api_key
  const page = await dashboard.visit('/app/account')
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
