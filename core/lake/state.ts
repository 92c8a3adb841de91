/**
 * The lake's memory: one item a shard and one for the watermarks, changed only by single conditional writes. Every
 * change returns whether its condition held; one that did not hold changed nothing. core/lake/state-store.ts keeps it
 * in DynamoDB, test/support/memory-lake-state.ts in memory for the simulator; test/contract/lake-state.ts runs on both.
 */

/** A range of one shard that is being written, or was: the content of its file follows from it alone. */
export type Claim = { first: string; last: string; epoch: number }

export type ShardState = {
  shard: string
  /** Last sequence that is in the lake; null before the first. */
  highWater: string | null
  /** The epoch that the next claim goes to; null until the shard has joined (see joinEpoch). */
  epoch: number | null
  claim: Claim | null
  /** When the claim was opened, Unix ms; null without one. */
  claimedAt: number | null
}

/** Which epochs a read takes from where: cold below `cold`, warm below `warm`, hot up to `epoch`. */
export type Snapshot = {
  /** The newest epoch that any claim may be in. */
  epoch: number
  /** W1: epochs below it are in warm or cold. */
  warm: number
  /** W2: epochs below it are in cold. */
  cold: number
}

/** Work under way that must be done again in the very same way after a crash. */
export type LakeState = Snapshot & {
  /** The roll [cold, until) that was begun: a second try must write the same keys. */
  coldUntil: number | null
  /** Fencing token of the lease's holder; a change under an older one is refused. */
  fence: number
  /** Unix ms until which the holder may work. */
  leaseUntil: number
  /** Unix ms when `epoch` was opened. */
  epochOpenedAt: number
  /** About one an hour, ascending: `epoch` was opened at `at` (Unix ms), so that all epochs below it were closed by then. */
  epochTimes: readonly EpochTime[]
}

export type EpochTime = { epoch: number; at: number }

/** Time between two epochTimes, ms. */
export const EPOCH_TIME_INTERVAL_MS = 3_600_000

/**
 * The events of an epoch and those that came before it are neighbours for this long, ms: their event_ids are compared
 * (24 h; the rest is room for a consumer that lags behind).
 */
export const DEDUPE_LOOKBACK_MS = 30 * 3_600_000

/** The first epoch with neighbours of an epoch's events; 0 when the epochTimes do not go back so far. */
export function firstDedupeEpoch(epochTimes: readonly EpochTime[], epoch: number): number {
  const since = epochOpenedBefore(epochTimes, epoch) - DEDUPE_LOOKBACK_MS
  return epochTimes.findLast(({ at }) => at <= since)?.epoch ?? 0
}

/** Unix ms by which nothing was in the epoch yet, as the epochTimes tell; 0 when they do not go back so far. */
export function epochOpenedBefore(epochTimes: readonly EpochTime[], epoch: number): number {
  return epochTimes.findLast(mark => mark.epoch <= epoch)?.at ?? 0
}

/** The epochTimes that are still of use when the epochs below `cold` are cold: later ones, and those of neighbours. */
export function keepEpochTimes(epochTimes: readonly EpochTime[], cold: number): EpochTime[] {
  const first = firstDedupeEpoch(epochTimes, cold)
  return epochTimes.filter(({ epoch }) => epoch >= first)
}

export type LakeStateStore = {
  /** A consistent read; the first one makes the item: epoch 1, both watermarks 1. */
  lake(): Promise<LakeState>
  shard(shard: string): Promise<ShardState>
  shards(): Promise<ShardState[]>

  /** Makes the shard's item when there is none (no epoch, nothing read). */
  addShard(shard: string): Promise<void>
  /** Raises the shard's epoch; holds when it was lower or not set. */
  joinEpoch(shard: string, epoch: number): Promise<boolean>
  /** Opens a claim at `now`; holds when none is open, and the shard's epoch and highWater are as given. */
  claim(shard: string, claim: Claim, highWater: string | null, now: number): Promise<boolean>
  /** Ends the claim: highWater becomes its last. Holds when this very claim is open. */
  commit(shard: string, claim: Claim): Promise<boolean>

  /** Takes the lease until `until` under a new fencing token, or returns null while another holds it at `now`. */
  lease(now: number, until: number): Promise<number | null>
  /** Gives the lease back before its time. */
  release(fence: number): Promise<boolean>
  /**
   * Raises the newest epoch from `from` by one, opened at `now`; adds a mark when the last one (or none) is
   * MARK_EVERY_MS old.
   */
  openEpoch(fence: number, from: number, now: number): Promise<boolean>
  /** W1: `from` to `from + 1`. */
  advanceWarm(fence: number, from: number): Promise<boolean>
  /** Fixes the range of the next roll; holds when none is fixed. */
  planCold(fence: number, from: number, until: number): Promise<boolean>
  /** W2: `from` to `until`; the plan ends, epochTimes of no more use go. Holds when that very plan is fixed. */
  advanceCold(fence: number, from: number, until: number): Promise<boolean>

  /** Notes that the job is being sent; holds when it was never sent, or last before `staleBefore` (Unix ms). */
  beginJob(job: string, now: number, staleBefore: number): Promise<boolean>
  /** Notes that the job has been done; repeating is no error. */
  finishJob(job: string): Promise<void>
  jobFinished(job: string): Promise<boolean>
}
