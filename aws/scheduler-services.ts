import { createCancellations } from '#core/billing/cancellations'
import { createUsageReports } from '#core/billing/usage-reports'
import { createPurge } from '#core/deletion/purge'
import { createRetention } from '#core/deletion/retention'
import { openErasures } from '#core/erasure/open-erasures'
import type { ExportJob } from '#core/exports/export'
import { createExportUpkeep } from '#core/exports/upkeep'
import type { IdentityJob } from '#core/identity/fold/fold-due'
import { createFoldWatch } from '#core/identity/fold/fold-watch'
import type { LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { createOldRecords } from '#core/lake/erase/old-records'
import { readProfile } from '#core/plans/profile'
import { openReplayRemoval, openReplayUpkeep } from '#core/replays/open-replays'
import { openScanMaintenance } from '#core/scans/open-scan-maintenance'
import type { ScanJob } from '#core/scans/scan'
import { createDeletionList } from '#core/state/deletion-list'
import { systemClock as clock } from '#providers/system-clock'
import { createKinesisClient, createSqsClient } from './clients.ts'
import { createInstruments } from './instruments.ts'
import { createSqsJobQueue } from './job-queue.ts'
import { MAINTENANCE } from './maintenance-settings.ts'
import { createPayments, createSecretReader } from './payments.ts'
import { readSettings } from './settings.ts'
import { createStreamRetention } from './stream-retention.ts'
import { createTracedLake } from './traced-stores.ts'

/** The services of the function that is called every minute. Throws when a setting is missing or wrong. */
export function createSchedulerServices(environment: Record<string, string | undefined>) {
  const {
    TABLE_NAME,
    BUCKET_NAME,
    JOB_QUEUE_URL,
    EPOCH_MINUTES,
    STREAM_ARN,
    RETENTION_HOURS,
    ...accessSettings
  } = readSettings('scheduler', environment)
  const { log, gauge, trace, instrument } = createInstruments()
  const stores = createTracedLake(TABLE_NAME, BUCKET_NAME, { trace, log })
  const { lake, lakeState: state, usage, receipts } = stores
  const jobs = createSqsJobQueue<LakeJob | IdentityJob | ScanJob | ExportJob>({
    client: trace(createSqsClient()),
    queueUrl: JOB_QUEUE_URL,
  })
  const settings = { ...MAINTENANCE, epochMs: EPOCH_MINUTES * 60_000 }
  const streamRetention = createStreamRetention({
    client: trace(createKinesisClient()),
    streamArn: STREAM_ARN,
    state,
    clock,
    log,
    retentionHours: RETENTION_HOURS,
  })
  const oldRecords = createOldRecords({ state, lake, oldestUnread: streamRetention.oldestUnread })
  const lakeMaintenance = createMaintenance(
    { state, lake, jobs, usage, stream: streamRetention, ...receipts, oldRecords, clock, log },
    settings,
  )
  const erasures = openErasures({ ...stores, lake, clock })
  const purge = createPurge({
    ...stores,
    erasures,
    deletions: createDeletionList({ ...stores, clock }),
    clock,
    log,
  })
  const profile = readProfile(accessSettings.PROFILE, accessSettings.LIMITS)
  const exports = createExportUpkeep({ ...stores, objects: lake, jobs, clock })
  const removal = openReplayRemoval({ ...stores, objects: lake, profile, clock })
  const retention = createRetention({ ...stores, erasures, replays: removal, clock, log, profile })
  const replays = openReplayUpkeep({ ...stores, profile, deleteDaysBefore: null, clock, log })
  const payments = createPayments(accessSettings, createSecretReader(accessSettings, trace))
  const usageReports = payments && createUsageReports({ ...stores, clock, log, payments })
  const cancellations =
    payments && usageReports && createCancellations({ ...stores, clock, log, payments, usageReports })
  const isFoldDue = createFoldWatch({ ...stores, lake, clock })
  const scans = openScanMaintenance({ ...stores, jobs, clock })
  const maintenance = {
    async tick() {
      await streamRetention.tick()
      if (await isFoldDue()) await jobs.send({ kind: 'fold-identity' })
      await lakeMaintenance.tick()
      await scans.tick()
      await cancellations?.tick()
      await usageReports?.tick()
      await retention.tick()
      await replays.tick()
      await exports.tick()
      // The last one, because it takes all the time that it is given.
      await purge.tick()
    },
  }
  return { services: { maintenance, state, clock, gauge, log }, instrument }
}
