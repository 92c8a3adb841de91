import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '#core/accounts/account'
import { routes } from '#schemas/routes'
import { BASE_URL, type HttpService, openHttpService } from '#test/support/http-service'

/** Registration and the token endpoint of MCP clients (docs/api/mcp-sign-in.md). */

let world: HttpService
beforeAll(async () => {
  world = await openHttpService({ limits: 'session_starts=-1,session_failures=-1,client_registrations=-1' })
})
afterAll(() => world.close())

const MINUTE_MS = 60_000
const VERIFIER = 'a-verifier-of-the-client-that-is-long-enough-for-rfc-7636'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const REDIRECT = 'http://127.0.0.1:4567/callback'
const CLIENT = 'https://client.example/metadata.json'

const register = (body: unknown) => world.call(routes.registerClient, { key: null, body })

/** Sends a form to the token endpoint, as OAuth clients do. */
function token(fields: Record<string, string | undefined>) {
  const sent = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return world.call(routes.completeClaim, {
    key: null,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams(sent).toString()),
  })
}

const problem = async (response: ReturnType<typeof token>) => {
  const { status, body } = await response
  return [status, body.error]
}

/** An approved authorization request, and the code that its client got. */
async function approved({
  resource,
  account = world.owner,
  client_id = CLIENT,
}: {
  resource?: string
  account?: Account
  client_id?: string
} = {}) {
  const { request } = await world.authRequests.start({
    mode: 'interactive',
    client_type: 'mcp',
    client_name: 'A client',
    callback_url: REDIRECT,
    code_challenge: CHALLENGE,
    scopes: ['account:read', 'projects:read'],
    oauth: { client_id, issuer: BASE_URL, state: 'a state', ...(resource && { resource }) },
  })
  const { redirect_url } = await world.authRequests.approve(request.id, account)
  const answer = new URL(redirect_url ?? '').searchParams
  return { id: request.id, code: answer.get('code') ?? '', answer }
}

const grantOf = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT,
  client_id: CLIENT,
  code_verifier: VERIFIER,
})

async function session() {
  const { code } = await approved()
  const { status, body } = await token(grantOf(code))
  expect(status).toBe(200)
  return body as { access_token: string; refresh_token: string }
}

const callWith = (access_token: string) =>
  world.call(routes.readAccount, { key: null, headers: { Authorization: `Bearer ${access_token}` } })

describe('a registration', () => {
  test('makes a public client, whatever it asks for', async () => {
    const { status, headers, body } = await register({
      redirect_uris: [REDIRECT, 'https://client.example/callback'],
      client_name: 'A client',
      client_uri: 'https://client.example',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token', 'implicit'],
      response_types: ['code'],
      scope: 'analytics:read',
    })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toEqual({
      client_id: expect.stringMatching(/^aoc_[0-9a-f]{32}$/),
      client_id_issued_at: Math.floor(world.now() / 1_000),
      client_name: 'A client',
      redirect_uris: [REDIRECT, 'https://client.example/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
    expect(await world.clientRegistry.find(String(body.client_id))).toMatchObject({ name: 'A client' })
  })

  test('is kept by a sign-in, and not by a code that is wrong', async () => {
    const ids: string[] = []
    for (const code_verifier of [VERIFIER, 'x'.repeat(43)]) {
      const { body } = await register({ redirect_uris: [REDIRECT] })
      const client_id = String(body.client_id)
      const { code } = await approved({ client_id })
      await token({ ...grantOf(code), client_id, code_verifier })
      ids.push(client_id)
    }
    world.wait(25 * 60 * MINUTE_MS)
    expect(await Promise.all(ids.map(id => world.clientRegistry.find(id)))).toEqual([
      expect.objectContaining({ id: ids[0] }),
      null,
    ])
  })

  test.each<[string, unknown, string]>([
    ['http on another machine', ['http://client.example/'], 'invalid_redirect_uri'],
    ['a scheme of its own', ['cursor://callback'], 'invalid_redirect_uri'],
    ['one bad address among good ones', [REDIRECT, 'javascript:alert(1)'], 'invalid_redirect_uri'],
    ['an empty list', [], 'invalid_redirect_uri'],
    ['eleven addresses', Array(11).fill(REDIRECT), 'invalid_redirect_uri'],
    ['an address that is too long', [`${REDIRECT}?${'x'.repeat(2_048)}`], 'invalid_redirect_uri'],
    ['a text', REDIRECT, 'invalid_client_metadata'],
    ['numbers', [1], 'invalid_client_metadata'],
    ['nothing', undefined, 'invalid_client_metadata'],
  ])('with %s as redirect addresses is refused', async (_, redirect_uris, error) => {
    const { status, body } = await register({ redirect_uris })
    expect([status, body.error]).toEqual([400, error])
    expect(body.error_description).toBe(body.message)
    expect(body.message).toContain('redirect_uris')
  })

  test.each([
    ['client_name', ''],
    ['client_name', 'x'.repeat(257)],
    ['client_name', 7],
    ['grant_types', ['implicit']],
    ['grant_types', 'authorization_code'],
    ['grant_types', Array(21).fill('authorization_code')],
    ['response_types', ['token']],
  ])('with a bad %s is refused', async (field, value) => {
    const { status, body } = await register({ redirect_uris: [REDIRECT], [field]: value })
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
    expect(body.error_description).toContain(field)
  })

  test('over 64 KB is refused', async () => {
    const body = { redirect_uris: [REDIRECT], junk: 'x'.repeat(65_536) }
    expect((await register(body)).body.error).toBe('PAYLOAD_TOO_LARGE')
  })

  test('is refused when an address has made ten in an hour', async () => {
    const strict = await openHttpService({ profile: 'hosted' })
    const one = () => strict.call(routes.registerClient, { key: null, body: { redirect_uris: [REDIRECT] } })
    for (let i = 0; i < 10; i++) expect((await one()).status).toBe(201)
    const refused = await one()
    expect([refused.status, refused.body.error]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    strict.wait(61 * MINUTE_MS)
    expect((await one()).status).toBe(201)
    await strict.close()
  })
})

describe('an authorization code', () => {
  test('goes back with the state and the issuer, and gives a session of the account', async () => {
    const { code, answer } = await approved({ resource: `${BASE_URL}/mcp` })
    expect([...answer.keys()]).toEqual(['code', 'state', 'iss'])
    expect([answer.get('state'), answer.get('iss')]).toEqual(['a state', BASE_URL])
    const { status, headers, body } = await token({ ...grantOf(code), resource: `${BASE_URL}/mcp` })
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      access_token: expect.stringMatching(/^aas_/),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^aar_/),
      scope: 'account:read projects:read',
    })
    expect((await callWith(String(body.access_token))).status).toBe(200)
    const listed = await world.agentSessions.list(world.owner.id)
    expect(listed[0]).toMatchObject({ client_type: 'mcp', client_name: 'A client', status: 'active' })
  })

  test('is denied with the state and the issuer too', async () => {
    const { request } = await world.authRequests.start({
      mode: 'interactive',
      client_type: 'mcp',
      callback_url: `${REDIRECT}?keep=1`,
      scopes: ['account:read'],
      oauth: { client_id: CLIENT, issuer: BASE_URL, state: 's&x=1' },
    })
    const { redirect_url } = await world.authRequests.deny(request.id)
    expect(Object.fromEntries(new URL(redirect_url ?? '').searchParams)).toEqual({
      keep: '1',
      error: 'access_denied',
      state: 's&x=1',
      iss: BASE_URL,
    })
  })

  test.each<[string, Record<string, string | undefined>, string]>([
    ['an unknown code', { code: `aae_${'0'.repeat(96)}` }, 'invalid_grant'],
    ['a code of another form', { code: 'code' }, 'invalid_grant'],
    ['another client', { client_id: 'https://evil.example/metadata.json' }, 'invalid_grant'],
    ['another redirect address', { redirect_uri: 'http://127.0.0.1:4568/callback' }, 'invalid_grant'],
    ['a wrong verifier', { code_verifier: VERIFIER.toUpperCase() }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['the challenge as the verifier', { code_verifier: CHALLENGE }, 'invalid_grant'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['an empty code', { code: '' }, 'invalid_request'],
    ['a code that is too long', { code: 'x'.repeat(2_049) }, 'invalid_request'],
    ['no redirect address', { redirect_uri: undefined }, 'invalid_request'],
    ['no client', { client_id: undefined }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a grant that every object has', { grant_type: 'constructor' }, 'unsupported_grant_type'],
  ])('is not taken with %s, and then still from its client', async (_, changes, error) => {
    const { code } = await approved()
    const { status, body } = await token({ ...grantOf(code), ...changes })
    expect([status, body.error]).toEqual([400, error])
    expect(body.error_description).toBe(body.message)
    expect((await token(grantOf(code))).status).toBe(200)
  })

  test('is not taken for the whole service when it is of /mcp', async () => {
    const { code } = await approved({ resource: `${BASE_URL}/mcp` })
    expect(await problem(token({ ...grantOf(code), resource: BASE_URL }))).toEqual([400, 'invalid_target'])
    expect((await token({ ...grantOf(code), resource: `${BASE_URL}/mcp` })).status).toBe(200)
  })

  test('works for ten minutes', async () => {
    const [{ code }, { code: late }] = [await approved(), await approved()]
    world.wait(10 * MINUTE_MS - 1)
    expect((await token(grantOf(code))).status).toBe(200)
    world.wait(1)
    expect(await problem(token(grantOf(late)))).toEqual([400, 'invalid_grant'])
  })

  test('that is sent twice revokes the session that the first got', async () => {
    const { code } = await approved()
    const { body } = await token(grantOf(code))
    expect((await callWith(String(body.access_token))).status).toBe(200)
    // Who has stolen a code need not have the verifier.
    const again = token({ ...grantOf(code), code_verifier: 'stolen' })
    expect(await problem(again)).toEqual([400, 'invalid_grant'])
    expect((await callWith(String(body.access_token))).status).toBe(401)
    const refreshed = token({ grant_type: 'refresh_token', refresh_token: String(body.refresh_token) })
    expect(await problem(refreshed)).toEqual([400, 'invalid_grant'])
    const { entries = [] } = (await world.audit.list(world.owner.id, 100)) ?? {}
    expect(entries.some(({ action }) => action === 'reuseAlarm')).toBe(true)
  })

  test('that its client sends ten times gives one session, which works, at once and one after the other', async () => {
    const [{ code }, { code: other }] = [await approved(), await approved()]
    const atOnce = await Promise.all(Array.from({ length: 10 }, () => token(grantOf(code))))
    const inOrder = []
    for (let i = 0; i < 3; i++) inOrder.push(await token(grantOf(other)))
    for (const all of [atOnce, inOrder]) {
      const [won, ...others] = all.filter(({ status }) => status === 200)
      expect(others).toEqual([])
      expect((await callWith(String(won?.body.access_token))).status).toBe(200)
      const refused = all.filter(({ status }) => status !== 200).map(({ body }) => body.error)
      expect(new Set(refused)).toEqual(new Set(['invalid_grant']))
    }
  })

  test.each([
    ['another verifier', {}, { code_verifier: 'stolen' }],
    ['another redirect address', {}, { redirect_uri: 'http://127.0.0.1/other' }],
    ['the same values ten seconds later', { wait: 10_000 }, {}],
  ])('that comes again with %s revokes the session', async (_, { wait = 0 }: { wait?: number }, changes) => {
    const { code } = await approved()
    const { body } = await token(grantOf(code))
    world.wait(wait)
    expect(await problem(token({ ...grantOf(code), ...changes }))).toEqual([400, 'invalid_grant'])
    expect((await callWith(String(body.access_token))).status).toBe(401)
  })

  test('cannot be exchanged like that of another client, nor polled', async () => {
    const { id, code } = await approved()
    const body = { auth_request_id: id, exchange_code: code, code_verifier: VERIFIER }
    const exchanged = await world.call(routes.exchangeSession, { key: null, body })
    expect([exchanged.status, exchanged.body.error]).toEqual([401, 'INVALID_EXCHANGE_CODE'])
    expect((await token(grantOf(code))).status).toBe(200)
  })

  test('of a request that waits or was denied is none', async () => {
    const { request } = await world.authRequests.start({
      mode: 'interactive',
      client_type: 'mcp',
      callback_url: REDIRECT,
      scopes: ['account:read'],
      oauth: { client_id: CLIENT, issuer: BASE_URL },
    })
    const guessed = `aae_${request.id.slice(4)}${'0'.repeat(64)}`
    expect(await problem(token(grantOf(guessed)))).toEqual([400, 'invalid_grant'])
    await world.authRequests.deny(request.id)
    expect(await problem(token(grantOf(guessed)))).toEqual([400, 'invalid_grant'])
  })

  test('that is guessed too often is refused with 429', async () => {
    const strict = await openHttpService({ profile: 'hosted' })
    const guess = () =>
      strict.call(routes.completeClaim, { key: null, body: grantOf(`aae_${'0'.repeat(96)}`) })
    for (let i = 0; i < 30; i++) expect((await guess()).status).toBe(400)
    expect((await guess()).body.error).toBe('RATE_LIMITED')
    await strict.close()
  })
})

describe('a refresh token', () => {
  test('gives a new pair, and the same one again for a minute', async () => {
    const { refresh_token } = await session()
    const refresh = () =>
      token({ grant_type: 'refresh_token', refresh_token, client_id: CLIENT, resource: `${BASE_URL}/mcp` })
    const [first, second] = [await refresh(), await refresh()]
    expect([first.status, first.body.scope]).toEqual([200, 'account:read projects:read'])
    expect(second.body).toEqual(first.body)
    expect((await callWith(String(first.body.access_token))).status).toBe(200)
    world.wait(2 * MINUTE_MS)
    expect(await problem(refresh())).toEqual([400, 'invalid_grant'])
    expect((await callWith(String(first.body.access_token))).status).toBe(401)
  })

  test.each<[string, Record<string, string | undefined>, string]>([
    ['of another client', { client_id: 'https://evil.example/metadata.json' }, 'invalid_grant'],
    ['that is unknown', { refresh_token: 'aar_0' }, 'invalid_grant'],
    ['that is missing', { refresh_token: undefined }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('%s is refused, and then still works for its own client', async (_, changes, error) => {
    const { refresh_token } = await session()
    const good = { grant_type: 'refresh_token', refresh_token, client_id: CLIENT }
    expect(await problem(token({ ...good, ...changes }))).toEqual([400, error])
    expect((await token(good)).status).toBe(200)
  })

  test('of the command line is good there too', async () => {
    const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
    const { refresh_token } = await world.agentSessions.issue(world.owner.id, {
      ...client,
      scopes: ['account:read'],
    })
    const { status } = await token({ grant_type: 'refresh_token', refresh_token, client_id: 'any' })
    expect(status).toBe(200)
  })
})

test('a claim is still completed there, with its own codes', async () => {
  const { body } = await token({ claim_token: 'aac_0' })
  expect(body).not.toHaveProperty('error_description')
  expect(body.error).toBe('NOT_FOUND')
})

test('nothing of this was logged', () => {
  expect(world.logged).toEqual([])
})
