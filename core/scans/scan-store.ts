import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { EntityItem } from 'electrodb'
import type { Now } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import type { ScanResult } from '#schemas/website-scans'
import { scanCacheEntity, scanEntity, scanResultEntity } from './entities.ts'
import {
  isScanId,
  type Scan,
  type ScanCoverage,
  type ScanFailure,
  type ScanKey,
  type ScanStage,
} from './scan.ts'

/** What an analysis has found, as it is kept. It quotes the pages and has no other text of theirs. */
export type StoredResult = {
  result: ScanResult
  coverage: ScanCoverage
  /** What a monthly re-scan has found changed, the newest first; at most MAX_CHANGES. */
  changes?: ScanChange[]
}

/** What has changed between two analyses of a site, each in a sentence. */
export type ScanChange = { at: number; site: string[]; plan: string[] }

export const MAX_CHANGES = 12
/** How long analyses are kept after they began: without an account, and of an account. */
const ANONYMOUS_DAYS = 30
const ACCOUNT_DAYS = 400
const CACHE_MS = DAY_MS
/** An item of the table has at most 400 KB. A full result has about 15 KB packed. */
const MAX_PACKED_CHARS = 300_000
/** No result is so large unpacked. */
const MAX_UNPACKED_BYTES = 10_000_000

const pack = promisify(gzip)
const unpack = promisify(gunzip)

type ScanItem = EntityItem<ReturnType<typeof scanEntity>>

/** Keeps analyses and their results in the state table. */
export function createScanStore({ clock, ...state }: StateTable & { clock: Now }) {
  const scans = scanEntity(state)
  const results = scanResultEntity(state)
  const cache = scanCacheEntity(state)

  /** Writes a new analysis, or an analysis that begins again. */
  async function put(scan: Scan): Promise<void> {
    await orUnavailable(scans.put(toItem(scan)).go())
  }

  async function find(key: ScanKey): Promise<Scan | null> {
    // The keys of the table have a limited length.
    if (!isScanId(key.id)) return null
    const { data } = await orUnavailable(scans.get(key).go({ consistent: true }))
    if (data === null || data.expires_at * 1_000 <= clock.now()) return null
    const { expires_at, ...scan } = data
    return scan
  }

  /**
   * Makes a run of the job the only one that may write. Returns the analysis, or null if it has ended or
   * another run has come first.
   */
  async function begin(before: Scan, attempt: string): Promise<Scan | null> {
    const scan = { ...before, attempt, attempts: before.attempts + 1, status: 'running' as const }
    const change = scans
      .patch(keyOf(before))
      .set({ attempt, attempts: scan.attempts, status: scan.status })
      .where(({ attempts }, { eq }) => eq(attempts, before.attempts))
    return (await conditionHeld(change.go())) ? scan : null
  }

  /** Notes what the run does now. Returns false when another run has taken over. */
  function setStage(scan: Scan, stage: ScanStage): Promise<boolean> {
    return patchOwn(scan, { stage })
  }

  /** Ends an analysis. Returns false when another run has taken over. */
  function finish(scan: Scan, failure?: ScanFailure): Promise<boolean> {
    const status = failure === undefined ? 'succeeded' : 'failed'
    return patchOwn(scan, { stage: 'done', finished_at: clock.now(), status, ...(failure && { failure }) })
  }

  function patchOwn(scan: Scan, values: Partial<Pick<Scan, 'stage' | 'status' | 'finished_at' | 'failure'>>) {
    const change = scans
      .patch(keyOf(scan))
      .set(values)
      .where(({ attempt }, { eq }) => eq(attempt, scan.attempt as string))
    return conditionHeld(change.go())
  }

  async function saveResult(scan: Scan, depth: 'preview' | 'full', stored: StoredResult): Promise<void> {
    const packed = await packResult(stored)
    await orUnavailable(results.put({ ...keyOf(scan), depth, packed, expires_at: expiryOf(scan) }).go())
  }

  async function findResult(key: ScanKey, depth: 'preview' | 'full'): Promise<StoredResult | null> {
    const { account_id, id } = key
    const { data } = await orUnavailable(results.get({ account_id, id, depth }).go({ consistent: true }))
    return data === null ? null : unpackResult(data.packed)
  }

  /** Gives an anonymous analysis with its preview to an account. `scan`: how it goes on there. */
  async function claim(anonymous: Scan, scan: Scan): Promise<void> {
    const preview = await findResult(anonymous, 'preview')
    if (preview !== null) await saveResult(scan, 'preview', preview)
    await put(scan)
    await orUnavailable(scans.delete(keyOf(anonymous)).go())
    await orUnavailable(results.delete({ ...keyOf(anonymous), depth: 'preview' }).go())
  }

  /** Links an analysis to the project that was made from it. */
  async function link(key: ScanKey, project_id: string): Promise<void> {
    await conditionHeld(scans.patch(keyOf(key)).set({ project_id }).go())
  }

  async function cachePreview({ hostname, id, url }: Scan, stored: StoredResult): Promise<void> {
    const valid_until = clock.now() + CACHE_MS
    const packed = await packResult(stored)
    const expires_at = Math.ceil(valid_until / 1_000)
    await orUnavailable(cache.put({ hostname, id, url, packed, valid_until, expires_at }).go())
  }

  /** The last anonymous preview of a host, if it is younger than a day. */
  async function findCached(hostname: string) {
    const { data } = await orUnavailable(cache.get({ hostname }).go({ consistent: true }))
    if (data === null || data.valid_until <= clock.now()) return null
    return { id: data.id, url: data.url, ...(await unpackResult(data.packed)) }
  }

  return { put, find, begin, setStage, finish, saveResult, findResult, claim, link, cachePreview, findCached }
}

export type ScanStore = ReturnType<typeof createScanStore>

function keyOf({ account_id, id }: ScanKey): ScanKey {
  return { account_id, id }
}

function toItem(scan: Scan): ScanItem {
  return { ...scan, expires_at: expiryOf(scan) }
}

function expiryOf({ mode, started_at }: Pick<Scan, 'mode' | 'started_at'>): number {
  const days = mode === 'anonymous_preview' ? ANONYMOUS_DAYS : ACCOUNT_DAYS
  return Math.ceil((started_at + days * DAY_MS) / 1_000)
}

async function packResult(stored: StoredResult): Promise<string> {
  const packed = (await pack(JSON.stringify(stored))).toString('base64')
  if (packed.length > MAX_PACKED_CHARS)
    throw new RangeError('the result of the analysis is too large to keep')
  return packed
}

async function unpackResult(packed: string): Promise<StoredResult> {
  const bytes = await unpack(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_UNPACKED_BYTES })
  return JSON.parse(bytes.toString())
}
