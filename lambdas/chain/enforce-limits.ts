import type { Caller } from '#core/accounts/caller'
import { type Limits, limitError, limitHeaders } from '#core/limits/limit-state'
import type { Log } from '#core/ports'
import type { ReadOptions } from '#schemas/read-options'
import type { Exchange } from './chain.ts'

/**
 * Counts the request toward the limits of its row, and shows their state in the headers of the response,
 * error responses included. Throws RATE_LIMITED over a limit (R20). A failed call uses up the minute, not the
 * month.
 */
export function enforceLimits({ limits, log }: { limits: Pick<Limits, 'check'>; log: Log }) {
  return async (
    call: Exchange & { caller: Caller; options?: Partial<ReadOptions> },
  ): Promise<{ isReadReserved: boolean }> => {
    const { route, caller, headers, hooks } = call
    if (route.limit === undefined) return { isReadReserved: false }
    const state = await limits.check(caller, route, call.request.ip)
    if (state === null) return { isReadReserved: false }
    Object.assign(headers, limitHeaders(state))
    const error = limitError(state)
    if (error !== null) throw error
    const { reservation } = state
    if (reservation === undefined) return { isReadReserved: false }
    hooks.push(async ({ status }) => {
      // A later step of the chain adds the options, before this hook runs.
      if (status < 400 && call.options?.dry_run !== true) return
      await reservation.release().catch(error => log('READ_NOT_COUNTED', { error: String(error) }))
    })
    return { isReadReserved: true }
  }
}
