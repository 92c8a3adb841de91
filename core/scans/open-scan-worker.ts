import type { Profile } from '#core/plans/profile'
import type { Clock, Log } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { advise } from '#scanner/advise/advise'
import { polishResult } from '#scanner/polish/polish-result'
import type { TextModel } from '#scanner/polish/text-model'
import type { Watch } from '#scanner/watch'
import { compareResults } from './compare-results.ts'
import { createRescans } from './rescans.ts'
import { createRunningScans } from './running-scans.ts'
import type { ScanKey } from './scan.ts'
import { createScanQuotas } from './scan-quotas.ts'
import { createScanStore } from './scan-store.ts'
import { createScanWorker, type ScanWorker } from './scan-worker.ts'
import type { SiteVisitor } from './visit-site.ts'

export type OpenScanWorkerOptions = StateTable & {
  visitor: SiteVisitor
  projects: Pick<ProjectDirectory, 'byId'>
  profile: Profile
  clock: Clock
  log: Log
  stopping?: AbortSignal
  /** Who watches the work on an analysis; default: nobody. */
  watchOf?: (scan: ScanKey) => Watch
  /** Null: the advice keeps the words of the rules. */
  textModel?: TextModel | null
}

/** The worker of website analyses, with the plan of events. */
export function openScanWorker(options: OpenScanWorkerOptions): ScanWorker {
  const {
    client,
    table,
    clock,
    log,
    visitor,
    profile,
    projects,
    stopping,
    watchOf,
    textModel = null,
  } = options
  const services = { client, table, clock }
  const store = createScanStore(services)
  const running = createRunningScans(services)
  return createScanWorker({
    ...{ store, running, visitor, advise, clock, log, watchOf },
    // It only gives back what the scans has counted.
    quotas: createScanQuotas({ ...services, profile, networkHash: async () => '' }),
    compare: compareResults,
    ...(textModel && {
      polish: (result, signal) => polishResult(result, { model: textModel, clock, log }, signal),
    }),
    onFull: createRescans({ ...services, store, running, projects }).plan,
    ...(stopping && { stopping }),
  })
}
