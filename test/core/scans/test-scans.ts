import { createOutboundClient } from '#core/outbound/outbound-client'
import { profiles } from '#core/plans/profile'
import type { Log } from '#core/ports'
import { compareResults } from '#core/scans/compare-results'
import type { Renderer } from '#core/scans/render'
import { resumeScans } from '#core/scans/resume-scans'
import { createRunningScans } from '#core/scans/running-scans'
import type { ScanJob } from '#core/scans/scan'
import { createScanQuotas } from '#core/scans/scan-quotas'
import { createScanStore } from '#core/scans/scan-store'
import { type Advise, createScanWorker } from '#core/scans/scan-worker'
import { createScans } from '#core/scans/scans'
import { createSiteVisitor } from '#core/scans/visit-site'
import { systemClock } from '#providers/system-clock'
import type { SiteFindings } from '#scanner/read/findings'
import type { FetchedPage } from '#scanner/types'
import type { ScanResult } from '#schemas/website-scans'
import { createSiteNetwork, type SiteAnswer } from '#test/support/site-network'
import { openTestState } from '#test/support/test-state'

export const NOW = Date.UTC(2026, 10, 21, 12)
export const FREE = { id: 'acc_free', tier: 'free' } as const
export const PRO = { id: 'acc_pro', tier: 'pro' } as const

export type TellingReader = {
  readSite(pages: readonly FetchedPage[]): SiteFindings
  advise: Advise
}

/**
 * A reader whose result says which pages it was given. It takes a page with `<app>` for one that has no
 * content before its scripts have run.
 */
export const tellingReader: TellingReader = {
  readSite: pages =>
    ({
      actions: [],
      pages: pages.map(({ finalUrl, html }) => ({
        path: new URL(finalUrl).pathname,
        isShell: html.includes('<app>'),
      })),
      read: pages,
    }) as unknown as SiteFindings & { read: FetchedPage[] },
  advise: (findings, { mode, focus }) => {
    const { read } = findings as SiteFindings & { read: FetchedPage[] }
    return {
      framing: `${mode} ${focus ?? ''} ${read.map(({ html }) => html.slice(0, 80)).join(' | ')}`,
      hostname: new URL(read[0]?.finalUrl ?? '').hostname,
      minimum_viable_instrumentation: [{ event: 'signup_started' }],
    } as unknown as ScanResult
  },
}

export type OpenScansOptions = {
  answer: (url: string) => SiteAnswer | null | Promise<SiteAnswer | null>
  profile?: 'own' | 'hosted'
  reader?: TellingReader
  renderer?: Renderer | null
  waitMs?: number
  /** Jobs are kept in `jobs` and do not run. */
  isHeld?: boolean
}

/** Opens scans and worker on a state of their own, with a network without sockets. */
export async function openScans(options: OpenScansOptions) {
  const state = await openTestState()
  let now = NOW
  const clock = { ...systemClock, now: () => now }
  const logged: string[] = []
  const log: Log = (code, fields) => void logged.push(`${code} ${JSON.stringify(fields)}`)
  const network = createSiteNetwork(options.answer)
  const profile = profiles[options.profile ?? 'own']
  const services = { ...state, clock }
  const store = createScanStore(services)
  const running = createRunningScans(services)
  const networkHash = async (address: string | null) => String(address)
  const quotas = createScanQuotas({ ...services, profile, networkHash })
  const { readSite, advise } = options.reader ?? tellingReader
  const workerServices = {
    ...{ store, running, quotas, clock, log, compare: compareResults },
    visitor: createSiteVisitor({
      client: createOutboundClient({
        network,
        userAgent: 'FootfallScan/1.0 (+https://footfall.example/)',
        clock,
      }),
      openReader: () => readSite,
      renderer: options.renderer ?? null,
      clock,
    }),
    advise,
  }
  const openWorker = (stopping?: AbortSignal) =>
    createScanWorker({ ...workerServices, ...(stopping && { stopping }) })
  const worker = openWorker()
  const jobs: ScanJob[] = []
  const runs: Promise<void>[] = []
  const send = async (job: ScanJob) => {
    jobs.push(job)
    if (!options.isHeld) runs.push(worker.run(job))
  }
  const scans = createScans({
    store,
    running,
    quotas,
    clock,
    jobs: { send },
    waitMs: options.waitMs ?? 20_000,
    lookMs: 10,
  })
  return {
    ...{ scans, store, running, worker, openWorker, network, jobs, logged, state, workerServices },
    services: { ...services, store, running },
    resume: (areAllLeft: boolean) => resumeScans({ store, running, clock, jobs: { send } }, { areAllLeft }),
    wait(ms: number) {
      now += ms
    },
    async close() {
      await Promise.allSettled(runs)
      await state.close()
    },
  }
}
