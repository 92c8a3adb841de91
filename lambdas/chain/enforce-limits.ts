import type { Caller } from '#core/access/caller'
import { type Limits, limitError } from '#core/limits/limit-state'
import { limitHeaders } from '#core/plans/rate-limited'
import type { Log } from '#core/ports'
import type { JsonObject } from '#core/text/json-object'
import type { Exchange } from './chain.ts'
import { isDryRun } from './validate-fields.ts'

/**
 * Counts the request toward the limits of its row, and shows their state in the headers of the response,
 * error responses included. Throws RATE_LIMITED over a limit (R20). A failed call and a dry run use up the
 * minute, not the month.
 */
export function enforceLimits({ limits, log }: { limits: Pick<Limits, 'check'>; log: Log }) {
  return async function enforceLimits(
    call: Exchange & { caller: Caller; json: JsonObject },
  ): Promise<{ isReadReserved: boolean }> {
    const { route, caller, headers, hooks } = call
    // The options are checked by a later step, but a dry run must not need a read of the month.
    const counted = (route.limits ?? []).filter(limit => limit !== 'reads_per_month' || !isDryRun(call))
    if (counted.length === 0) return { isReadReserved: false }
    const state = await limits.check(caller, counted, call.request.ip)
    if (state === null) return { isReadReserved: false }
    Object.assign(headers, limitHeaders(state))
    const error = limitError(state)
    if (error !== null) throw error
    const { reservation } = state
    if (reservation === undefined) return { isReadReserved: false }
    hooks.push(async ({ status }) => {
      if (status < 400) return
      await reservation.release().catch(error => log('READ_NOT_COUNTED', { error: String(error) }))
    })
    return { isReadReserved: true }
  }
}
