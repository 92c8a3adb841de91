import type { LakeStateStore } from '#core/lake/model/state'
import type { Lake, Now } from '#core/ports'
import { MAINTENANCE_DEFAULTS } from './maintenance-settings.ts'

export type SweepSettings = {
  /** As of MaintenanceSettings. */
  keepSupersededMs: number
  /** As of ErasureSettings. */
  keepErasedMs: number
  /**
   * Pages of listings that a slice begins, of 1,000 keys each. On S3 a page takes up to 0.3 s, so a slice is
   * done in a minute, and a worker has 15. Where jobs run one after the other, compaction waits so long.
   */
  slicePages: number
}

export type SweepServices = {
  state: LakeStateStore
  lake: Pick<Lake, 'list' | 'listPage' | 'delete'>
  clock: Now
}

/** `slicePages`: see SweepSettings. */
export const SWEEPS: SweepSettings = { ...MAINTENANCE_DEFAULTS, slicePages: 200 }
