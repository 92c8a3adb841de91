import type { Claim } from './claim.ts'
import type { Manifest } from './manifest.ts'
import type { Sweep } from './sweep.ts'

/**
 * The state of the lake: one item for the epoch, one for each shard and one that names the manifest of each
 * bucket, which is an object of the lake (manifest-objects.ts). Every change is a single conditional write
 * and returns whether its condition held; if it did not, nothing changed. core/lake/model/state-store.ts
 * keeps the state in DynamoDB, test/support/memory-lake-state.ts in memory for the simulator.
 * test/contract/lake-state.ts tests both.
 */

export type ShardState = {
  shard: string
  /** Last sequence that is in the lake; null before the first. */
  highWater: string | null
  /** The epoch of the next claim; null until the shard has joined an epoch (see joinEpoch). */
  epoch: number | null
  claim: Claim | null
  /** When the claim was opened, Unix ms; null without a claim. */
  claimedAt: number | null
  /** The newest arrival that was later than the clock of its consumer, Unix ms; absent without one. */
  arrivalAhead?: number
  /**
   * The newest epoch when the stream was first seen without the shard: all its files are of that epoch or
   * before. Absent while the stream has it, and after its next claim.
   */
  goneEpoch?: number
}

export type LakeState = {
  /** The newest epoch. */
  epoch: number
  /** Fencing token of the lease holder. A change with an older token is refused. */
  fence: number
  /** End of the lease, Unix ms. */
  leaseUntil: number
  /** Unix ms when `epoch` was opened. */
  epochOpenedAt: number
  /** When the newest epochs were opened: about one entry an hour, ascending. For gauges. */
  epochTimes: readonly EpochTime[]
}

/** `epoch` was opened at `at` (Unix ms), and all epochs below it were closed by then. */
export type EpochTime = { epoch: number; at: number }

/** Shortest time between two entries of epochTimes, ms, and the number of entries. */
export const EPOCH_TIME_INTERVAL_MS = 3_600_000
export const EPOCH_TIMES = 100

/** What is known of a manifest without its object. `bytes`: of the object, 0 without one. */
export type ManifestHead = { bucket: number; compacted: number; bytes: number }

/** What is known of a manifest that cannot be read now: `key` of its object, and why. */
export type UnreadableManifest = ManifestHead & { key: string; error: unknown }

export type ReadableManifests<Known = Manifest> = {
  manifests: Known[]
  unreadable: UnreadableManifest[]
}

/** By bucket: the version of the manifest in force, and the objects that it is in. */
export type NamedKeys = ReadonlyMap<number, { version: number; keys: readonly string[] }>

/**
 * `buckets`: how many have another manifest. `behind`: epochs that the state takes for compacted and that the
 * newest manifest of the lake does not have.
 */
export type AdoptedManifests = { buckets: number; behind: readonly { from: number; until: number }[] }

/**
 * Returns the manifest that counts. `hasErasures`: it has those of the manifest that the state names, because
 * the lake has its object or a newer one.
 */
export type BeforeAdopting = (manifest: Manifest, hasErasures: boolean) => Promise<Manifest>

export type LakeStateStore = {
  /**
   * A consistent read. The first one creates the item, with epoch 1. Throws EditionError if another version
   * has to read the data (edition.ts): everything that reads or writes the lake begins with this read.
   */
  lake(): Promise<LakeState>
  shard(shard: string): Promise<ShardState>
  /** Without those that are retired. */
  shards(): Promise<ShardState[]>

  /**
   * Creates the item of the shard, without epoch and highWater, if it does not exist. A retired shard is
   * listed again, with its highWater.
   */
  addShard(shard: string): Promise<void>
  /**
   * Takes a shard that the stream no longer has out of the listing, so that nothing waits for it. Its item
   * loses its epoch, and is deleted after `expiresAt` (Unix ms). Holds if no claim is open and the shard has
   * this highWater.
   */
  retireShard(shard: string, highWater: string | null, expiresAt: number): Promise<boolean>
  /**
   * Notes that the stream has no such shard any more, in the newest epoch. Holds if none was noted, no claim
   * is open and the shard has this highWater. Its next claim takes it back.
   */
  noteGone(shard: string, highWater: string | null, epoch: number): Promise<boolean>
  /** Raises the epoch of the shard. Holds if it was lower or null, and the shard is not retired. */
  joinEpoch(shard: string, epoch: number): Promise<boolean>
  /** Opens a claim at `now`. Holds if no claim is open and the shard has this epoch and highWater. */
  claim(shard: string, claim: Claim, highWater: string | null, now: number): Promise<boolean>
  /** Ends the claim: highWater becomes `claim.last`. Holds if exactly this claim is open. */
  commit(shard: string, claim: Claim): Promise<boolean>
  /**
   * Notes an arrival (Unix ms) that is later than the clock. Holds if no arrival was noted, or an earlier
   * one.
   */
  noteArrivalAhead(shard: string, arrival: number): Promise<boolean>

  /**
   * Takes the lease until `until` and returns a new fencing token; null if the lease is not free at `now`.
   */
  lease(now: number, until: number): Promise<number | null>
  /** Ends the lease early. */
  release(fence: number): Promise<boolean>
  /**
   * Opens the epoch `from` + 1 at `now`. Adds an epoch time if the last one is EPOCH_TIME_INTERVAL_MS old.
   */
  openEpoch(fence: number, from: number, now: number): Promise<boolean>

  /** A consistent read; `emptyManifest` before the first compaction. */
  manifest(bucket: number): Promise<Manifest>
  /** The manifests of all buckets, in their order. Throws if one of them cannot be read now. */
  manifests(): Promise<Manifest[]>
  /**
   * The manifests that can be read now, in the order of their buckets, and those whose object is missing,
   * damaged or out of reach. What is true of all buckets must count the watermarks of both.
   */
  readableManifests(): Promise<ReadableManifests>
  /** Their watermarks and sizes, without opening the objects of the lake that hold the manifests. */
  manifestHeads(): Promise<ManifestHead[]>
  /** The objects that the manifests are in. Without buckets of which nobody can say it now. */
  namedKeys(): Promise<NamedKeys>
  /**
   * Changes manifests after state and lake were restored to different times (adopt-manifest.ts). Call it only
   * while nothing else writes. `before` runs before each of these counts, so what it does is repeated after a
   * kill.
   */
  adoptManifests(before?: BeforeAdopting): Promise<AdoptedManifests>
  /** Saves a changed manifest. Holds if the saved one has the version before it. */
  saveManifest(manifest: Manifest): Promise<boolean>
  /**
   * Moves the watermarks of these buckets past `epoch`, in which they have no event, without a write for each
   * (empty-epochs.ts). Call it only for a closed epoch at which their watermarks are.
   */
  skipEpoch(epoch: number, buckets: readonly number[]): Promise<void>
  /**
   * Saves the manifests whose watermarks `skipEpoch` has moved, and returns the manifests of all buckets as
   * they are saved.
   */
  saveSkippedEpochs(): Promise<Manifest[]>
  /**
   * Takes back what `skipEpoch` has moved and no manifest has saved. For a state that was restored in parts.
   */
  forgetSkippedEpochs(): Promise<void>

  /**
   * Notes that the job is sent at `now`. Holds if it was never sent, or last before `staleBefore` (Unix ms).
   */
  beginJob(job: string, now: number, staleBefore: number): Promise<boolean>
  /** Notes that the job is finished. May be repeated. */
  finishJob(job: string): Promise<void>
  jobFinished(job: string): Promise<boolean>

  /** How far the sweeps have come that have begun; a consistent read. */
  sweeps(): Promise<Sweep[]>
  /** Saves a changed sweep. Holds if the saved one has the version before it; 0: none is saved. */
  saveSweep(sweep: Sweep): Promise<boolean>
  /** Lets all sweeps begin anew, because state and lake were restored to different times. */
  forgetSweeps(): Promise<void>
}
