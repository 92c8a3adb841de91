import type { ErasureSettings } from '#core/lake/erase/erasure-progress'
import type { MergeSettings } from '#core/lake/model/manifest'
import { DAY_MS } from '#core/time'

export type MaintenanceSettings = MergeSettings &
  ErasureSettings & {
    /** Age at which an epoch with files is closed, ms. */
    epochMs: number
    /**
     * Age at which such an epoch is closed while an erasure waits for it, ms. A value above epochMs counts as
     * epochMs.
     */
    erasureEpochMs: number
    /** Number of hot files at which an epoch is closed earlier. */
    epochFiles: number
    /**
     * Bytes of hot files at which an epoch is closed earlier: every read opens the hot files, and they have
     * no rollups.
     */
    epochBytes: number
    /**
     * Bytes of hot files that one job compacts. The buckets of a larger epoch are split among several jobs.
     */
    jobBytes: number
    /**
     * Time after which another process may take over from a tick, ms. Zero where ticks never overlap: the
     * next one then need not wait for the end of the lease of a process that was killed.
     */
    leaseMs: number
    /** Time after which an unfinished job is sent again, ms. A queue delivers a failed job again earlier. */
    resendMs: number
    /** Jobs sent before this time are lost, Unix ms: a queue in memory starts empty with its process. */
    queueSince: number
    /**
     * Time for which superseded files are kept, ms: running reads may still use them, and repairs need them.
     */
    keepSupersededMs: number
  }

export const MAINTENANCE_DEFAULTS: MaintenanceSettings = {
  epochMs: 10 * 60_000,
  erasureEpochMs: 10 * 60_000,
  epochFiles: 600,
  epochBytes: 16 * 1024 * 1024,
  jobBytes: 64 * 1024 * 1024,
  mergeSegments: 8,
  // 1.2 million events. In 256 MB of memory, more would have to be sorted in slices
  // (duckdb/sorted-events.ts); in 128 MB these are.
  mergeBytes: 24 * 1024 * 1024,
  leaseMs: 60_000,
  resendMs: 5 * 60_000,
  queueSince: 0,
  keepSupersededMs: DAY_MS,
  // A read ends within 30 s, and 5 minutes later its snapshot is forgotten.
  keepErasedMs: 5 * 60_000,
  settlingMs: 5 * 60_000,
  // Lambda ends a job after 15 minutes.
  jobMs: 20 * 60_000,
  roundMs: 20 * 60_000,
}
