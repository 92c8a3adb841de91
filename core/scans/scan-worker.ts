import type { Log, Now } from '#core/ports'
import { randomId } from '#core/secrets/tokens'
import type { SiteFindings } from '#scanner/read/findings'
import { unwatched, type Watch } from '#scanner/watch'
import type { ScanResult } from '#schemas/website-scans'
import type { RunningScans } from './running-scans.ts'
import { isFinished, type Scan, type ScanFailure, type ScanJob, type ScanKey } from './scan.ts'
import type { ScanQuotas } from './scan-quotas.ts'
import { MAX_CHANGES, type ScanChange, type ScanStore, type StoredResult } from './scan-store.ts'
import type { SiteVisitor } from './visit-site.ts'

/** Makes a plan of findings. */
export type Advise = (
  findings: SiteFindings,
  options: { mode: 'preview' | 'full'; focus?: string | undefined; project?: string | null },
) => StoredResult['result']

export type ScanWorkerServices = {
  store: ScanStore
  running: RunningScans
  quotas: Pick<ScanQuotas, 'giveBack'>
  visitor: SiteVisitor
  advise: Advise
  /** Words the advice of a full analysis better. It never fails but with the signal's reason. */
  polish?: ((result: ScanResult, signal?: AbortSignal) => Promise<ScanResult>) | undefined
  /** Compares a result with that of the analysis before; `findings` are those of the new one. */
  compare(
    before: StoredResult,
    after: StoredResult,
    findings: SiteFindings,
  ): { site: string[]; plan: string[] } | null
  /** Is called at the end of a full analysis for a project, also of one that has failed. */
  onFull?(scan: Scan): Promise<void>
  clock: Now
  log: Log
  /** Who watches the work on an analysis; default: nobody. */
  watchOf?: ((scan: ScanKey) => Watch) | undefined
  /** Ends running analyses when the process stops. They begin again with the next one. */
  stopping?: AbortSignal
}

/** After this many runs that were killed, a page is taken to be what kills them. */
const MAX_ATTEMPTS = 3

/** Runs analyses. A job may run twice: only the run that began last writes. */
export function createScanWorker(services: ScanWorkerServices) {
  const { store, running, quotas, visitor, advise, compare, clock, log, stopping } = services
  const { watchOf = () => unwatched } = services

  /** Runs one analysis to its end. Rejects when the state table cannot be reached, or the process stops. */
  async function run({ account_id, id, takesOver, hasBlocked, interrupted = 0 }: ScanJob): Promise<void> {
    const found = await store.find({ account_id, id })
    if (found === null || isFinished(found)) return running.release({ id })
    // A second delivery of a job whose first one runs.
    if (found.status === 'running' && takesOver !== true) return
    const scan = await store.begin(found, randomId('run'))
    if (scan === null) return
    if (hasBlocked) return fail(scan, { code: 'SCAN_FAILED', reason: tooLong(scan) })
    if (scan.attempts - interrupted > MAX_ATTEMPTS)
      return fail(scan, { code: 'SCAN_FAILED', reason: tooOften(scan) })
    try {
      await analyse(scan)
    } catch (error) {
      if (stopping?.aborted) throw error
      log('SCAN_BROKEN', { scan: scan.id, error: String(error) })
      await fail(scan, { code: 'SCAN_FAILED', reason: BROKEN })
    }
  }

  async function analyse(scan: Scan): Promise<void> {
    const depth = depthOf(scan)
    const watch = watchOf(scan)
    const visited = await visitor.visit(
      {
        url: scan.url,
        addresses: scan.addresses,
        depth,
        isAnonymous: scan.mode === 'anonymous_preview',
      },
      { signal: stopping, onStage: stage => store.setStage(scan, stage), watch },
    )
    if ('failure' in visited) return fail(scan, visited.failure)
    // The id of the project is good in every call, also after the project gets another name.
    const project = scan.project_id ?? null
    const advice = watch(() => advise(visited.findings, { mode: depth, focus: scan.focus, project }))
    const result = await polished(scan, advice)
    await finish(scan, { result, coverage: visited.coverage }, visited.findings)
  }

  /** Previews keep the words of the rules: anybody may ask for one, and its caller waits. */
  async function polished(scan: Scan, advice: ScanResult): Promise<ScanResult> {
    if (scan.mode !== 'full' || services.polish === undefined) return advice
    await store.setStage(scan, 'writing')
    return services.polish(advice, stopping)
  }

  async function finish(scan: Scan, stored: StoredResult, findings: SiteFindings): Promise<void> {
    const depth = depthOf(scan)
    const before = scan.is_rescan ? await store.findResult(scan, depth) : null
    const change = before === null ? null : watchOf(scan)(() => compare(before, stored, findings))
    // A run that was taken for dead must not replace what a later one has written.
    if (!(await store.setStage(scan, 'writing'))) return
    await store.saveResult(scan, depth, withChange(stored, change && { at: clock.now(), ...change }, before))
    if (scan.mode === 'anonymous_preview') await store.cachePreview(scan, stored)
    await end(scan)
  }

  async function fail(scan: Scan, failure: ScanFailure): Promise<void> {
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

function tooOften({ url }: Scan): string {
  return `The page ${url} cannot be analysed: its pages could not be read in three attempts. Check the address, then start another analysis.`
}

function tooLong({ url }: Scan): string {
  return `The page ${url} cannot be analysed: a document of its site takes too long to read. Start an analysis of another page.`
}

function depthOf({ mode }: Scan): 'preview' | 'full' {
  return mode === 'full' ? 'full' : 'preview'
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
