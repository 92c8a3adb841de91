import { expect, test } from 'vitest'
import { authenticate, findCaller } from '#lambdas/chain/authenticate'
import type { HttpRequest } from '#lambdas/http/http'
import { testAccount } from '#test/support/account-fixtures'
import { exchangeOf } from './exchange.ts'

const account = testAccount()
const session = {
  session_id: 'ags_1',
  client_type: 'cli',
  label: 'laptop',
  is_demo: false,
  scopes: ['analytics:read' as const],
  account,
  access_expires_at: 1,
}
const SESSIONS: Record<string, typeof session> = {
  aas_good: session,
  aas_demo: { ...session, is_demo: true },
}
const services = {
  accounts: { byApiKey: async (key: string) => (key === 'aak_good' ? account : null) },
  agentSessions: {
    byAccessToken: async (token: string) => SESSIONS[token] ?? null,
  },
  shareLinks: { byToken: async () => null },
  browserSessions: {
    byToken: async (token: string) =>
      token === 'aab_good'
        ? { id: 'brs_1', account, csrf_token: 'csrf', created_at: 0, expires_at: 1 }
        : null,
  },
  baseUrl: 'https://a.example',
}
const FIELDS = { resource_metadata: 'https://a.example/.well-known/oauth-protected-resource' }
const METADATA = `Bearer resource_metadata="${FIELDS.resource_metadata}"`

const goodRequests: [string, Partial<HttpRequest>][] = [
  ['in the header', { headers: { 'x-api-key': 'aak_good' } }],
  ['in the query', { query: { key: 'aak_good' } }],
  [
    'in the header, beside a bad one in the query',
    { headers: { 'x-api-key': 'aak_good' }, query: { key: 'aak_bad' } },
  ],
  [
    'beside the Basic credential of a proxy',
    { headers: { authorization: 'Basic eDp5', 'x-api-key': 'aak_good' } },
  ],
]

test.each(goodRequests)(
  'an API key %s names its account, tier and key, with all scopes',
  async (_, request) => {
    expect(await authenticate(services)(exchangeOf(request))).toEqual({
      caller: {
        account,
        tier: 'free',
        credential: { kind: 'api_key', id: expect.stringMatching(/^key_[0-9a-f]{16}$/), label: null },
        scopes: 'all',
      },
    })
  },
)

test.each([
  ['aas_good', 'agent_session'],
  ['aas_demo', 'demo'],
])('the access token %s names its session and scopes, before a bad key', async (token, kind) => {
  const headers = { authorization: `bearer  ${token} `, 'x-api-key': 'aak_bad' }
  expect(await authenticate(services)(exchangeOf({ headers }))).toEqual({
    caller: {
      account,
      tier: 'free',
      credential: { kind, id: 'ags_1', label: 'laptop' },
      scopes: ['analytics:read'],
    },
  })
})

const cookie = '__Host-footfall-session=aab_good'

test('the cookie of a signed-in browser names its account, behind every other credential', async () => {
  const { caller } = await authenticate(services)(exchangeOf({ headers: { cookie } }))
  expect(caller).toMatchObject({ account, credential: { kind: 'cookie', id: 'brs_1' }, scopes: 'all' })
  const bad = exchangeOf({ headers: { cookie, 'x-api-key': 'aak_bad' } })
  await expect(authenticate(services)(bad)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
})

test('a page of another origin cannot change anything with the cookie', async () => {
  const post = (origin?: string) =>
    authenticate(services)(
      exchangeOf({ method: 'POST', headers: { cookie, ...(origin !== undefined && { origin }) } }),
    )
  for (const origin of [undefined, 'null', 'https://b.example', 'http://a.example']) {
    await expect(post(origin)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  }
  expect((await post('https://a.example')).caller.credential.kind).toBe('cookie')
})

test('a request without a credential is told where to get one', async () => {
  await expect(authenticate(services)(exchangeOf())).rejects.toMatchObject({
    code: 'AUTH_REQUIRED',
    extras: { headers: { 'WWW-Authenticate': METADATA }, fields: FIELDS },
  })
})

const badHeaders: [string, HttpRequest['headers']][] = [
  ['an unknown key', { 'x-api-key': 'aak_bad' }],
  ['an empty key', { 'x-api-key': '' }],
  ['a project token', { 'x-api-key': 'aat_0' }],
  ['an unknown Bearer token', { authorization: 'Bearer aas_1' }],
  ['an ended browser session', { cookie: '__Host-footfall-session=aab_bad' }],
  ['an API key as Bearer token', { authorization: 'bearer aak_good' }],
  ['an empty Bearer token', { authorization: 'Bearer' }],
]

const badRequests: [string, Partial<HttpRequest>][] = [
  ...badHeaders.map(([name, headers]): [string, Partial<HttpRequest>] => [name, { headers }]),
  ['a bad header before a good query', { headers: { 'x-api-key': 'aak_bad' }, query: { key: 'aak_good' } }],
  [
    'a Bearer token before a good key',
    { headers: { authorization: 'Bearer aas_1', 'x-api-key': 'aak_good' } },
  ],
]

test.each(badRequests)('%s is a bad credential', async (_, request) => {
  await expect(authenticate(services)(exchangeOf(request))).rejects.toMatchObject({
    code: 'AUTH_REQUIRED',
    extras: { headers: { 'WWW-Authenticate': `${METADATA}, error="invalid_token"` }, fields: FIELDS },
  })
})

test('optional authentication finds the caller of a good credential', async () => {
  const caller = await findCaller(services)(exchangeOf({ query: { key: 'aak_good' } }).request)
  expect(caller?.account).toBe(account)
})

test('optional authentication tells a bad credential from none', async () => {
  const find = findCaller(services)
  expect(find(exchangeOf().request)).toBeUndefined()
  for (const [, headers] of badHeaders.filter(([, { cookie }]) => cookie === undefined))
    expect(await find(exchangeOf({ headers }).request)).toBeNull()
  expect(find(exchangeOf({ headers: { authorization: 'Basic cHJveHk6MQ==' } }).request)).toBeUndefined()
})

test('optional authentication takes the good one of two credentials', async () => {
  const both = exchangeOf({ headers: { authorization: 'Bearer aas_1', 'x-api-key': 'aak_good' } })
  expect((await findCaller(services)(both.request))?.account).toBe(account)
})
