import type { AddressGuards } from '#core/limits/address-guards'
import type { AddressPolicy } from '#core/outbound/public-url'
import type { Profile } from '#core/plans/profile'
import type { Clock, JobQueue } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { createRunningScans } from './running-scans.ts'
import type { ScanJob } from './scan.ts'
import { createScanQuotas } from './scan-quotas.ts'
import { createScanStore } from './scan-store.ts'
import { createScans, type Scans } from './scans.ts'

export type OpenScansOptions = StateTable & {
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
export function openScans({
  client,
  table,
  clock,
  profile,
  guards,
  maxAnonymous,
  ...options
}: OpenScansOptions): Scans {
  const services = { client, table, clock }
  return createScans({
    ...options,
    clock,
    store: createScanStore(services),
    running: createRunningScans({ ...services, maxAnonymous }),
    quotas: createScanQuotas({ ...services, profile, networkHash: guards.networkHash }),
  })
}
