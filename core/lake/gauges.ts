import type { Gauge } from '#schemas/log'
import type { LakeState, ShardState } from './state.ts'

type Seen = {
  lake: Pick<LakeState, 'epoch' | 'warm' | 'epochOpenedAt' | 'epochTimes'>
  shards: readonly Pick<ShardState, 'claim' | 'claimedAt'>[]
}

/** How the lake is at `now` (Unix ms), in numbers that alarms watch. */
export function lakeGauges({ lake, shards }: Seen, now: number): Record<Gauge, number> {
  const claimed = shards.map(({ claim, claimedAt }) => (claim === null ? now : (claimedAt ?? now)))
  return {
    ClaimAgeSeconds: age(Math.min(now, ...claimed), now),
    CompactionLagSeconds: lake.warm === lake.epoch ? 0 : age(closedAt(lake), now),
    Epoch: lake.epoch,
  }
}

/**
 * When the oldest epoch that is not compacted was closed: exactly while it is the only one, else by the mark that
 * followed, which may be an hour late. So the lag is never told too long.
 */
function closedAt({ epoch, warm, epochOpenedAt, epochTimes }: Seen['lake']): number {
  if (warm + 1 === epoch) return epochOpenedAt
  return epochTimes.find(mark => mark.epoch > warm)?.at ?? epochOpenedAt
}

/** Seconds; clocks of two machines may differ, an age is never below 0. */
function age(since: number, now: number): number {
  return Math.max(0, Math.round((now - since) / 1_000))
}
