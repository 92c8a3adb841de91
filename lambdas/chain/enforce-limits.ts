import type { Caller } from '#core/accounts/caller'
import { type Limits, limitError, limitHeaders } from '#core/accounts/limits'
import type { Exchange } from './chain.ts'

/**
 * Counts the request toward the limit of its row, and shows the state of the limit in the headers of the response, error
 * responses included. Throws RATE_LIMITED over the limit (contract R20).
 */
export function enforceLimits({ limits }: { limits: Pick<Limits, 'check'> }) {
  return async ({ route, caller, headers }: Exchange & { caller: Caller }): Promise<void> => {
    if (route.limit === undefined) return
    const state = await limits.check(caller, route)
    if (state === null) return
    Object.assign(headers, limitHeaders(state))
    const error = limitError(state)
    if (error !== null) throw error
  }
}
