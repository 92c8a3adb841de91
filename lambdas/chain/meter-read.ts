import { type Caller, isGuest } from '#core/access/caller'
import type { Account } from '#core/accounts/account'
import { eventCapsOf } from '#core/limits/limits'
import { EVENTS_PER_UNIT, type Profile } from '#core/plans/profile'
import type { Log, Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createLookupCache } from '#core/state/lookup-cache'
import { utcDate } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import type { ReadOptions } from '#schemas/read-options'
import { isMetered } from '#schemas/route'
import type { Exchange } from './chain.ts'

export type MeteringServices = {
  usage: Pick<UsageCounters, 'month' | 'addRead'>
  profile: Profile
  clock: Now
  log: Log
}

/** The events of a month are for information, so they may be this old. */
const MONTH_CACHE = { foundMs: 2_000, missingMs: 0, maxEntries: 10_000 }

type MeteredCall = Exchange & {
  caller: Caller
  project: Project | undefined
  isReadReserved: boolean
  options: unknown
}

/**
 * Counts a read of a metered row once it has succeeded, and puts the events of the account's month on the
 * response (docs/api/reads.md). If the read cannot be counted, the caller still gets the response, and the
 * log gets READ_NOT_COUNTED. Reads of a demo session and dry runs are not counted, a read of a whole account
 * counts for no project, and one by a share link for no month.
 */
export function meterRead({ usage, profile, clock, log }: MeteringServices) {
  const months = createLookupCache(clock, readMonth, MONTH_CACHE)

  function readMonth(key: string) {
    const [accountId = '', month = ''] = key.split(' ')
    return usage.month(accountId, month)
  }

  return function meterRead(call: MeteredCall): void {
    const { route, headers, hooks, writes, caller, isReadReserved, options } = call
    if (!isMetered(route)) return
    const { account, credential } = caller
    const today = utcDate(clock.now())
    // Starts now and is awaited in the hook, so that it costs no time beside the report.
    const month = Promise.allSettled([months.get(`${account.id} ${today.slice(0, 7)}`)])
    hooks.push(async ({ status }) => {
      if (status >= 400) return
      const [usageOfMonth] = await month
      if (usageOfMonth.status === 'rejected') throw usageOfMonth.reason
      Object.assign(headers, monthlyHeaders(profile, account, usageOfMonth.value?.events ?? 0))
      const { dry_run } = (options ?? {}) as Partial<ReadOptions>
      if (credential.kind === 'demo' || dry_run === true) return
      // The handler may have found that another project has the name now.
      const isOfMonth = !isReadReserved && !isGuest(caller)
      const counted = usage.addRead(call.project?.id ?? null, isOfMonth ? account.id : null, today)
      writes.push(counted.catch(error => log('READ_NOT_COUNTED', { error: String(error) })))
    })
  }
}

/** What a plan makes of the events of a month. A plan without a cap has neither limit nor percentage. */
export function monthlyHeaders(profile: Profile, account: Account, events: number): Record<string, string> {
  const caps = eventCapsOf(profile, account)
  const isPaying = profile.has_payments && account.tier === 'pro' && !account.complimentary
  const dollars = account.monthly_spend_cap_dollars
  return {
    'X-Monthly-Usage': String(events),
    ...(caps !== null && {
      'X-Monthly-Limit': String(caps.limit),
      'X-Monthly-Usage-Percent': (caps.limit === 0 ? 100 : (events / caps.limit) * 100).toFixed(2),
    }),
    ...(isPaying && { 'X-Monthly-Estimated-Bill': String(Math.ceil(events / EVENTS_PER_UNIT)) }),
    ...(isPaying && dollars !== null && { 'X-Monthly-Spend-Cap': String(dollars) }),
  }
}
