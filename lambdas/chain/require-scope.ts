import { type Caller, hasScope } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import type { Exchange } from './chain.ts'

/** Throws FORBIDDEN with `required_scope` when the caller lacks the scopes of the row (contract R7). */
export function requireScope({ route: { scope, otherScope }, caller }: Exchange & { caller: Caller }): void {
  if (scope === undefined || hasScope(caller, scope)) return
  if (otherScope !== undefined && hasScope(caller, otherScope)) return
  throw new ApiError('FORBIDDEN', `The credential lacks the scope \`${scope}\`. Use one that has it.`, {
    fields: { required_scope: scope },
  })
}
