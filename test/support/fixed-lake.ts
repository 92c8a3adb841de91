import type { Segment } from '#core/lake/model/segment'
import type { LakeSnapshot, Snapshot } from '#core/lake/read/snapshot'

/** A snapshot of a lake without files in its first epoch. */
export const EMPTY_SNAPSHOT: Snapshot = { compacted: 1, epoch: 1, segments: [], hot: [], tombstones: [] }

/** A lake whose buckets all have this snapshot. */
export function fixedLake(snapshot: Snapshot = EMPTY_SNAPSHOT): LakeSnapshot {
  return { ofBucket: async () => snapshot, newestArrival: () => null, sizeOf: () => null }
}

/** A segment of the first epoch. */
export function segmentOf(changes: Partial<Segment>): Segment {
  return {
    from: 1,
    until: 2,
    generation: 0,
    parts: 1,
    rows: 1,
    bytes: 1,
    firstAt: 0,
    lastAt: 0,
    lastArrival: 0,
    eventIds: 0,
    erased: 0,
    knowsSplit: false,
    knowsSources: false,
    ...changes,
  }
}
