import type { Gauge } from '#schemas/log'
import { compactedByAll } from './manifest.ts'
import type { LakeState, ManifestHead, ShardState } from './state.ts'

type MeasuredState = {
  lake: Pick<LakeState, 'epoch' | 'epochOpenedAt' | 'epochTimes'>
  manifests: readonly Pick<ManifestHead, 'compacted' | 'bytes'>[]
  shards: readonly Pick<ShardState, 'claim' | 'claimedAt'>[]
}

/** The numbers that alarms watch, at `now` (Unix ms). */
export function lakeGauges({ lake, shards, manifests }: MeasuredState, now: number): Record<Gauge, number> {
  const claimTimes = shards.map(({ claim, claimedAt }) => (claim === null ? now : (claimedAt ?? now)))
  const compacted = compactedByAll(manifests)
  return {
    ClaimAgeSeconds: ageInSeconds(Math.min(now, ...claimTimes), now),
    CompactionLagSeconds:
      compacted >= lake.epoch ? 0 : ageInSeconds(oldestEpochClosedAt(lake, compacted), now),
    ManifestBytes: Math.max(0, ...manifests.map(({ bytes }) => bytes)),
    Epoch: lake.epoch,
  }
}

/** How many closed epochs some bucket has not compacted yet. */
export function waitingEpochs(
  { epoch }: Pick<MeasuredState['lake'], 'epoch'>,
  manifests: readonly Pick<ManifestHead, 'compacted'>[],
): number {
  return Math.max(0, epoch - compactedByAll(manifests))
}

/**
 * When the oldest epoch was closed that some bucket has not compacted. If it is the only one, the time is
 * exact. Else it is the epoch time that follows, up to an hour later, so the lag is never reported too long.
 */
function oldestEpochClosedAt(
  { epoch, epochOpenedAt, epochTimes }: MeasuredState['lake'],
  compacted: number,
): number {
  if (compacted + 1 === epoch) return epochOpenedAt
  return epochTimes.find(epochTime => epochTime.epoch > compacted)?.at ?? epochOpenedAt
}

/** Never below 0, although the clocks of two machines may differ. */
function ageInSeconds(since: number, now: number): number {
  return Math.max(0, Math.round((now - since) / 1_000))
}
