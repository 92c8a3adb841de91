import type { Caller } from '#core/accounts/caller'
import type { Clock, Log } from '#core/ports'
import type { Project } from '#core/projects/project'
import { utcDate } from '#core/time'
import type { UsageCounters } from '#core/usage/counters'
import type { ReadOptions } from '#schemas/read-options'
import type { Exchange } from './chain.ts'

export type MeteringServices = { usage: Pick<UsageCounters, 'month' | 'addRead'>; clock: Clock; log: Log }

/**
 * Counts a read of a metered row once it has succeeded, and puts the events of the account's month on the response
 * (contract 1.3). A dry run is not counted. A read of a whole account counts for no project. If the read cannot be counted, the caller still gets the response, and the log gets READ_NOT_COUNTED.
 */
export function meterRead({ usage, clock, log }: MeteringServices) {
  return (call: Exchange & { caller: Caller; project: Project | undefined; options: unknown }): void => {
    const { route, headers, hooks, caller, project } = call
    if (route.metered !== true) return
    const { dry_run } = (call.options ?? {}) as Partial<ReadOptions>
    const today = utcDate(clock.now())
    // Starts now and is awaited in the hook, so that it costs no time beside the report.
    const month = Promise.allSettled([usage.month(caller.account.id, today.slice(0, 7))])
    hooks.push(async ({ status }) => {
      if (status >= 400) return
      const [usageOfMonth] = await month
      if (usageOfMonth.status === 'rejected') throw usageOfMonth.reason
      headers['X-Monthly-Usage'] = String(usageOfMonth.value.events)
      if (dry_run === true) return
      await usage
        .addRead(project?.id ?? null, caller.account.id, today)
        .catch(error => log('READ_NOT_COUNTED', { error: String(error) }))
    })
  }
}
