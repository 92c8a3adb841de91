import { findBatch } from '#core/lake/erase/tombstones'
import type { Manifest } from '#core/lake/model/manifest'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Removed, TombstoneBatch } from '#core/lake/model/tombstone-batch'
import type { Erasure, ErasureStore } from './store.ts'

export type ReceiptServices = {
  erasures: Pick<ErasureStore, 'byId' | 'complete' | 'completionOf'>
  lakeState: Pick<LakeStateStore, 'manifest'>
}

export type ErasureStatus = 'pending' | 'running' | 'done'

/** How far an erasure is. Times in Unix ms. */
export type ErasureReport = Pick<
  Erasure,
  'id' | 'project' | 'sessions' | 'replays' | 'links' | 'profiles' | 'requested_at'
> & {
  status: ErasureStatus
  completed_at: number | null
  /**
   * The events that reads returned when the erasure was requested, and the files that were rewritten so far
   * for it and others of its batch.
   */
  removed: Removed
}

const ERASURE_ID = /^era_[0-9a-f]{16}$/

/**
 * How far erasures are: from the manifests of their buckets, and when they are done from items that outlive
 * the tombstones.
 */
export function createErasureReceipts({ erasures, lakeState }: ReceiptServices) {
  /** Whether no file of the lake has the events of the tombstones of this number any more. */
  async function isGone(bucket: number, number: number): Promise<boolean> {
    const batch = findBatch(await lakeState.manifest(bucket), number)
    return batch === undefined || batch.doneAt !== null
  }

  /**
   * Returns how far the account's erasure is, in all its projects, or null if the account has no erasure of
   * this id.
   */
  async function progress(accountId: string, id: string, isPart = false): Promise<ErasureReport | null> {
    const erasure = ERASURE_ID.test(id) ? await erasures.byId(id) : null
    if (erasure === null || erasure.account_id !== accountId) return null
    const others = await Promise.all(erasure.others.map(other => progress(accountId, other, true)))
    const report = [await progressOf(erasure), ...others.filter(other => other !== null)].reduce(addReport)
    // The fold removes links and profiles of all projects together, and notes that in the erasure of the
    // caller's project.
    return isPart || erasure.isIdentityRemoved || report.status !== 'done'
      ? report
      : { ...report, status: 'running', completed_at: null }
  }

  /** How far an erasure is in its own project. */
  async function progressOf(erasure: Erasure): Promise<ErasureReport> {
    const { id, bucket, number, events } = erasure
    const { project, sessions, replays, links, profiles, requested_at } = erasure
    const report = { id, project, sessions, replays, links, profiles, requested_at }
    const manifest = await lakeState.manifest(bucket)
    const batch = findBatch(manifest, number)
    const files = batch?.removed.files ?? 0
    if (batch?.doneAt !== null) {
      const completion = await erasures.completionOf(bucket, number)
      const doneAt = completion?.doneAt ?? batch?.doneAt ?? null
      if (doneAt !== null) {
        const done = { events, files: completion?.files ?? files }
        return { ...report, status: 'done', completed_at: doneAt, removed: done }
      }
    }
    const status = batch === undefined ? 'pending' : statusOf(manifest, batch)
    return { ...report, status, completed_at: null, removed: { events, files } }
  }

  /** For maintenance of the lake: keeps when the erasures of a batch were done. */
  async function onErased(bucket: number, { number, first, doneAt, removed }: TombstoneBatch): Promise<void> {
    if (doneAt !== null) await erasures.complete(bucket, { number, first, doneAt, files: removed.files })
  }

  return { progress, isGone, onErased }
}

export type ErasureReceipts = ReturnType<typeof createErasureReceipts>

/** The report on two projects together. Only what can differ between them is taken from the second. */
function addReport(first: ErasureReport, second: ErasureReport): ErasureReport {
  const isDone = first.completed_at !== null && second.completed_at !== null
  return {
    ...first,
    status: first.status === second.status ? first.status : 'running',
    completed_at: isDone ? Math.max(Number(first.completed_at), Number(second.completed_at)) : null,
    sessions: first.sessions + second.sessions,
    replays: first.replays + second.replays,
    removed: {
      events: first.removed.events + second.removed.events,
      files: first.removed.files + second.removed.files,
    },
  }
}

function statusOf({ segments }: Manifest, { number, removed }: TombstoneBatch): ErasureStatus {
  return removed.events > 0 || segments.every(({ erased }) => erased >= number) ? 'running' : 'pending'
}
