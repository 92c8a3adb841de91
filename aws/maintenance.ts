import { MAINTENANCE_DEFAULTS, type MaintenanceSettings } from '#core/lake/maintenance'

/**
 * Epochs of an hour: every read pays S3 for each warm epoch that it lists and each file of it, and at ten minutes that
 * was most of a read's cost (docs/cost.md). Compaction is split over workers by size, so an epoch may grow to what four
 * of them do in a minute. A job comes again by its queue three times, a quarter of an hour apart (lib/job-queue.ts), before it is sent anew.
 */
export const MAINTENANCE: MaintenanceSettings = {
  ...MAINTENANCE_DEFAULTS,
  epochMs: 60 * 60_000,
  epochFiles: 1_000,
  epochBytes: 256 * 1024 * 1024,
  resendMs: 60 * 60_000,
}
