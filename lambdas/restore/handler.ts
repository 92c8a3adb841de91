import type { ReconcileServices } from '#core/lake/restore/reconcile'
import { type ReconciledLake, reconcileLake } from '#core/lake/restore/reconcile-lake'
import type { RestoreLakeServices } from '#core/lake/restore/restore-lake'

export type RestoreServices = ReconcileServices & RestoreLakeServices

/** The name under which the state notes that a restoration runs. */
const JOB = 'restore'
/** A function on AWS runs for 15 minutes at most, so a restoration that began earlier was killed. */
const MAX_MS = 15 * 60_000

/**
 * Makes table and lake agree after an operator has restored one of them to an earlier moment, and returns
 * what it found (docs/aws.md, Backup and restore on AWS). Consumer, workers and maintenance must be stopped.
 * Throws if maintenance or another restoration runs. A call that ends early is repeated.
 */
export function restoreHandler(services: RestoreServices) {
  const { state, clock } = services
  return async function restoreLake(): Promise<ReconciledLake> {
    const now = clock.now()
    const { leaseUntil } = await state.lake()
    if (leaseUntil > now)
      throw new Error('Maintenance runs. Stop the scheduler function, and call again a minute later.')
    if (!(await state.beginJob(JOB, now, now - MAX_MS)))
      throw new Error('Another restoration runs, or has failed. Call again 15 minutes after it began.')
    // The restored table may lack the item, and then a newer one is still there.
    await state.forgetSkippedEpochs()
    const found = await reconcileLake(services)
    // Noted as begun long ago, so that the next call need not wait.
    await state.beginJob(JOB, 0, now + 1)
    return found
  }
}
