import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InvokeCommand } from '@aws-sdk/client-lambda'
import type { Page } from 'playwright-core'
import { launchBrowser } from '#test/support/browser'
import type { Deployment } from '#test/support/deployment'
import { type Check, expectEqual } from './check.ts'

/** The ways of an owner and of agents, from the setup link to a revoked session, through the edge to the functions. */
export const agentAccess: Check = {
  name: 'in Chromium, the owner signs in by the setup link, approves agents and disconnects one; agents log in and refresh',
  async act({ service, setupLink }) {
    const agent = createAgent(service)
    const browser = await launchBrowser({ url: service.publicUrl, tlsPort: service.tlsPort })
    try {
      // A phone without JavaScript. The certificate of the edge is self-signed.
      const context = await browser.newContext({
        viewport: { width: 360, height: 740 },
        javaScriptEnabled: false,
        ignoreHTTPSErrors: true,
        baseURL: service.publicUrl,
      })
      const page = await context.newPage()
      await signIn(page, setupLink)
      const session = await logIn(agent, page)
      await claim(agent, page)
      await finishDetached(agent, page)
      await refreshAndDisconnect(agent, page, session)
      const [cookie] = await context.cookies()
      expectEqual(cookie?.name.startsWith('__Host-'), true, 'prefix of the cookie')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.goto('/settings')
      expectEqual(new URL(page.url()).pathname, '/auth/sign-in', 'page after the sign-out')
    } finally {
      await browser.close()
    }
    return async () => 'sessions by interactive and detached login and by a claim'
  },
}

/** The demo is opened as docs/sign-in.md says. Its events are made up, so only its sessions are checked here. */
export const demoAccess: Check = {
  name: 'the owner opens the demo, and a demo session only reads',
  async act({ aws, stack, service }) {
    const { send } = createAgent(service)
    expectEqual((await send('POST', '/demo/session')).status, 404, 'status before the demo is open')
    const { FunctionError, Payload } = await aws.lambda.send(
      new InvokeCommand({ FunctionName: stack.functions.owner.name, Payload: Buffer.from('{"demo":true}') }),
    )
    const opened = Buffer.from(Payload ?? []).toString('utf8')
    if (FunctionError !== undefined) throw new Error(`The owner function failed: ${opened}`)
    return async () => {
      const { status, body } = await send('POST', '/demo/session')
      expectEqual(status, 200, 'status of a demo session')
      const token = body.agent_session.access_token
      const write = await send('POST', '/projects', { token, body: { name: 'x' } })
      expectEqual([write.status, write.body.error], [403, 'FORBIDDEN'], 'response to a write')
      const read = await send('GET', '/projects/any', { token })
      expectEqual([read.status, read.body.name], [200, 'demo'], 'project of the demo')
      return `${JSON.parse(opened).records} records`
    }
  },
}

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
  expectEqual(new URL(page.url()).pathname, '/settings', 'page after the setup link')
  expectEqual((await page.goto(pathname))?.status(), 404, 'status of the used setup link')
}

/** The interactive login of a command-line client, which listens on a loopback address. Returns the session. */
async function logIn({ send }: Agent, page: Page) {
  const calls: URLSearchParams[] = []
  const listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://client')
    if (pathname === '/callback') calls.push(searchParams)
    response.end('Back in the client')
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const verifier = randomBytes(32).toString('base64url')
  const start = await send('POST', '/agent-sessions/start', {
    body: {
      client_type: 'cli',
      callback_url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`,
      code_challenge: createHash('sha256').update(verifier).digest('hex'),
      scopes: ['account:read', 'projects:read'],
    },
  })
  const { auth_request_id, approval_code } = start.body
  await page.goto(`/agent-sessions/authorize/${auth_request_id}`)
  expectEqual((await page.textContent('main'))?.includes(approval_code), true, 'approval code on the page')
  await page.getByRole('button', { name: 'Approve' }).click()
  expectEqual(await page.textContent('body'), 'Back in the client', 'page after the approval')
  listener.close()
  listener.closeAllConnections()
  expectEqual(calls[0]?.get('request_id'), auth_request_id, 'request of the callback')
  const exchange_code = calls[0]?.get('exchange_code')
  const exchange = (code_verifier: string) =>
    send('POST', '/agent-sessions/exchange', { body: { auth_request_id, exchange_code, code_verifier } })
  expectEqual((await exchange('wrong')).body.error, 'INVALID_CODE_VERIFIER', 'code of a wrong verifier')
  const exchanged = await exchange(verifier)
  expectEqual(exchanged.status, 200, 'status of the exchange')
  expectEqual((await exchange(verifier)).status, 409, 'status of a second exchange')
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
  await page.getByRole('button', { name: 'Approve' }).click()
  const exchange_code = await page.textContent('#finish-code')
  const poll = await send('POST', '/agent-sessions/poll', { body: { auth_request_id, poll_token } })
  expectEqual(poll.body.exchange_code, exchange_code, 'code of the poll')
  const exchange = () =>
    send('POST', '/agent-sessions/exchange', { body: { auth_request_id, exchange_code } })
  expectEqual([(await exchange()).status, (await exchange()).status], [200, 409], 'statuses of two exchanges')
}

/** An agent that knows only the base URL. */
async function claim({ send }: Agent, page: Page): Promise<void> {
  const refused = await send('GET', '/projects', { token: 'none' })
  expectEqual(refused.status, 401, 'status without a session')
  const metadata =
    /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? ''
  const server = (await send('GET', metadata)).body.authorization_servers[0]
  const { agent_auth } = (await send('GET', `${server}/.well-known/oauth-authorization-server`)).body
  const { body: registered } = await send('POST', agent_auth.register_uri, {
    body: { type: 'user_claimed', requested_credential_type: 'access_token', client_name: 'rehearsal' },
  })
  const complete = () =>
    send('POST', agent_auth.claim_complete_uri, { body: { claim_token: registered.claim_token } })
  expectEqual((await complete()).body.error, 'AUTHORIZATION_PENDING', 'code before the approval')
  await page.goto(registered.claim_url)
  await page.getByRole('button', { name: 'Approve' }).click()
  const { status, body } = await complete()
  expectEqual(status, 200, 'status of the completed claim')
  expectEqual((await send('GET', '/account', { token: body.access_token })).status, 200, 'status of /account')
  const revoked = await send('POST', agent_auth.revocation_uri, { token: body.access_token })
  expectEqual(revoked.status, 200, 'status of the revocation')
}

async function refreshAndDisconnect({ send }: Agent, page: Page, session: Session): Promise<void> {
  const refresh = () =>
    send('POST', '/agent-sessions/refresh', { body: { refresh_token: session.refresh_token } })
  const pairs = await Promise.all([refresh(), refresh(), refresh()])
  const tokens = new Set(pairs.map(({ body }) => body.agent_session.access_token))
  expectEqual(tokens.size, 1, 'number of pairs of one refresh token')
  const [token = ''] = tokens
  expectEqual((await send('GET', '/account', { token })).status, 200, 'status with the new token')
  const keys = await send('POST', '/account/revoke-key', { token })
  expectEqual(keys.body.error, 'FORBIDDEN', 'code of a key route for an agent')
  await page.goto('/settings/sessions')
  await page.locator(`form[action="/settings/sessions/${session.id}/disconnect"] button`).click()
  const deadline = Date.now() + 5_000
  // Another process may know the session for 5 s.
  while ((await send('GET', '/account', { token })).status !== 401) {
    if (Date.now() > deadline) throw new Error('The disconnected session still works after 5 s.')
  }
  expectEqual((await refresh()).body.error, 'INVALID_REFRESH_TOKEN', 'code of a refresh after the end')
}
