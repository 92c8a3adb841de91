import type { JobQueue, Now } from '#core/ports'
import type { RunningScans } from './running-scans.ts'
import { isFinished, type ScanJob } from './scan.ts'
import type { ScanStore } from './scan-store.ts'

export type ResumeServices = {
  store: Pick<ScanStore, 'find'>
  running: Pick<RunningScans, 'list' | 'release' | 'renew'>
  jobs: JobQueue<ScanJob>
  clock: Now
}

/**
 * Sends the jobs again of analyses that a worker has left: those whose time is over, or all (`areAllLeft`),
 * when no worker of before can still run. One that began too often ends in the worker.
 */
export async function resumeScans(
  { store, running, jobs, clock }: ResumeServices,
  { areAllLeft }: { areAllLeft: boolean },
): Promise<void> {
  for (const { account_id, id, until } of await running.list()) {
    if (!areAllLeft && until > clock.now()) continue
    const scan = await store.find({ account_id, id })
    if (scan === null || isFinished(scan)) await running.release({ id })
    else if (await running.renew(scan)) await jobs.send({ kind: 'scan', account_id, id, takesOver: true })
  }
}
