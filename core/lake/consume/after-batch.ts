import { errorText } from '#core/errors'
import type { Log } from '#core/ports'
import { finishOrphanedClaims, type OrphanedClaimsServices } from './orphaned-claims.ts'
import { createTakeBack } from './set-aside.ts'

export type AfterBatchServices = OrphanedClaimsServices & Parameters<typeof createTakeBack>[0] & { log: Log }

/**
 * The work that follows each batch of a consumer and belongs to no batch: it finishes the claims of shards
 * that no longer exist, because no batch of them will come, and appends records again that an older consumer
 * has set aside. Never rejects, because a failure must not make the batch fail: it is logged, and the next
 * batch tries again.
 */
export function createAfterBatch(services: AfterBatchServices) {
  const takeBack = createTakeBack(services)

  async function attempt(job: string, work: () => Promise<void>): Promise<void> {
    await work().catch(error => services.log('JOB_FAILED', { job, error: errorText(error) }))
  }

  return async function afterBatch(): Promise<void> {
    await attempt('orphaned claims', () => finishOrphanedClaims(services))
    await attempt('take back', takeBack)
  }
}
