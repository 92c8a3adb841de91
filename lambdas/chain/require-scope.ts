import { type Caller, hasScope } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { Scope } from '#schemas/scopes'
import type { Exchange } from './chain.ts'

/** Throws FORBIDDEN with `required_scope` when the caller has none of the scopes of the row (R7). */
export function requireScope({ route: { scope }, caller }: Exchange & { caller: Caller }): void {
  if (scope === undefined) return
  const scopes: readonly Scope[] = typeof scope === 'string' ? [scope] : scope
  if (scopes.some(each => hasScope(caller, each))) return
  const [required = ''] = scopes
  const message =
    caller.credential.kind === 'demo'
      ? `${limitOfDemo(required)} Sign in to do this.`
      : `The credential lacks the scope \`${required}\`. Use one that has it.`
  throw new ApiError('FORBIDDEN', message, { fields: { required_scope: required } })
}

/** Says which right a demo session does not have. It has some of the scopes that read, but not all. */
function limitOfDemo(required: string): string {
  const [what, right] = required.split(':')
  return right === 'read' ? `A demo session has no right to read ${what}.` : 'A demo session only reads.'
}
