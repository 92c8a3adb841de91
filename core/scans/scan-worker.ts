import { randomId } from '#core/access/tokens'
import { ApiError } from '#core/errors'
import type { OutboundClient } from '#core/outbound/outbound-client'
import { OutboundFailure } from '#core/outbound/outbound-failure'
import type { Clock, Log } from '#core/ports'
import { createSiteFetcher, PageError, type SiteFetcher } from './fetch/fetch-site.ts'
import type { SiteFindings } from './read/findings.ts'
import type { Renderer } from './render.ts'
import type { RunningScans } from './running-scans.ts'
import {
  isFinished,
  type Rendering,
  type Scan,
  type ScanCoverage,
  type ScanFailure,
  type ScanJob,
} from './scan.ts'
import type { ScanQuotas } from './scan-quotas.ts'
import { MAX_CHANGES, type ScanChange, type ScanStore, type StoredResult } from './scan-store.ts'
import type { FetchedPage } from './types.ts'

/** What makes findings of pages, and a plan of findings. */
export type SiteReader = {
  readSite(pages: FetchedPage[]): SiteFindings
  advise(
    findings: SiteFindings,
    options: { mode: 'preview' | 'full'; focus?: string | undefined; project?: string | null },
  ): StoredResult['result']
}

export type ScanWorkerServices = {
  store: ScanStore
  running: RunningScans
  quotas: Pick<ScanQuotas, 'giveBack'>
  client: OutboundClient
  reader: SiteReader
  /** Null: no browser belongs to this deployment. */
  renderer: Renderer | null
  /** Compares a result with that of the analysis before. */
  compare(before: StoredResult, after: StoredResult): { site: string[]; plan: string[] } | null
  /** Is called at the end of a full analysis for a project, also of one that has failed. */
  onFull?(scan: Scan): Promise<void>
  clock: Clock
  log: Log
  /** Ends running analyses when the process stops. They begin again with the next one. */
  stopping?: AbortSignal
}

/** The time of a run, ms. What is not read then is left out. RUN_MS is longer, so the run ends before it. */
const BUDGET_MS = { preview: 55_000, full: 150_000 } as const
/** Time that is kept for reading and writing after the last page, ms. */
const RESERVE_MS = 15_000
/** After this many runs that were killed, a page is taken to be what kills them. */
const MAX_ATTEMPTS = 3
/** Pages of an analysis that are rendered. Each takes seconds and hundreds of MB. */
const MAX_RENDERED = { preview: 1, full: 6 } as const
const MAX_UNREAD = 50

/** Runs analyses. A job may run twice: only the run that began last writes. */
export function createScanWorker(services: ScanWorkerServices) {
  const { store, running, quotas, client, reader, renderer, compare, clock, log, stopping } = services

  /** Runs one analysis to its end. Rejects when the state table cannot be reached, or the process stops. */
  async function run({ account_id, id, takesOver }: ScanJob): Promise<void> {
    const found = await store.find({ account_id, id })
    if (found === null || isFinished(found)) return running.release({ id })
    // A second delivery of a job whose first one runs.
    if (found.status === 'running' && takesOver !== true) return
    const scan = await store.begin(found, randomId('run'))
    if (scan === null) return
    try {
      if (scan.attempts > MAX_ATTEMPTS) throw new PageError('its pages could not be read in three attempts')
      await finish(scan, await analyse(scan))
    } catch (error) {
      if (stopping?.aborted) throw error
      await fail(scan, error)
    }
  }

  async function analyse(scan: Scan): Promise<StoredResult> {
    const depth = scan.mode === 'full' ? 'full' : 'preview'
    const deadline = AbortSignal.timeout(BUDGET_MS[depth] - RESERVE_MS)
    const signal = stopping === undefined ? deadline : AbortSignal.any([deadline, stopping])
    const fetcher = createSiteFetcher(client, signal)
    await store.setStage(scan, 'fetching')
    const first = await fetcher.fetchFirst(scan.addresses)
    const pages = [first]
    let findings = reader.readSite(pages)
    const rendered = await render(scan, pages, findings, signal, 1)
    if (rendered === 'used') findings = reader.readSite(pages)
    const { further, unread } = await fetchRest(scan, fetcher, pages, findings)
    let rendering = rendered
    if (further.length > 0) {
      pages.push(...further)
      findings = reader.readSite(pages)
      if (rendered !== 'not_available') {
        const more = await render(scan, pages, findings, signal, MAX_RENDERED[depth] - 1)
        if (more === 'used') findings = reader.readSite(pages)
        if (more !== 'not_needed') rendering = rendered === 'used' ? 'used' : more
      }
    }
    await store.setStage(scan, 'reading')
    // The id of the project is good in every call, also after the project gets another name.
    const project = scan.project_id ?? null
    const result = reader.advise(findings, { mode: depth, focus: scan.focus, project })
    return { result: { ...result, normalized_url: scan.url }, coverage: coverageOf(pages, unread, rendering) }
  }

  async function fetchRest(scan: Scan, fetcher: SiteFetcher, [first]: FetchedPage[], findings: SiteFindings) {
    if (scan.mode !== 'full' || first === undefined) return { further: [], unread: [] }
    const { pages: further, unread } = await fetcher.fetchFurther(first, tellingPaths(findings))
    return { further, unread }
  }

  /** Replaces pages that have no content without their scripts by what a browser makes of them. */
  async function render(
    scan: Scan,
    pages: FetchedPage[],
    findings: SiteFindings,
    signal: AbortSignal,
    limit: number,
  ): Promise<Rendering> {
    const paths = new Set(findings.pages.filter(({ isShell }) => isShell).map(({ path }) => path))
    const shells = pages
      .filter(page => !page.rendered && paths.has(new URL(page.finalUrl).pathname))
      .slice(0, limit)
    if (shells.length === 0) return 'not_needed'
    if (renderer === null || !(await renderer.isAvailable())) return 'not_available'
    await store.setStage(scan, 'rendering')
    const rendered = await renderer.render(
      shells.map(({ finalUrl }) => finalUrl),
      signal,
    )
    for (const [i, page] of pages.entries()) {
      const found = shells.includes(page) ? rendered.get(page.finalUrl) : undefined
      if (found !== undefined) pages[i] = { ...page, ...found, rendered: true }
    }
    return rendered.size > 0 ? 'used' : 'failed'
  }

  async function finish(scan: Scan, stored: StoredResult): Promise<void> {
    const depth = scan.mode === 'full' ? 'full' : 'preview'
    const before = scan.is_rescan ? await store.findResult(scan, depth) : null
    const change = before === null ? null : compare(before, stored)
    // A run that was taken for dead must not replace what a later one has written.
    if (!(await store.setStage(scan, 'writing'))) return
    await store.saveResult(scan, depth, withChange(stored, change && { at: clock.now(), ...change }, before))
    if (scan.mode === 'anonymous_preview') await store.cachePreview(scan, stored)
    await end(scan)
  }

  async function fail(scan: Scan, error: unknown): Promise<void> {
    const known = failureOf(scan, error)
    if (known === null) log('SCAN_BROKEN', { scan: scan.id, error: String(error) })
    const failure = known ?? { code: 'SCAN_FAILED', reason: BROKEN }
    if (!(await store.setStage(scan, 'writing'))) return
    if (scan.quota_month !== undefined) await quotas.giveBack(scan.account_id, scan.quota_month)
    await ((await keepBefore(scan, failure)) ? end(scan) : end(scan, failure))
  }

  /** A re-scan that fails keeps the result of before, and says that the site could not be read. */
  async function keepBefore(scan: Scan, { reason }: ScanFailure): Promise<boolean> {
    const before = scan.is_rescan ? await store.findResult(scan, 'full') : null
    if (before === null) return false
    const change = { at: clock.now(), site: [reason], plan: [] }
    await store.saveResult(scan, 'full', withChange(before, change, before))
    return true
  }

  /** The place is free before the caller learns of the end, who may begin the next analysis at once. */
  async function end(scan: Scan, failure?: ScanFailure): Promise<void> {
    if (scan.mode === 'full' && scan.project_id !== undefined) await services.onFull?.(scan)
    await running.release(scan)
    await store.finish(scan, failure)
  }

  return { run }
}

export type ScanWorker = ReturnType<typeof createScanWorker>

const BROKEN =
  'The analysis failed inside the service. Try again later, and tell the operator if it fails again.'

/** What the caller learns of an error; null: it is our bug. */
function failureOf({ url }: Scan, error: unknown): ScanFailure | null {
  if (error instanceof ApiError && error.code === 'INVALID_URL') {
    return { code: 'INVALID_URL', reason: error.message }
  }
  if (error instanceof PageError) {
    return {
      code: 'SCAN_FAILED',
      reason: `The page ${url} cannot be analysed: ${error.message}. Check the address, then start another analysis.`,
    }
  }
  if (error instanceof OutboundFailure) {
    return {
      code: 'SCAN_FAILED',
      reason: `The page ${url} cannot be fetched. ${error.message} Check the address, then start another analysis.`,
    }
  }
  return isTimeout(error)
    ? { code: 'SCAN_FAILED', reason: `The page ${url} took too long. Start another analysis later.` }
    : null
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

/** Addresses of the site that its own actions lead to, the surest first. */
function tellingPaths({ actions }: SiteFindings): string[] {
  return actions
    .filter(({ isExternal, target }) => !isExternal && target !== null)
    .toSorted((a, b) => b.certainty - a.certainty)
    .map(({ target }) => target as string)
}

/** A result with the changes that were noted before it, the newest first. */
function withChange(
  stored: StoredResult,
  change: ScanChange | null,
  before: StoredResult | null,
): StoredResult {
  const changes = [...(change === null ? [] : [change]), ...(before?.changes ?? [])].slice(0, MAX_CHANGES)
  return changes.length === 0 ? stored : { ...stored, changes }
}

function coverageOf(
  pages: FetchedPage[],
  unread: ScanCoverage['not_reached'],
  rendering: Rendering,
): ScanCoverage {
  return {
    pages: pages.map(({ finalUrl, status, rendered }) => ({ url: finalUrl, status, rendered })),
    not_reached: unread.slice(0, MAX_UNREAD),
    rendering,
  }
}
