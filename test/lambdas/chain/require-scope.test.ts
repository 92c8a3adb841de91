import { expect, test } from 'vitest'
import type { Caller } from '#core/access/caller'
import { requireScope } from '#lambdas/chain/require-scope'
import { routes } from '#schemas/routes'
import type { Scope } from '#schemas/scopes'
import { testCaller } from '#test/support/account-fixtures'
import { exchangeOf } from './exchange.ts'

function callFor(scope: Scope | undefined, scopes: Caller['scopes']) {
  const { scope: _, ...route } = routes.stats
  const credential = { kind: 'agent_session' as const, id: 'ags_1', label: null }
  const caller = testCaller({ scopes, credential })
  return { ...exchangeOf({}, scope === undefined ? route : { ...route, scope }), caller }
}

test.each<[Scope | undefined, Caller['scopes']]>([
  ['projects:read', ['projects:read']],
  ['projects:read', ['projects:write']],
  ['live:read', 'all'],
  [undefined, []],
])('a route with the scope %s accepts a caller with %j', (scope, scopes) => {
  expect(() => requireScope(callFor(scope, scopes))).not.toThrow()
})

test.each<[Scope, Scope[]]>([
  ['projects:write', ['projects:read']],
  ['analytics:read', ['projects:write']],
  ['analytics:read', []],
])('a route with the scope %s refuses a caller with %j', (scope, scopes) => {
  expect(() => requireScope(callFor(scope, scopes))).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN', extras: { fields: { required_scope: scope } } }),
  )
})

test.each<[Scope, string]>([
  ['replays:read', 'A demo session has no right to read replays. Sign in to do this.'],
  ['replays:write', 'A demo session only reads. Sign in to do this.'],
])('a demo session without the scope %s learns why', (scope, message) => {
  const credential = { kind: 'demo' as const, id: 'ags_1', label: null }
  const call = { ...callFor(scope, []), caller: testCaller({ scopes: ['analytics:read'], credential }) }
  expect(() => requireScope(call)).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN', message, extras: { fields: { required_scope: scope } } }),
  )
})

test.each<[Scope]>([['analytics:read'], ['account:read']])(
  'a route with another scope that is enough accepts a caller with %s',
  scope => {
    const call = { ...exchangeOf({}, routes.allSites), caller: testCaller({ scopes: [scope] }) }
    expect(() => requireScope(call)).not.toThrow()
  },
)

test('a route with another scope that is enough refuses a caller with neither', () => {
  const call = { ...exchangeOf({}, routes.allSites), caller: testCaller({ scopes: ['projects:read'] }) }
  expect(() => requireScope(call)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
})
