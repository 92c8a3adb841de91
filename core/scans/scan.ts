import type { Unread } from '#scanner/fetch/fetch-site'

export const SCAN_MODES = ['anonymous_preview', 'authenticated_preview', 'full'] as const
export type ScanMode = (typeof SCAN_MODES)[number]

export const SCAN_STATUSES = ['pending', 'running', 'succeeded', 'failed'] as const
export type ScanStatus = (typeof SCAN_STATUSES)[number]

/** What a running analysis does now. */
export const SCAN_STAGES = ['queued', 'fetching', 'rendering', 'reading', 'writing', 'done'] as const
export type ScanStage = (typeof SCAN_STAGES)[number]

/** Why an analysis has no result, as its caller sees it. */
export type ScanFailure = { code: 'INVALID_URL' | 'SCAN_FAILED'; reason: string }

/**
 * How rendering went: no page needed it; pages were rendered; there is no browser here; the browser has no
 * sandbox and the visit no account; the browser gave no page.
 */
export const RENDERINGS = ['not_needed', 'used', 'not_available', 'no_sandbox', 'failed'] as const
export type Rendering = (typeof RENDERINGS)[number]

/** What was read of the site, and what was not. At most 26 pages and 50 addresses. */
export type ScanCoverage = {
  pages: { url: string; status: number; rendered: boolean }[]
  not_reached: Unread[]
  rendering: Rendering
}

/** Where an analysis lies in the state: its partition and its id. */
export type ScanKey = {
  /** The account, or `anon:` and the id of an analysis that belongs to nobody. */
  account_id: string
  id: string
}

/** Work for a worker: one analysis. */
export type ScanJob = ScanKey & {
  kind: 'scan'
  /** No other worker runs it, whatever its item says. */
  takesOver?: true
  /** Its pages have stopped the worker before. It fails, and no page is read again. */
  hasBlocked?: true
  /** How often another analysis has stopped its worker. These attempts do not count. */
  interrupted?: number
}

/** A website analysis without its result. */
export type Scan = ScanKey & {
  mode: ScanMode
  status: ScanStatus
  stage: ScanStage
  /** The first page; for `anonymous_preview` that of the root domain. */
  url: string
  /** Addresses that are tried in this order for the first page. */
  addresses: string[]
  hostname: string
  /** What the owner wants to know, in their words. */
  focus?: string | undefined
  /** The project that the analysis is for. */
  project_id?: string | undefined
  /** SHA-256 of the resume token of an anonymous preview. */
  resume_hash?: string | undefined
  failure?: ScanFailure | undefined
  /** The month (YYYY-MM) in which it counts as a full analysis. */
  quota_month?: string | undefined
  /** A scheduled re-scan; then a failure keeps the result of before. */
  is_rescan?: boolean | undefined
  /** Which run of the job may write. Each run has another one. */
  attempt?: string | undefined
  attempts: number
  created_at: number
  started_at: number
  finished_at?: number | undefined
}

/** Whether an analysis has ended. */
export function isFinished({ status }: Pick<Scan, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed'
}

/** How requests for pages name themselves, with the address of the service that asks. */
export function scanAgent(baseUrl: string): string {
  return `FootfallScan/1.0 (+${baseUrl}/)`
}

/** Whether a text has the form of an id. The keys of the table have a limited length. */
export function isScanId(id: string): boolean {
  return /^scan_[0-9a-f]{24}$/.test(id)
}

/** The key of an analysis that belongs to nobody. */
export function anonymousKey(id: string): ScanKey {
  return { account_id: `anon:${id}`, id }
}
