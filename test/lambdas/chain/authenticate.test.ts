import { expect, test } from 'vitest'
import { authenticate, findCaller } from '#lambdas/chain/authenticate'
import type { HttpRequest } from '#lambdas/http'
import { testAccount } from '#test/support/account-fixtures'
import { exchangeOf } from './exchange.ts'

const account = testAccount()
const services = {
  accounts: { byApiKey: async (key: string) => (key === 'aak_good' ? account : null) },
  baseUrl: 'https://a.example',
}
const METADATA = 'Bearer resource_metadata="https://a.example/.well-known/oauth-protected-resource"'

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
        credential: { kind: 'api_key', id: expect.stringMatching(/^key_[0-9a-f]{16}$/) },
        scopes: 'all',
      },
    })
  },
)

test('a request without a credential is told where to get one', async () => {
  await expect(authenticate(services)(exchangeOf())).rejects.toMatchObject({
    code: 'AUTH_REQUIRED',
    extras: { headers: { 'WWW-Authenticate': METADATA } },
  })
})

const badHeaders: [string, HttpRequest['headers']][] = [
  ['an unknown key', { 'x-api-key': 'aak_bad' }],
  ['an empty key', { 'x-api-key': '' }],
  ['a project token', { 'x-api-key': 'aat_0' }],
  ['an unknown Bearer token', { authorization: 'Bearer aas_1' }],
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
    extras: { headers: { 'WWW-Authenticate': `${METADATA}, error="invalid_token"` } },
  })
})

test('optional authentication finds the caller of a good credential', async () => {
  const caller = await findCaller(services)(exchangeOf({ query: { key: 'aak_good' } }).request)
  expect(caller?.account).toBe(account)
})

test('optional authentication ignores a bad credential, as if it were absent', async () => {
  const find = findCaller(services)
  expect(await find(exchangeOf().request)).toBeNull()
  for (const [, headers] of badHeaders) expect(await find(exchangeOf({ headers }).request)).toBeNull()
  const both = exchangeOf({ headers: { authorization: 'Bearer aas_1', 'x-api-key': 'aak_good' } })
  expect((await find(both.request))?.account).toBe(account)
})
