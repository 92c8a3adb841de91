import { MAINTENANCE_DEFAULTS, type MaintenanceSettings } from '#core/lake/maintenance'

/**
 * The lake's maintenance on AWS, beside what its deployer sets. Epochs are long (EPOCH_MINUTES): every read pays S3 for
 * each warm epoch that it lists and each file of it. Compaction is split over workers by size, so an epoch may grow to
 * what four of them do in a minute. A job comes again by its queue, five times a quarter of an hour apart
 * (lib/job-queue.ts), before it is sent anew. A roll's size is bounded by the worker's disk: 226 MB of warm files, 10M events
 * of one date, took 5.8 of its 10 GB, 2.5 of its 3 GB of memory, and 155 s on two cores.
 */
export const MAINTENANCE: Omit<MaintenanceSettings, 'epochMs'> = {
  coldAfterMs: MAINTENANCE_DEFAULTS.coldAfterMs,
  coldSpanMs: MAINTENANCE_DEFAULTS.coldSpanMs,
  keepSupersededMs: MAINTENANCE_DEFAULTS.keepSupersededMs,
  coldBytes: 192 * 1024 * 1024,
  epochFiles: 1_000,
  epochBytes: 256 * 1024 * 1024,
  resendMs: 90 * 60_000,
  queueSince: 0,
}
