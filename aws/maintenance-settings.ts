import { MAINTENANCE_DEFAULTS, type MaintenanceSettings } from '#core/lake/compact/maintenance-settings'

/**
 * Settings of the lake's maintenance on AWS; the deployer sets the length of epochs (EPOCH_MINUTES). Several
 * workers share the compaction of an epoch by size, so an epoch may hold as much as four of them compact in a
 * minute. The queue delivers a failed job five times, every 15 minutes (lib/job-queue.ts), before maintenance
 * sends it again. The worker's disk bounds the size of a merge: 226 MB of events (10M) took 5.8 GB of its 10
 * GB of disk, 2.5 GB of its 3 GB of memory, and 155 s on two cores.
 */
export const MAINTENANCE: Omit<MaintenanceSettings, 'epochMs'> = {
  ...MAINTENANCE_DEFAULTS,
  mergeBytes: 192 * 1024 * 1024,
  epochFiles: 1_000,
  epochBytes: 256 * 1024 * 1024,
  resendMs: 90 * 60_000,
}
