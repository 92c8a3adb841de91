import { expect, test } from 'vitest'
import type { Caller } from '#core/accounts/caller'
import { requireScope } from '#lambdas/chain/require-scope'
import { routes, type Scope } from '#schemas/routes'
import { testCaller } from '#test/support/account-fixtures'
import { exchangeOf } from './exchange.ts'

function callFor(scope: Scope | undefined, scopes: Caller['scopes']) {
  const { scope: _, ...route } = routes.stats
  const caller = testCaller({ scopes })
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
