import { createHash, randomBytes } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectInspector, connectMcpClient } from '#test/browser/journeys/mcp-clients'
import { playReferenceClient } from '#test/browser/journeys/play-reference-client'
import { sharedBrowser } from '#test/support/browser'
import { type Deployment, openDeployment } from '#test/support/deployment'
import { listenForCallback } from '#test/support/reference-client'

/**
 * The ways of an owner in a browser, and of agents beside it, from the setup link to a disconnected session.
 */

let service: Deployment
let browser: Browser
let context: BrowserContext
let page: Page
beforeAll(async () => {
  service = await openDeployment()
  browser = await sharedBrowser({ url: service.publicUrl, tlsPort: service.tlsPort })
  // A phone without JavaScript. The certificate of a rehearsal is self-signed.
  context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    javaScriptEnabled: false,
    ignoreHTTPSErrors: true,
    baseURL: service.publicUrl,
  })
  page = await context.newPage()
})
afterAll(async () => {
  await context?.close()
  await service?.close()
})

// The setup link works once, so all tests share the owner's browser, one after the other.
describe.sequential('the owner', () => {
  test('signs in by the setup link, in a cookie that scripts and other sites cannot use', async () => {
    await signIn(page, service.setupLink)
    const isSecure = service.publicUrl.startsWith('https:')
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', secure: isSecure })
    expect(cookie?.name.startsWith('__Host-')).toBe(isSecure)
  })

  test('approves agents in every way, and disconnects one', async () => {
    const agent = createAgent(service)
    const session = await logIn(agent, page)
    await claim(agent, page)
    await finishDetached(agent, page)
    await refreshAndDisconnect(agent, page, session)
  })

  test('uses every command of the reference client that has a route, and each gets the fields that it reads', () =>
    playReferenceClient(service, page))

  test('connects an MCP client, which gets an answer and is disconnected', () =>
    connectMcpClient(service, page))

  test('connects the Inspector, which lists the tools, calls one and keeps its session', task =>
    connectInspector(service, page, task))

  test('signs out, and the browser has to sign in again', async () => {
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.goto('/settings')
    expect(new URL(page.url()).pathname).toBe('/auth/sign-in')
  })
})

type Agent = ReturnType<typeof createAgent>

/** A client of the HTTP interface. */
function createAgent({ baseUrl, publicUrl }: Pick<Deployment, 'baseUrl' | 'publicUrl'>) {
  async function send(
    method: string,
    path: string,
    { body, token }: { body?: unknown; token?: string } = {},
  ) {
    const response = await fetch(baseUrl + path.replace(publicUrl, ''), {
      method,
      headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null }
  }

  return { send }
}

async function signIn(page: Page, setupLink: string): Promise<void> {
  const { pathname } = new URL(setupLink)
  await page.goto(pathname)
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(new URL(page.url()).pathname, 'page after the setup link').toEqual('/app')
  expect((await page.goto(pathname))?.status(), 'status of the used setup link').toEqual(404)
}

/**
 * The interactive login of a command-line client, which listens on a loopback address. Returns the session.
 */
async function logIn({ send }: Agent, page: Page) {
  const listener = await listenForCallback()
  const verifier = randomBytes(32).toString('base64url')
  const start = await send('POST', '/agent-sessions/start', {
    body: {
      client_type: 'cli',
      callback_url: listener.url,
      code_challenge: createHash('sha256').update(verifier).digest('hex'),
      scopes: ['account:read', 'projects:read'],
    },
  })
  const { auth_request_id, approval_code } = start.body
  await page.goto(`/agent-sessions/authorize/${auth_request_id}`)
  expect((await page.textContent('main'))?.includes(approval_code), 'approval code on the page').toEqual(true)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  expect(await page.textContent('body'), 'page after the approval').toEqual('Back in the client')
  const callback = listener.close()
  expect(callback?.get('request_id'), 'request of the callback').toEqual(auth_request_id)
  const exchange_code = callback?.get('exchange_code')
  const exchange = (code_verifier: string) =>
    send('POST', '/agent-sessions/exchange', { body: { auth_request_id, exchange_code, code_verifier } })
  expect((await exchange('wrong')).body.error, 'code of a wrong verifier').toEqual('INVALID_CODE_VERIFIER')
  const exchanged = await exchange(verifier)
  expect(exchanged.status, 'status of the exchange').toEqual(200)
  expect((await exchange(verifier)).status, 'status of a second exchange').toEqual(409)
  return exchanged.body.agent_session as Session
}

type Session = { id: string; access_token: string; refresh_token: string }

/** A detached login: the person copies the finish code of the page. It is the code that a poll returns. */
async function finishDetached({ send }: Agent, page: Page): Promise<void> {
  const { body } = await send('POST', '/agent-sessions/start', {
    body: { client_type: 'cli', mode: 'detached' },
  })
  const { auth_request_id, poll_token } = body
  await page.goto(`/agent-sessions/authorize/${auth_request_id}`)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const exchange_code = await page.textContent('#finish-code')
  const poll = await send('POST', '/agent-sessions/poll', { body: { auth_request_id, poll_token } })
  expect(poll.body.exchange_code, 'code of the poll').toEqual(exchange_code)
  const exchange = () =>
    send('POST', '/agent-sessions/exchange', { body: { auth_request_id, exchange_code } })
  expect([(await exchange()).status, (await exchange()).status], 'statuses of two exchanges').toEqual([
    200, 409,
  ])
}

/** Plays an agent that knows only the base URL of the service. */
async function claim({ send }: Agent, page: Page): Promise<void> {
  const refused = await send('GET', '/projects', { token: 'none' })
  expect(refused.status, 'status without a session').toEqual(401)
  // API Gateway renames WWW-Authenticate, so an agent on AWS reads the body.
  const metadata = refused.body.resource_metadata
  const server = (await send('GET', metadata)).body.authorization_servers[0]
  const { agent_auth } = (await send('GET', `${server}/.well-known/oauth-authorization-server`)).body
  const { body: registered } = await send('POST', agent_auth.register_uri, {
    body: { type: 'user_claimed', requested_credential_type: 'access_token', client_name: 'rehearsal' },
  })
  const complete = () =>
    send('POST', agent_auth.claim_complete_uri, { body: { claim_token: registered.claim_token } })
  expect((await complete()).body.error, 'code before the approval').toEqual('AUTHORIZATION_PENDING')
  await page.goto(registered.claim_url)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const { status, body } = await complete()
  expect(status, 'status of the completed claim').toEqual(200)
  expect((await send('GET', '/account', { token: body.access_token })).status, 'status of /account').toEqual(
    200,
  )
  const revoked = await send('POST', agent_auth.revocation_uri, { token: body.access_token })
  expect(revoked.status, 'status of the revocation').toEqual(200)
}

async function refreshAndDisconnect({ send }: Agent, page: Page, session: Session): Promise<void> {
  const refresh = () =>
    send('POST', '/agent-sessions/refresh', { body: { refresh_token: session.refresh_token } })
  const pairs = await Promise.all([refresh(), refresh(), refresh()])
  const tokens = new Set(pairs.map(({ body }) => body.agent_session.access_token))
  expect(tokens.size, 'number of pairs of one refresh token').toEqual(1)
  const [token = ''] = tokens
  expect((await send('GET', '/account', { token })).status, 'status with the new token').toEqual(200)
  const keys = await send('POST', '/account/revoke-key', { token })
  expect(keys.body.error, 'code of a key route for an agent').toEqual('FORBIDDEN')
  await page.goto('/settings/sessions')
  await page.locator(`form[action="/settings/sessions/${session.id}/disconnect"] button`).click()
  // Another process may know the session for 5 s.
  await expect
    .poll(async () => (await send('GET', '/account', { token })).status, {
      message: 'status of a disconnected session',
    })
    .toBe(401)
  expect((await refresh()).body.error, 'code of a refresh after the end').toEqual('INVALID_REFRESH_TOKEN')
}
