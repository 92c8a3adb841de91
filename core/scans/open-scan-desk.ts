import type { AddressGuards } from '#core/limits/address-guards'
import type { AddressPolicy } from '#core/outbound/public-url'
import type { Profile } from '#core/plans/profile'
import type { Clock, JobQueue } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { createRunningScans } from './running-scans.ts'
import type { ScanJob } from './scan.ts'
import { createScanDesk, type ScanDesk } from './scan-desk.ts'
import { createScanQuotas } from './scan-quotas.ts'
import { createScanStore } from './scan-store.ts'

export type OpenScanDeskOptions = StateTable & {
  profile: Profile
  guards: Pick<AddressGuards, 'networkHash'>
  jobs: JobQueue<ScanJob>
  clock: Clock
  /** How long a request waits for its analysis, ms. */
  waitMs: number
  /** Analyses without an account that run at the same time; default: MAX_ANONYMOUS. */
  maxAnonymous?: number
  /** Pause between two looks at a running analysis, ms. */
  lookMs?: number
  /** Only tests have another one than the default. */
  policy?: AddressPolicy
}

/** The desk of website analyses on the state table. */
export function openScanDesk({
  client,
  table,
  clock,
  profile,
  guards,
  maxAnonymous,
  ...options
}: OpenScanDeskOptions): ScanDesk {
  const services = { client, table, clock }
  return createScanDesk({
    ...options,
    clock,
    store: createScanStore(services),
    running: createRunningScans({ ...services, maxAnonymous }),
    quotas: createScanQuotas({ ...services, profile, networkHash: guards.networkHash }),
  })
}
