import type { Clock, JobQueue } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { createRescans } from './rescans.ts'
import { resumeScans } from './resume-scans.ts'
import { createRunningScans } from './running-scans.ts'
import type { ScanJob } from './scan.ts'
import { createScanStore } from './scan-store.ts'

export type ScanMaintenanceOptions = StateTable & {
  projects: Pick<ProjectDirectory, 'byId'>
  jobs: JobQueue<ScanJob>
  clock: Clock
}

/** Pause between two looks, ms. The scheduler on AWS calls every minute, and each look is two reads. */
const TICK_MS = 10 * 60_000

/** What keeps website analyses going: those that a worker has left, and the monthly ones of projects. */
export function openScanMaintenance({ client, table, projects, jobs, clock }: ScanMaintenanceOptions) {
  const services = { client, table, clock }
  const store = createScanStore(services)
  const running = createRunningScans(services)
  const rescans = createRescans({ ...services, store, running, projects })
  const resume = (areAllLeft: boolean) => resumeScans({ store, running, jobs, clock }, { areAllLeft })

  let nextAt = 0

  return {
    /** Call it when no worker of before can still run: at the start of one machine. */
    resumeAll: () => resume(true),
    async tick(): Promise<void> {
      if (clock.now() < nextAt) return
      nextAt = clock.now() + TICK_MS
      await resume(false)
      await rescans.tick(jobs)
    },
  }
}

export type ScanMaintenance = ReturnType<typeof openScanMaintenance>
