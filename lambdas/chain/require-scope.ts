import { type Caller, hasScope } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import type { Scope } from '#schemas/scopes'
import type { Exchange } from './chain.ts'

/** Throws FORBIDDEN with `required_scope` when the caller has none of the scopes of the row (R7). */
export function requireScope({ route: { scope }, caller }: Exchange & { caller: Caller }): void {
  if (scope === undefined) return
  const scopes: readonly Scope[] = typeof scope === 'string' ? [scope] : scope
  if (scopes.some(each => hasScope(caller, each))) return
  if (caller.credential.kind === 'demo') {
    throw new ApiError('FORBIDDEN', 'A demo session only reads. Sign in to do this.', {
      fields: { required_scope: scopes[0] },
    })
  }
  throw new ApiError('FORBIDDEN', `The credential lacks the scope \`${scopes[0]}\`. Use one that has it.`, {
    fields: { required_scope: scopes[0] },
  })
}
