import { createHash, randomBytes } from 'node:crypto'
import { InvokeCommand } from '@aws-sdk/client-lambda'
import type { Deployment } from '#test/support/deployment'
import { type Check, expectEqual } from './check.ts'

/** The ways of an owner and of agents, from the setup link to a revoked session, through the edge to the functions. */
export const agentAccess: Check = {
  name: 'the owner signs in by the setup link, and agents log in, refresh and are disconnected',
  async act({ service, setupLink }) {
    const visitor = createVisitor(service)
    await signIn(visitor, setupLink)
    const session = await logIn(visitor)
    await claim(visitor)
    await finishDetached(visitor)
    await refreshAndRevoke(visitor, session)
    const { cookie } = await signOut(visitor)
    return async () => `sessions by interactive and detached login and by a claim; ${cookie}`
  },
}

/** The demo is opened as docs/sign-in.md says. Its events are made up, so only its sessions are checked here. */
export const demoAccess: Check = {
  name: 'the owner opens the demo, and a demo session only reads',
  async act({ aws, stack, service }) {
    const { send } = createVisitor(service)
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

type Visitor = ReturnType<typeof createVisitor>

/** A browser without scripts, and an agent beside it. */
function createVisitor({ baseUrl, publicUrl }: Pick<Deployment, 'baseUrl' | 'publicUrl'>) {
  let cookie = ''

  async function send(
    method: string,
    path: string,
    { body, form, token }: { body?: unknown; form?: Record<string, string>; token?: string } = {},
  ) {
    const response = await fetch(baseUrl + path.replace(publicUrl, ''), {
      method,
      redirect: 'manual',
      headers: {
        ...(form !== undefined || cookie === '' ? {} : { Accept: 'text/html' }),
        ...(cookie !== '' && { Cookie: cookie }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(form !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) cookie = set.split(';')[0] ?? ''
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    }
  }

  /** Opens a page, and sends its form with the page's CSRF token. */
  async function submit(path: string, fields: Record<string, string> = {}) {
    const page = await send('GET', path)
    expectEqual(page.status, 200, `status of the page ${path.slice(0, 40)}`)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1]
    return send('POST', path, { form: { ...(csrf !== undefined && { csrf }), ...fields } })
  }

  return { send, submit, cookie: () => cookie }
}

async function signIn({ send, submit, cookie }: Visitor, setupLink: string): Promise<void> {
  const path = new URL(setupLink).pathname
  expectEqual((await submit(path)).status, 303, 'status of the setup form')
  expectEqual((await send('GET', '/settings')).status, 200, 'status of /settings')
  expectEqual((await send('POST', path, { form: {} })).status, 404, 'status of the used setup link')
  if (cookie() === '') throw new Error('The sign-in has set no cookie.')
}

/** The interactive login of a command-line client. Returns the session. */
async function logIn({ send, submit }: Visitor) {
  const verifier = randomBytes(32).toString('base64url')
  const start = await send('POST', '/agent-sessions/start', {
    body: {
      client_type: 'cli',
      callback_url: 'http://127.0.0.1:9/callback',
      code_challenge: createHash('sha256').update(verifier).digest('hex'),
      scopes: ['account:read', 'projects:read'],
    },
  })
  const { auth_request_id } = start.body
  const path = `/agent-sessions/authorize/${auth_request_id}`
  const approved = await submit(path, { decision: 'approve' })
  const callback = new URL(approved.headers.get('location') ?? 'http://nowhere')
  expectEqual(
    [approved.status, callback.port, callback.searchParams.get('request_id')],
    [302, '9', auth_request_id],
    'redirect of the approval',
  )
  const exchange_code = callback.searchParams.get('exchange_code')
  const exchange = (code_verifier: string) =>
    send('POST', '/agent-sessions/exchange', { body: { auth_request_id, exchange_code, code_verifier } })
  expectEqual((await exchange('wrong')).body.error, 'INVALID_CODE_VERIFIER', 'code of a wrong verifier')
  const exchanged = await exchange(verifier)
  expectEqual(exchanged.status, 200, 'status of the exchange')
  expectEqual((await exchange(verifier)).status, 409, 'status of a second exchange')
  return exchanged.body.agent_session as { id: string; access_token: string; refresh_token: string }
}

/** A detached login: the finish code of the page is the code that a poll returns. */
async function finishDetached({ send, submit }: Visitor): Promise<void> {
  const { body } = await send('POST', '/agent-sessions/start', {
    body: { client_type: 'cli', mode: 'detached' },
  })
  const { auth_request_id, poll_token } = body
  const page = await submit(`/agent-sessions/authorize/${auth_request_id}`, { decision: 'approve' })
  const poll = await send('POST', '/agent-sessions/poll', { body: { auth_request_id, poll_token } })
  const { exchange_code } = poll.body
  expectEqual(page.text.includes(exchange_code), true, 'finish code on the page')
  const exchanged = await send('POST', '/agent-sessions/exchange', {
    body: { auth_request_id, exchange_code },
  })
  expectEqual(exchanged.status, 200, 'status of the detached exchange')
}

/** An agent that knows only the base URL. */
async function claim({ send, submit }: Visitor): Promise<void> {
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
  await submit(new URL(registered.claim_url).pathname, { decision: 'approve' })
  const { status, body } = await complete()
  expectEqual(status, 200, 'status of the completed claim')
  expectEqual((await send('GET', '/account', { token: body.access_token })).status, 200, 'status of /account')
  const revoked = await send('POST', agent_auth.revocation_uri, { token: body.access_token })
  expectEqual(revoked.status, 200, 'status of the revocation')
}

type Session = Awaited<ReturnType<typeof logIn>>

async function refreshAndRevoke({ send }: Visitor, session: Session): Promise<void> {
  const refresh = () =>
    send('POST', '/agent-sessions/refresh', { body: { refresh_token: session.refresh_token } })
  const pairs = await Promise.all([refresh(), refresh(), refresh()])
  const tokens = new Set(pairs.map(({ body }) => body.agent_session.access_token))
  expectEqual(tokens.size, 1, 'number of pairs of one refresh token')
  const [token = ''] = tokens
  expectEqual((await send('GET', '/account', { token })).status, 200, 'status with the new token')
  const keys = await send('POST', '/account/revoke-key', { token })
  expectEqual(keys.body.error, 'FORBIDDEN', 'code of a key route for an agent')
  const list = await send('GET', '/settings/sessions')
  const csrf = /name="csrf" value="([^"]+)"/.exec(list.text)?.[1] ?? ''
  const ended = await send('POST', `/settings/sessions/${session.id}/disconnect`, { form: { csrf } })
  if (ended.status >= 400) throw new Error(`The disconnection failed: ${ended.status}`)
  const deadline = Date.now() + 5_000
  // Another process may know the session for 5 s.
  while ((await send('GET', '/account', { token })).status !== 401) {
    if (Date.now() > deadline) throw new Error('The disconnected session still works after 5 s.')
  }
  expectEqual((await refresh()).body.error, 'INVALID_REFRESH_TOKEN', 'code of a refresh after the end')
}

async function signOut({ send, cookie }: Visitor): Promise<{ cookie: string }> {
  const settings = await send('GET', '/settings')
  const csrf = /name="csrf" value="([^"]+)"/.exec(settings.text)?.[1] ?? ''
  const name = cookie().split('=')[0] ?? ''
  expectEqual((await send('POST', '/auth/logout', { form: { csrf } })).status, 200, 'status of the sign-out')
  return { cookie: name }
}
