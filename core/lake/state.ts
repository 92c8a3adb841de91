/**
 * The state of the lake: one item for the watermarks and one for each shard. Every change is a single conditional write
 * and returns whether its condition held; if it did not, nothing changed. core/lake/state-store.ts keeps the state in
 * DynamoDB, test/support/memory-lake-state.ts in memory for the simulator. test/contract/lake-state.ts tests both.
 */

/** A range of one shard, reserved before its hot file is written. The content of the file follows from it alone. */
export type Claim = { first: string; last: string; epoch: number }

export type ShardState = {
  shard: string
  /** Last sequence that is in the lake; null before the first. */
  highWater: string | null
  /** The epoch of the next claim; null until the shard has joined an epoch (see joinEpoch). */
  epoch: number | null
  claim: Claim | null
  /** When the claim was opened, Unix ms; null without a claim. */
  claimedAt: number | null
}

/** Where a read finds each epoch: in cold below `cold`, else in warm below `warm`, else in hot up to `epoch`. */
export type Snapshot = {
  /** The newest epoch. */
  epoch: number
  /** Watermark: epochs below it are warm or cold. */
  warm: number
  /** Watermark: epochs below it are cold. */
  cold: number
}

export type LakeState = Snapshot & {
  /** End of the cold compaction [cold, coldUntil) that has begun; null if none has. Every try must write the same keys. */
  coldUntil: number | null
  /** Fencing token of the lease holder. A change with an older token is refused. */
  fence: number
  /** End of the lease, Unix ms. */
  leaseUntil: number
  /** Unix ms when `epoch` was opened. */
  epochOpenedAt: number
  /** When epochs were opened: about one entry an hour, ascending. */
  epochTimes: readonly EpochTime[]
}

/** `epoch` was opened at `at` (Unix ms), and all epochs below it were closed by then. */
export type EpochTime = { epoch: number; at: number }

/** Shortest time between two entries of epochTimes, ms. */
export const EPOCH_TIME_INTERVAL_MS = 3_600_000

/**
 * How far back warm compaction looks for the first copy of an event_id, ms. Copies are dropped within 24 hours; the other
 * 6 hours allow for a consumer that lags behind.
 */
export const DEDUPE_LOOKBACK_MS = 30 * 3_600_000

/** The first epoch of the dedupe look-back of an epoch; 0 if the epochTimes do not reach so far back. */
export function firstDedupeEpoch(epochTimes: readonly EpochTime[], epoch: number): number {
  const since = epochOpenedBefore(epochTimes, epoch) - DEDUPE_LOOKBACK_MS
  return epochTimes.findLast(({ at }) => at <= since)?.epoch ?? 0
}

/** A time before the first file of the epoch, Unix ms; 0 if the epochTimes do not reach so far back. */
export function epochOpenedBefore(epochTimes: readonly EpochTime[], epoch: number): number {
  return epochTimes.findLast(epochTime => epochTime.epoch <= epoch)?.at ?? 0
}

/** The epochTimes that are still needed when the epochs below `cold` are cold: from the dedupe look-back of `cold` on. */
export function keepEpochTimes(epochTimes: readonly EpochTime[], cold: number): EpochTime[] {
  const firstEpoch = firstDedupeEpoch(epochTimes, cold)
  return epochTimes.filter(({ epoch }) => epoch >= firstEpoch)
}

export type LakeStateStore = {
  /** A consistent read. The first one creates the item, with epoch 1 and both watermarks 1. */
  lake(): Promise<LakeState>
  shard(shard: string): Promise<ShardState>
  shards(): Promise<ShardState[]>

  /** Creates the item of the shard, without epoch and highWater, if it does not exist. */
  addShard(shard: string): Promise<void>
  /** Raises the epoch of the shard. Holds if it was lower or null. */
  joinEpoch(shard: string, epoch: number): Promise<boolean>
  /** Opens a claim at `now`. Holds if no claim is open and the shard has this epoch and highWater. */
  claim(shard: string, claim: Claim, highWater: string | null, now: number): Promise<boolean>
  /** Ends the claim: highWater becomes `claim.last`. Holds if exactly this claim is open. */
  commit(shard: string, claim: Claim): Promise<boolean>

  /** Takes the lease until `until` and returns a new fencing token; null if the lease is not free at `now`. */
  lease(now: number, until: number): Promise<number | null>
  /** Ends the lease early. */
  release(fence: number): Promise<boolean>
  /** Opens the epoch `from` + 1 at `now`. Adds an epoch time if the last one is EPOCH_TIME_INTERVAL_MS old. */
  openEpoch(fence: number, from: number, now: number): Promise<boolean>
  /** Moves the warm watermark from `from` to `from` + 1. */
  advanceWarm(fence: number, from: number): Promise<boolean>
  /** Plans the cold compaction [from, until). Holds if none is planned. */
  planCold(fence: number, from: number, until: number): Promise<boolean>
  /** Ends the planned cold compaction: moves the cold watermark to `until` and drops old epochTimes. Holds if planned. */
  advanceCold(fence: number, from: number, until: number): Promise<boolean>

  /** Notes that the job is sent at `now`. Holds if it was never sent, or last before `staleBefore` (Unix ms). */
  beginJob(job: string, now: number, staleBefore: number): Promise<boolean>
  /** Notes that the job is finished. May be repeated. */
  finishJob(job: string): Promise<void>
  jobFinished(job: string): Promise<boolean>
}
