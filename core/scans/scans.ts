import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import type { AddressPolicy } from '#core/outbound/public-url'
import { PUBLIC_INTERNET } from '#core/outbound/public-url'
import type { Clock, JobQueue } from '#core/ports'
import type { Project } from '#core/projects/project'
import { isProjectOf } from '#core/projects/project-host'
import { isSame, randomId, randomSecret, sha256 } from '#core/secrets/tokens'
import { findScan, scanNotFound } from './find-scan.ts'
import { firstAddresses } from './first-addresses.ts'
import type { Busy, RunningScans } from './running-scans.ts'
import {
  anonymousKey,
  isFinished,
  isScanId,
  type Scan,
  type ScanJob,
  type ScanKey,
  type ScanMode,
} from './scan.ts'
import { type ScanQuotas, scanBusy } from './scan-quotas.ts'
import type { ScanStore, StoredResult } from './scan-store.ts'

export type ScansServices = {
  store: ScanStore
  running: RunningScans
  quotas: ScanQuotas
  jobs: JobQueue<ScanJob>
  clock: Clock
  /** Only tests have another one than the default. */
  policy?: AddressPolicy
  /** How long a request waits for its analysis, ms. */
  waitMs: number
  /** Pause between two looks at a running analysis, ms. */
  lookMs?: number
}

/** What a caller asks for. */
export type ScanRequest = {
  url: string
  isFull: boolean
  focus?: string | undefined
  project?: Project | undefined
}

/** An analysis as its caller gets it. */
export type ScanView = {
  scan: Scan
  /** Null while it runs, and when it has failed. */
  preview: StoredResult | null
  full: StoredResult | null
  isCached: boolean
  /** Of a new anonymous preview, once. */
  resumeToken: string | null
}

const RESUME_TOKEN = /^rst_[0-9a-f]{64}$/
const LOOK_MS = 300
/** A running analysis that no list names any more has ended with its worker after this time, ms. */
const LOST_MS = 15 * 60_000

/** Begins analyses for callers and shows them (docs/api/website-scans.md). */
export function createScans(services: ScansServices) {
  const { store, running, quotas, jobs, clock, policy = PUBLIC_INTERNET, waitMs, lookMs = LOOK_MS } = services

  /**
   * An anonymous preview of a root domain: the one of the last day, or a new one. Throws INVALID_URL,
   * SCAN_BUSY, or SCAN_FAILED. `isOfOtherSite`: the page of another site asks.
   */
  async function startAnonymous(
    { url, focus, isOfOtherSite }: Pick<ScanRequest, 'url' | 'focus'> & { isOfOtherSite?: boolean },
    address: string | null,
    signal?: AbortSignal,
  ): Promise<ScanView> {
    const first = firstAddresses(url, { isRoot: true, policy })
    const cached = focus === undefined ? await store.findCached(first.hostname) : null
    if (cached !== null) {
      const { id, url: cachedUrl, ...preview } = cached
      const scan = newScan({ ...first, url: cachedUrl, key: anonymousKey(id), mode: 'anonymous_preview' })
      return { ...viewOf({ ...scan, status: 'succeeded', stage: 'done' }), preview, isCached: true }
    }
    const network = await quotas.networkOf(address, isOfOtherSite)
    await requireRoom(first.hostname, network)
    await quotas.takeAnonymous(network)
    const resumeToken = `rst_${randomSecret()}`
    const scan = newScan({
      ...first,
      key: anonymousKey(newId()),
      mode: 'anonymous_preview',
      focus,
      resume_hash: sha256(resumeToken),
    })
    await begin(scan, { network })
    return { ...(await wait(scan, signal)), resumeToken }
  }

  /**
   * An analysis for an account. A request for what already runs for the account waits for that. Throws
   * INVALID_URL, MISSING_FIELDS (the project is for another host), SCAN_BUSY, or SCAN_FAILED.
   */
  async function start(request: ScanRequest, account: Account, signal?: AbortSignal): Promise<ScanView> {
    const first = firstAddresses(request.url, { isRoot: false, policy })
    requireProjectOf(request.project, first.hostname)
    const mode = request.isFull ? 'full' : 'authenticated_preview'
    const same = await findRunning(first.hostname, account, scan =>
      isSameRequest(scan, first.url, mode, request),
    )
    if (same !== null) return wait(same, signal)
    await requireRoom(first.hostname)
    await quotas.takeOfAccount(account)
    const scan = newScan({
      ...first,
      key: { account_id: account.id, id: newId() },
      mode,
      focus: request.focus,
      project_id: request.project?.id,
    })
    await beginCounted(scan, account)
    return wait(scan, signal)
  }

  /** The analysis of an account. Throws NOT_FOUND. */
  async function read(id: string, account: Pick<Account, 'id'>): Promise<ScanView> {
    return viewOfStored(await findScan(store, id, account))
  }

  /** The anonymous analysis that a resume token is of. Throws NOT_FOUND, also for a wrong token. */
  async function resume(id: string, token: string): Promise<ScanView> {
    return viewOfStored(await findByToken(id, token))
  }

  /**
   * Makes a full analysis of a preview, under the same id: the account's own one, or an anonymous one, which
   * then belongs to the account. One that is full already is returned as it is. Throws NOT_FOUND, SCAN_BUSY
   * or SCAN_FAILED.
   */
  async function upgrade(
    id: string,
    { resumeToken, project }: { resumeToken?: string | undefined; project?: Project | undefined },
    account: Account,
    signal?: AbortSignal,
  ): Promise<ScanView> {
    const owned = await store.find({ account_id: account.id, id })
    const before = owned ?? (await findByToken(id, resumeToken ?? ''))
    requireProjectOf(project, before.hostname)
    if (owned?.mode === 'full' && owned.status !== 'failed') {
      return isFinished(owned) ? viewOfStored(owned) : wait(owned, signal)
    }
    await requireRoom(before.hostname)
    await quotas.takeOfAccount(account)
    const scan = newScan({
      ...before,
      key: { account_id: account.id, id },
      mode: 'full',
      project_id: project?.id ?? before.project_id,
      resume_hash: undefined,
    })
    await beginCounted(scan, account, owned === null ? () => store.claim(before, scan) : undefined)
    return wait(scan, signal)
  }

  /** Begins a full analysis only if the month's quota has one, and gives it back if there is no room. */
  async function beginCounted(scan: Scan, account: Account, write?: () => Promise<void>): Promise<void> {
    const month = scan.mode === 'full' ? await quotas.takeFull(account) : null
    if (month !== null) scan.quota_month = month
    try {
      await begin(scan, { write })
    } catch (error) {
      if (month !== null) await quotas.giveBack(account.id, month)
      throw error
    }
  }

  async function begin(
    scan: Scan,
    {
      write = () => store.put(scan),
      network,
    }: { write?: (() => Promise<void>) | undefined; network?: string },
  ): Promise<void> {
    const busy = await running.admit(scan, network)
    if (busy !== null) throw busyError(busy)
    try {
      await write()
      await jobs.send({ kind: 'scan', account_id: scan.account_id, id: scan.id })
    } catch (error) {
      await running.release(scan)
      throw error
    }
  }

  /** Waits until an analysis has ended, `waitMs` at most. Throws what it failed with. */
  async function wait(scan: Scan, signal: AbortSignal | undefined): Promise<ScanView> {
    const deadline = clock.deadline(waitMs)
    for (;;) {
      const current = (await store.find(scan)) ?? scan
      if (current.status === 'failed' && current.failure !== undefined) throw failureOf(current)
      if (isFinished(current) || deadline.aborted) return viewOfStored(current)
      await clock.sleep(lookMs, signal)
    }
  }

  async function viewOfStored(scan: Scan): Promise<ScanView> {
    const [preview, full] = await Promise.all([
      store.findResult(scan, 'preview'),
      scan.mode === 'full' ? store.findResult(scan, 'full') : null,
    ])
    return { ...viewOf(isFinished(scan) ? scan : asOfNow(scan)), preview, full }
  }

  /** An analysis whose worker never came back is shown as failed. */
  function asOfNow(scan: Scan): Scan {
    if (scan.started_at + LOST_MS > clock.now()) return scan
    const failure = { code: 'SCAN_FAILED', reason: 'The analysis was interrupted. Start it again.' } as const
    return { ...scan, status: 'failed', stage: 'done', failure }
  }

  async function findRunning(
    hostname: string,
    account: Pick<Account, 'id'>,
    isMeant: (scan: Scan) => boolean,
  ): Promise<Scan | null> {
    const entry = (await running.busyFor(hostname))?.running
    if (entry?.account_id !== account.id) return null
    const scan = await store.find(entry)
    return scan !== null && isMeant(scan) ? scan : null
  }

  async function requireRoom(hostname: string, network?: string): Promise<void> {
    const busy = await running.busyFor(hostname, network)
    if (busy !== null) throw busyError(busy)
  }

  function busyError({ reason, until, limit }: Busy): ApiError {
    return scanBusy(BUSY[reason], { limit, resetAt: until }, clock.now())
  }

  async function findByToken(id: string, token: string): Promise<Scan> {
    const isForm = isScanId(id) && RESUME_TOKEN.test(token)
    const scan = isForm ? await store.find(anonymousKey(id)) : null
    if (scan?.resume_hash === undefined || !isSame(scan.resume_hash, sha256(token))) throw scanNotFound()
    return scan
  }

  function newScan({ key, ...fields }: NewScan): Scan {
    const now = clock.now()
    const { url, addresses, hostname, mode, focus, project_id, resume_hash } = fields
    return {
      ...key,
      ...{ url, addresses, hostname, mode, focus, project_id, resume_hash },
      status: 'pending',
      stage: 'queued',
      attempts: 0,
      created_at: now,
      started_at: now,
    }
  }

  return { startAnonymous, start, read, resume, upgrade }
}

export type Scans = ReturnType<typeof createScans>

type NewScan = Pick<Scan, 'url' | 'addresses' | 'hostname' | 'mode'> &
  Partial<Pick<Scan, 'focus' | 'project_id' | 'resume_hash'>> & { key: ScanKey }

/** Why there is no room, as a clause. */
const BUSY: Record<Busy['reason'], string> = {
  host: 'an analysis of this host is running',
  full: 'as many analyses as possible are running',
  network: 'as many analyses without an account as one address may have are running',
}

function newId(): string {
  return randomId('scan', 12)
}

function viewOf(scan: Scan): ScanView {
  return { scan, preview: null, full: null, isCached: false, resumeToken: null }
}

function isSameRequest(scan: Scan, url: string, mode: ScanMode, { focus, project }: ScanRequest): boolean {
  return scan.url === url && scan.mode === mode && scan.focus === focus && scan.project_id === project?.id
}

function failureOf({ id, failure }: Scan): ApiError {
  return new ApiError(failure?.code ?? 'SCAN_FAILED', failure?.reason, { fields: { analysis_id: id } })
}

function requireProjectOf(project: Project | undefined, hostname: string): void {
  if (project === undefined || isProjectOf(project, hostname)) return
  throw new ApiError(
    'MISSING_FIELDS',
    'The host of `url` is none of the allowed origins of the project. Send the address of the project’s site, or add the origin with PATCH /projects/{id}.',
  )
}
