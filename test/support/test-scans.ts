import type { AddressGuards } from '#core/limits/address-guards'
import { createOutboundClient } from '#core/outbound/outbound-client'
import type { Profile } from '#core/plans/profile'
import type { Clock, JobQueue, Log } from '#core/ports'
import type { ProjectStore } from '#core/projects/store'
import { openScanWorker } from '#core/scans/open-scan-worker'
import { openScans } from '#core/scans/open-scans'
import type { ScanJob } from '#core/scans/scan'
import { createScanStore } from '#core/scans/scan-store'
import { createSiteVisitor } from '#core/scans/visit-site'
import type { StateTable } from '#core/state/state-table'
import { openSiteReader } from '#scanner/read/open-site-reader'
import { createSiteNetwork, type SiteAnswer } from './site-network.ts'

/** A small site with something to track. */
export const SITE = `<!doctype html><html lang="en"><head><title>Acme: invoices for freelancers</title>
<meta name="description" content="Acme writes and sends invoices for freelancers."></head><body>
<header><nav><a href="/pricing">Pricing</a> <a href="/docs">Docs</a> <a href="/login">Log in</a>
<a class="cta" href="/signup">Start free trial</a></nav></header><main><h1>Invoices in a minute</h1>
<p>Acme writes, sends and follows up your invoices, so that you are paid in time. It is for freelancers who would rather work.</p>
<form action="/subscribe" method="post"><input type="email" name="email"><button type="submit">Subscribe to our newsletter</button></form>
<a href="/contact">Contact us</a> <a href="/demo">Book a demo</a></main></body></html>`

export type TestScansOptions = StateTable & {
  profile: Profile
  guards: Pick<AddressGuards, 'networkHash'>
  projects: Pick<ProjectStore, 'byId'>
  clock: Clock
  log: Log
  /** What the sites of the network answer; default: SITE at every page. */
  site?: ((url: string) => SiteAnswer | null) | undefined
  /** Another worker, for sites that this machine serves at any address and port. */
  jobs?: JobQueue<ScanJob> | undefined
}

/** Website analyses whose jobs run at once, on a network without sockets. */
export function openTestScans({ site, jobs: others, ...options }: TestScansOptions) {
  const { clock } = options
  const answer = site ?? (url => (url.endsWith('.txt') || url.endsWith('.xml') ? null : SITE))
  const client = createOutboundClient({ network: createSiteNetwork(answer), userAgent: 'test', clock })
  const visitor = createSiteVisitor({ client, renderer: null, openReader: openSiteReader, clock })
  const worker = openScanWorker({ ...options, visitor })
  const jobs = others ?? { send: async (job: ScanJob) => void worker.run(job) }
  const policy = others && { isAllowedAddress: () => true, isAllowedPort: () => true }
  return {
    scanStore: createScanStore(options),
    scans: openScans({ ...options, ...(policy && { policy }), jobs, waitMs: 60_000, lookMs: 5 }),
  }
}
