import { describe, expect, test } from 'vitest'
import type { Account, Caller } from '#core/accounts/caller'
import { callerOf, requireScope } from '#lambdas/credential'
import type { HttpRequest } from '#lambdas/http'

const account = { id: 'acc_1' } as Account
const services = {
  accounts: { byApiKey: async (key: string) => (key === 'aak_good' ? account : null) },
  baseUrl: 'https://a.example',
}
const METADATA = 'Bearer resource_metadata="https://a.example/.well-known/oauth-protected-resource"'

function requestWith(headers: HttpRequest['headers'], query: Record<string, string> = {}): HttpRequest {
  return { method: 'GET', path: '/stats', params: {}, query, headers, body: new Uint8Array(), ip: null }
}

test.each([
  ['in the header', requestWith({ 'x-api-key': 'aak_good' })],
  ['in the query', requestWith({}, { key: 'aak_good' })],
  ['in the header, whatever the query says', requestWith({ 'x-api-key': 'aak_good' }, { key: 'aak_bad' })],
  [
    'beside the Basic credential of a proxy',
    requestWith({ authorization: 'Basic eDp5', 'x-api-key': 'aak_good' }),
  ],
])('an API key %s names its account, with all scopes', async (_, request) => {
  expect(await callerOf(request, services)).toEqual({ account, credential: 'api_key', scopes: 'all' })
})

test('without a credential the answer says where to get one', async () => {
  await expect(callerOf(requestWith({}), services)).rejects.toMatchObject({
    code: 'AUTH_REQUIRED',
    extras: { headers: { 'WWW-Authenticate': METADATA } },
  })
})

test.each([
  ['an unknown key', requestWith({ 'x-api-key': 'aak_bad' })],
  ['an empty key', requestWith({ 'x-api-key': '' })],
  ['a project token', requestWith({ 'x-api-key': 'aat_0' })],
  ['a bad header before a good query', requestWith({ 'x-api-key': 'aak_bad' }, { key: 'aak_good' })],
  [
    'a Bearer token before a good key',
    requestWith({ authorization: 'Bearer aas_1', 'x-api-key': 'aak_good' }),
  ],
  ['an API key as Bearer', requestWith({ authorization: 'bearer aak_good' })],
  ['a Bearer token that is empty', requestWith({ authorization: 'Bearer' })],
])('%s is a bad credential', async (_, request) => {
  await expect(callerOf(request, services)).rejects.toMatchObject({
    code: 'AUTH_REQUIRED',
    extras: { headers: { 'WWW-Authenticate': `${METADATA}, error="invalid_token"` } },
  })
})

describe('a scope', () => {
  const holding = (...scopes: Caller['scopes'] & string[]) =>
    ({ account, credential: 'api_key', scopes }) as Caller

  test('that the caller holds is enough, and a write scope implies its read scope', () => {
    requireScope(holding('projects:read'), 'projects:read')
    requireScope(holding('projects:write'), 'projects:read')
    requireScope({ account, credential: 'api_key', scopes: 'all' }, 'live:read')
  })

  test.each([
    ['projects:read', 'projects:write'],
    ['projects:write', 'analytics:read'],
  ] as const)('%s does not give %s', (held, needed) => {
    expect(() => requireScope(holding(held), needed)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', extras: { fields: { required_scope: needed } } }),
    )
  })
})
