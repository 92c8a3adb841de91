import type { Gauge } from '#schemas/log'
import type { LakeState, ShardState } from './state.ts'

type MeasuredState = {
  lake: Pick<LakeState, 'epoch' | 'warm' | 'epochOpenedAt' | 'epochTimes'>
  shards: readonly Pick<ShardState, 'claim' | 'claimedAt'>[]
}

/** The numbers that alarms watch, at `now` (Unix ms). */
export function lakeGauges({ lake, shards }: MeasuredState, now: number): Record<Gauge, number> {
  const claimTimes = shards.map(({ claim, claimedAt }) => (claim === null ? now : (claimedAt ?? now)))
  return {
    ClaimAgeSeconds: ageInSeconds(Math.min(now, ...claimTimes), now),
    CompactionLagSeconds: lake.warm === lake.epoch ? 0 : ageInSeconds(oldestEpochClosedAt(lake), now),
    Epoch: lake.epoch,
  }
}

/**
 * When the oldest epoch that is not compacted was closed. If it is the only one, the time is exact. Else it is the epoch
 * time that follows, up to an hour later, so the lag is never reported too long.
 */
function oldestEpochClosedAt({ epoch, warm, epochOpenedAt, epochTimes }: MeasuredState['lake']): number {
  if (warm + 1 === epoch) return epochOpenedAt
  return epochTimes.find(epochTime => epochTime.epoch > warm)?.at ?? epochOpenedAt
}

/** Never below 0, although the clocks of two machines may differ. */
function ageInSeconds(since: number, now: number): number {
  return Math.max(0, Math.round((now - since) / 1_000))
}
