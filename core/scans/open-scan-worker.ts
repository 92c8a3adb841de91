import type { Profile } from '#core/limits/profile'
import type { OutboundClient } from '#core/outbound/outbound-client'
import type { Clock, Log } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state-table'
import { advise } from './advise/advise.ts'
import { compareResults } from './compare-results.ts'
import { readSite } from './read/read-site.ts'
import type { Renderer } from './render.ts'
import { createRescans } from './rescans.ts'
import { createRunningScans } from './running-scans.ts'
import { createScanQuotas } from './scan-quotas.ts'
import { createScanStore } from './scan-store.ts'
import { createScanWorker, type ScanWorker } from './scan-worker.ts'

export type OpenScanWorkerOptions = StateTable & {
  outbound: OutboundClient
  /** Null: no browser belongs to this deployment. */
  renderer: Renderer | null
  projects: Pick<ProjectDirectory, 'byId'>
  profile: Profile
  clock: Clock
  log: Log
  stopping?: AbortSignal
}

/** The worker of website analyses, with the reader of pages and the plan of events. */
export function openScanWorker(options: OpenScanWorkerOptions): ScanWorker {
  const { client, table, clock, log, outbound, renderer, profile, projects, stopping } = options
  const services = { client, table, clock }
  const store = createScanStore(services)
  const running = createRunningScans(services)
  return createScanWorker({
    ...{ store, running, renderer, clock, log },
    client: outbound,
    // It only gives back what the desk has counted.
    quotas: createScanQuotas({ ...services, profile, networkHash: async () => '' }),
    reader: { readSite, advise },
    compare: compareResults,
    onFull: createRescans({ ...services, store, running, projects }).plan,
    ...(stopping && { stopping }),
  })
}
