import { setTimeout as sleep } from 'node:timers/promises'
import type { Billing } from '#core/billing/billing'
import { createPurge } from '#core/deletion/purge'
import { createRetention } from '#core/deletion/retention'
import type { ExportUpkeep } from '#core/exports/upkeep'
import type { Profile } from '#core/plans/profile'
import type { Clock, Log } from '#core/ports'
import { openReplayRemoval, openReplayUpkeep } from '#core/replays/open-replays'
import type { ScanMaintenance } from '#core/scans/open-scan-maintenance'
import { createDeletionList } from '#core/state/deletion-list'
import { lakeDir } from '#local/data-folder'
import { deleteDays } from '#local/lake/folder'
import type { Storage } from '#local/storage'
import { REPLAY_PREFIX } from '#schemas/replays'
import { deleteKeptStates } from './keep-before-conversion.ts'

/** The first run waits until the start is over. */
const FIRST_MS = 60_000
const PAUSE_MS = 3_600_000

export type StateMaintenanceServices = Storage & {
  billing: Billing | null
  dataDir: string
  profile: Profile
  scans: Pick<ScanMaintenance, 'tick'>
  exports: Pick<ExportUpkeep, 'tick'>
  clock: Clock
  log: Log
}

/**
 * Deletes the data of projects and accounts that were deleted 30 days ago, and events past the plan's
 * retention, and expired replays; begins monthly website analyses; cancels the subscriptions of deleted
 * accounts, and reports what others have used; deletes old copies of a converted state, and old exports. Once
 * an hour until
 * `stop`.
 */
export function startStateMaintenance({
  billing,
  dataDir,
  scans,
  exports,
  ...services
}: StateMaintenanceServices) {
  const { clock, log } = services
  const stopping = new AbortController()
  const purge = createPurge({ ...services, deletions: createDeletionList(services) })
  const removal = openReplayRemoval({ ...services, objects: services.replayObjects })
  const retention = createRetention({ ...services, replays: removal })
  const replays = openReplayUpkeep({
    ...services,
    deleteDaysBefore: day => deleteDays(lakeDir(dataDir), REPLAY_PREFIX, day),
  })

  async function run(): Promise<void> {
    let pause = FIRST_MS
    while (await sleep(pause, true, { signal: stopping.signal, ref: false }).catch(() => false)) {
      pause = PAUSE_MS
      try {
        deleteKeptStates(dataDir, clock)
        await billing?.cancelPlanned()
        await billing?.reportUsage()
        await scans.tick()
        await exports.tick()
        while (await retention.tick());
        await replays.tick()
        // The last one, because it may go on for hours.
        while (!stopping.signal.aborted && (await purge.tick()));
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
