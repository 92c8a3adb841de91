import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp, type Service, startService } from '#test/support/service-process'

/** docs/api/agent-sessions.md from top to bottom, over HTTP against the service as `npm start` runs it. */
let service: Service
beforeAll(async () => {
  service = await startService({ env: { DEV_APPROVE: 'true' } })
})
afterAll(cleanUp)

// biome-ignore lint/suspicious/noExplicitAny: bodies are compared, not used
type Answer = { status: number; headers: Headers; body: any }
const secrets: string[] = []

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const isForm = body instanceof URLSearchParams
  const response = await fetch(service.baseUrl + path, {
    method,
    redirect: 'manual',
    headers: { ...(!isForm && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  for (const [secret] of text.matchAll(/a(?:as|ar|ap|ac|ae|ak)_[0-9a-f]{64,}/g))
    secrets.push(secret.slice(-64))
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  } as Answer
}

const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
  send('POST', path, body, headers)
const get = (path: string, token?: string) =>
  send('GET', path, undefined, token === undefined ? {} : { Authorization: `Bearer ${token}` })

const VERIFIER = 'a-verifier-that-the-client-made-itself'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('hex')
const SCOPES = ['account:read', 'projects:write', 'analytics:read', 'feedback:write']

/** What the human does; POST /dev/approve stands for their click. */
async function approve(auth_request_id: string) {
  const secret = readFileSync(join(service.dataDir, 'dev-approve-secret'), 'utf8').trim()
  const { status, body } = await post('/dev/approve', { secret, auth_request_id, email: 'owner@localhost' })
  expect(status).toBe(200)
  return body as { exchange_code: string; redirect_url: string | null; account_id: string }
}

async function detachedSession() {
  const start = await post('/agent-sessions/start', {
    client_type: 'cli',
    mode: 'detached',
    callback_url: null,
    code_challenge: null,
    scopes: SCOPES,
  })
  const { exchange_code } = await approve(start.body.auth_request_id)
  const { auth_request_id } = start.body
  const { body } = await post('/agent-sessions/exchange', {
    auth_request_id,
    exchange_code,
    code_verifier: null,
  })
  return body.agent_session as {
    id: string
    access_token: string
    refresh_token: string
  }
}

test('interactive: start, page, approval, callback, exchange with the verifier, once', async () => {
  const start = await post('/agent-sessions/start', {
    client_type: 'cli',
    client_name: 'Terminal',
    label: null,
    callback_url: 'http://127.0.0.1:1/done?keep=1',
    code_challenge: CHALLENGE,
    scopes: [...SCOPES, 'bogus:scope'],
    metadata: null,
  })
  expect(start.status).toBe(201)
  const { auth_request_id, authorize_url, poll_token } = start.body as Record<string, string>
  expect(start.body).toMatchObject({ ok: true, mode: 'interactive' })
  expect([...(start.body.scopes as string[])].sort()).toEqual([...SCOPES].sort())
  expect(authorize_url).toBe(`${service.baseUrl}/agent-sessions/authorize/${auth_request_id}`)
  expect(start.body.approval_code).toMatch(/^[A-Z2-9]{8}$/)

  const page = await send('GET', `/agent-sessions/authorize/${auth_request_id}`, undefined, {
    Accept: 'text/html',
  })
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(page.headers.get('content-security-policy')).toContain('http://127.0.0.1:1')

  const poll = () => post('/agent-sessions/poll', { auth_request_id, poll_token })
  expect((await poll()).body).toEqual({
    status: 'pending',
    exchange_code: null,
    account_id: null,
    approved_email: null,
  })
  const exchange = (exchange_code: string, code_verifier?: string) =>
    post('/agent-sessions/exchange', { auth_request_id, exchange_code, code_verifier })
  expect((await exchange('aae_early')).body).toEqual({
    error: 'INVALID_STATE',
    message: 'auth request is not ready',
  })

  const approval = await approve(auth_request_id as string)
  const callback = new URL(approval.redirect_url ?? '')
  expect(callback.origin).toBe('http://127.0.0.1:1')
  expect([...callback.searchParams.keys()]).toEqual(['keep', 'request_id', 'exchange_code'])
  const code = callback.searchParams.get('exchange_code') ?? ''
  // The code goes to the callback alone (U64).
  expect((await poll()).body).toMatchObject({ status: 'approved', exchange_code: null })

  expect((await exchange('aae_wrong', VERIFIER)).body.error).toBe('INVALID_EXCHANGE_CODE')
  expect((await exchange(code)).body.error).toBe('INVALID_CODE_VERIFIER')
  const all = await Promise.all(Array.from({ length: 6 }, () => exchange(code, VERIFIER)))
  const won = all.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  const lost = all.filter(({ status }) => status === 409)
  expect(lost).toHaveLength(5)
  expect(lost[0]?.body).toEqual({
    error: 'AUTH_REQUEST_ALREADY_EXCHANGED',
    message: 'auth request already exchanged',
  })
  expect(won[0]?.body).toMatchObject({
    ok: true,
    agent_session: { id: expect.any(String), access_token: expect.stringMatching(/^aas_/) },
    account: { email: 'owner@localhost', tier: 'pro', github_login: null, google_name: null },
  })
  const { access_token } = won[0]!.body.agent_session
  expect((await get('/account', access_token)).body).toMatchObject({ id: approval.account_id, tier: 'pro' })
  expect((await poll()).body).toMatchObject({ status: 'exchanged', exchange_code: null })
})

test('wrong starts, secrets and methods get the codes of docs/api/errors.md', async () => {
  const unknown = `req_${'0'.repeat(32)}`
  const cases: [Promise<Answer>, number, string][] = [
    [post('/agent-sessions/start', {}), 400, 'MISSING_FIELDS'],
    [post('/agent-sessions/start', { client_type: 'cli' }), 400, 'MISSING_FIELDS'],
    [post('/agent-sessions/start', { client_type: 'cli', mode: 'odd' }), 400, 'MISSING_FIELDS'],
    [
      post('/agent-sessions/start', { client_type: 'cli', callback_url: 'https://evil.example/' }),
      400,
      'MISSING_FIELDS',
    ],
    [
      post('/agent-sessions/start', { client_type: 'cli', callback_url: 'http://127.0.0.1.evil.example/' }),
      400,
      'MISSING_FIELDS',
    ],
    [
      post('/agent-sessions/start', { client_type: 'cli', mode: 'detached', scopes: ['odd'] }),
      400,
      'MISSING_FIELDS',
    ],
    [
      post('/agent-sessions/poll', { auth_request_id: unknown, poll_token: 'aap_0' }),
      401,
      'INVALID_POLL_TOKEN',
    ],
    [
      post('/agent-sessions/exchange', { auth_request_id: unknown, exchange_code: 'aae_0' }),
      401,
      'INVALID_EXCHANGE_CODE',
    ],
    [post('/agent-sessions/refresh', {}), 400, 'MISSING_FIELDS'],
    [post('/agent-sessions/refresh', { refresh_token: 'aar_0' }), 401, 'INVALID_REFRESH_TOKEN'],
    [get(`/agent-sessions/authorize/${unknown}`), 404, 'NOT_FOUND'],
    [get('/auth/logout'), 405, 'METHOD_NOT_ALLOWED'],
  ]
  for (const [answer, status, code] of cases) {
    expect([(await answer).status, (await answer).body.error]).toEqual([status, code])
    expect((await answer).headers.has('www-authenticate')).toBe(status === 401)
  }
})

test('a session refreshes in parallel, lists itself, and ends for good when it is revoked', async () => {
  const session = await detachedSession()
  const refresh = () => post('/agent-sessions/refresh', { refresh_token: session.refresh_token })
  const pairs = await Promise.all(Array.from({ length: 6 }, refresh))
  expect(new Set(pairs.map(({ body }) => JSON.stringify(body.agent_session))).size).toBe(1)
  const refreshed = pairs[0]!.body.agent_session
  expect(refreshed).toMatchObject({ id: session.id, session_id: session.id, account: { tier: 'pro' } })
  for (const token of [session.access_token, refreshed.access_token]) {
    expect((await get('/account', token)).status).toBe(200)
  }
  const { body: list } = await get('/account/agent-sessions', refreshed.access_token)
  expect(list.sessions).toContainEqual(expect.objectContaining({ id: session.id, status: 'active' }))

  const headers = { Authorization: `Bearer ${refreshed.access_token}` }
  expect((await post('/agent-sessions/revoke', { session_id: 'ags_other' }, headers)).status).toBe(404)
  const revoked = await post('/agent-sessions/revoke', { session_id: session.id }, headers)
  expect(revoked.body).toEqual({ ok: true, session_id: session.id })
  for (const token of [session.access_token, refreshed.access_token]) {
    const { status, headers: answered } = await get('/account', token)
    expect(status).toBe(401)
    expect(answered.get('www-authenticate')).toContain('error="invalid_token"')
  }
  const late = await post('/agent-sessions/refresh', { refresh_token: refreshed.refresh_token })
  expect(late.body.error).toBe('INVALID_REFRESH_TOKEN')
})

test('scopes decide what a session may do, and none gives keys', async () => {
  const { access_token } = await detachedSession()
  const headers = { Authorization: `Bearer ${access_token}` }
  expect((await get('/projects', access_token)).status).toBe(200)
  expect((await get('/stats?project=demo', access_token)).status).toBe(200)
  expect((await post('/account/feedback', { message: 'Thanks.', project: null }, headers)).body).toEqual({
    ok: true,
  })
  expect(readFileSync(join(service.dataDir, 'feedback.jsonl'), 'utf8')).toContain('"message":"Thanks."')
  for (const path of ['/account/revoke-key', '/account/api-key']) {
    expect((await post(path, undefined, headers)).body.error).toBe('FORBIDDEN')
  }
})

test('from a 401 an agent finds the documents, registers, and completes the claim after one approval', async () => {
  const challenge = (await get('/projects')).headers.get('www-authenticate') ?? ''
  const resource = await fetch(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')
  const { authorization_servers } = (await resource.json()) as { authorization_servers: string[] }
  const metadata = await fetch(`${authorization_servers[0]}/.well-known/oauth-authorization-server`)
  const { agent_auth, token_endpoint } = (await metadata.json()) as {
    agent_auth: Record<string, string>
    token_endpoint: string
  }
  const path = (url: string | undefined) => (url ?? '').slice(service.baseUrl.length)
  const skill = await fetch(agent_auth.skill ?? '')
  expect(skill.headers.get('content-type')).toContain('text/markdown')
  expect(await skill.text()).toContain(agent_auth.register_uri)

  const registration = await post(path(agent_auth.register_uri), {
    type: 'user_claimed',
    claim_method: 'google',
    requested_credential_type: 'access_token',
    requested_scopes: ['projects:read', 'analytics:read'],
    client_name: 'An agent',
  })
  expect(registration.status).toBe(201)
  expect(JSON.stringify(registration.body)).not.toMatch(/aa[sre]_/)
  const { claim_token, registration_id, claim_url, verification_uri } = registration.body as Record<
    string,
    string
  >
  expect(verification_uri).toBe(claim_url)
  const state = () => post(path(agent_auth.claim_uri), { claim_token })
  expect((await state()).body.status).toBe('pending')
  expect((await get(`${path(agent_auth.claim_uri)}?claim_token=${claim_token}`)).body.status).toBe('pending')
  const complete = () =>
    post(
      path(token_endpoint),
      new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: claim_token as string,
      }),
    )
  expect([(await complete()).status, (await complete()).body.error]).toEqual([400, 'AUTHORIZATION_PENDING'])
  await approve(registration_id as string)
  expect((await state()).body.status).toBe('approved')
  const { body } = await complete()
  expect(body).toMatchObject({ ok: true, token_type: 'Bearer', scope: 'projects:read analytics:read' })
  expect((await complete()).body.error).toBe('CLAIM_ALREADY_COMPLETED')
  expect((await state()).body.status).toBe('completed')
  expect((await get('/stats?project=demo&since=7d', body.access_token)).status).toBe(200)
  const revoke = { Authorization: `Bearer ${body.access_token}` }
  expect((await post('/agent/auth/revoke', undefined, revoke)).body).toEqual({ ok: true })
  expect((await get('/projects', body.access_token)).status).toBe(401)
  const unknown = await post('/agent/auth/revoke', new URLSearchParams({ token: 'aas_unknown' }))
  expect([unknown.status, unknown.body]).toEqual([200, { ok: true }])
  expect((await post('/agent/auth', { type: 'anonymous' })).body.error).toBe('UNSUPPORTED_IDENTITY_TYPE')
})

test('the audit log tells of sessions, and no secret is in the data folder or in the output', async () => {
  const { access_token } = await detachedSession()
  const { body: key } = await post('/account/revoke-key', undefined, {
    'X-API-Key': service.credentials.api_key,
  })
  expect(key.api_key).toMatch(/^aak_/)
  expect((await get(`/projects?key=${key.api_key}`)).status).toBe(200)
  expect((await get(`/stats?project=demo&key=${key.api_key}`)).status).toBe(200)
  const { body } = await get('/account/audit?limit=1000', access_token)
  const actions = (body.entries as { action: string }[]).map(({ action }) => action)
  expect(actions).toEqual(
    expect.arrayContaining(['issueSession', 'refreshSession', 'revokeSession', 'revokeToken', 'stats']),
  )
  await service.stop()
  expect(secrets.length).toBeGreaterThan(20)
  // The owner's newest key is in the two files that are there for it (docs/one-machine.md), and nowhere else.
  const files = filesBelow(service.dataDir).filter(path => !/\/(credentials\.json|api-key)$/.test(path))
  const kept = files.map(path => readFileSync(path, 'latin1'))
  for (const secret of new Set(secrets)) {
    expect(kept.some(text => text.includes(secret))).toBe(false)
    expect(service.output()).not.toContain(secret)
  }
})

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())
}
