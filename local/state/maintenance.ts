import { setTimeout as sleep } from 'node:timers/promises'
import type { Billing } from '#core/billing/billing'
import { createDeletionList } from '#core/deletion/deletion-list'
import { createPurge } from '#core/deletion/purge'
import type { Clock, Log } from '#core/ports'
import type { Storage } from '#local/storage'

/** The first run waits until the start is over. */
const FIRST_MS = 60_000
const PAUSE_MS = 3_600_000

/**
 * Deletes the data of projects and accounts that were deleted 30 days ago, and cancels the subscriptions of deleted accounts, once
 * an hour until `stop`.
 */
export function startStateMaintenance(storage: Storage, billing: Billing | null, clock: Clock, log: Log) {
  const stopping = new AbortController()
  const purge = createPurge({
    ...storage,
    deletions: createDeletionList({ ...storage, clock }),
    clock,
    log,
  })

  async function run(): Promise<void> {
    let pause = FIRST_MS
    while (await sleep(pause, true, { signal: stopping.signal, ref: false }).catch(() => false)) {
      pause = PAUSE_MS
      try {
        await purge.tick()
        await billing?.cancelPlanned()
      } catch (error) {
        log('JOB_FAILED', { job: 'state maintenance', error: String(error) })
      }
    }
  }

  const running = run()
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}
