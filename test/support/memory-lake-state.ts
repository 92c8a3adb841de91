import { type EmptyEpochs, NO_EMPTY_EPOCHS, skipEmpty } from '#core/lake/model/empty-epochs'
import { toSegment } from '#core/lake/model/encode-manifest'
import { manifestKey, manifestPageKey } from '#core/lake/model/keys'
import { emptyManifest, type Manifest } from '#core/lake/model/manifest'
import {
  createManifestItems,
  type ManifestEntry,
  type ManifestItems,
  type ManifestPointers,
} from '#core/lake/model/manifest-items'
import {
  type ManifestObject,
  type ManifestObjectServices,
  type ManifestPointer,
  manifestOfObject,
} from '#core/lake/model/manifest-objects'
import { createManifestStore } from '#core/lake/model/manifest-store'
import { unpackJson } from '#core/lake/model/packed-json'
import {
  EPOCH_TIME_INTERVAL_MS,
  EPOCH_TIMES,
  type LakeState,
  type LakeStateStore,
  type ShardState,
} from '#core/lake/model/state'
import type { Sweep } from '#core/lake/model/sweep'
import { createSimulatedLake, type SimulatedLake } from '#test/simulation/simulated-ports'

type Job = { sentAt: number; finished: boolean }
type SavedState = {
  lake: LakeState
  shards: Map<string, ShardState>
  manifests: Map<number, ManifestEntry>
  emptyEpochs: EmptyEpochs
  jobs: Map<string, Job>
  sweeps: Map<string, Sweep>
  /** The shards that maintenance has forgotten. */
  retired: Set<string>
}

/**
 * The lake state in memory, with the manifests in the given lake. It passes the same contract suite as the
 * table, and is thousands of times faster.
 */
export type MemoryLakeState = LakeStateStore & {
  save(): SavedState
  /** Goes back to a saved state, as after a power cut. */
  restore(saved: SavedState): void
  /** Returns the state synchronously, so it takes no turn of the simulator. */
  peek(shard: string): ShardState | undefined
  peekLake(): LakeState
  peekManifest(bucket: number): Manifest
  /**
   * The single items behind the manifests, so that a process can be stopped or killed between two of them.
   */
  items: ManifestItems
  /** Gives the manifest an item of the first edition, which has all of it. It takes no turn. */
  putInline(manifest: Manifest): void
  /** The items that name the manifests, for a process with a lake of its own. */
  pointers: ManifestPointers
  /** Returns the number of changes that readers can see. */
  changes(): number
}

export function createMemoryLakeState(
  lakeOfManifests: SimulatedLake = createSimulatedLake(),
  clock: ManifestObjectServices['clock'] = { now: () => 0 },
): MemoryLakeState {
  let lake: LakeState = { epoch: 1, fence: 0, leaseUntil: 0, epochOpenedAt: 0, epochTimes: [] }
  let shards = new Map<string, ShardState>()
  let manifests = new Map<number, ManifestEntry>()
  let emptyEpochs = NO_EMPTY_EPOCHS
  let jobs = new Map<string, Job>()
  let sweeps = new Map<string, Sweep>()
  let retired = new Set<string>()
  let changes = 0

  const pointers: ManifestPointers = {
    readEntry: async bucket => manifests.get(bucket) ?? null,
    readEntries: async () => [...manifests.values()],
    async savePointer(pointer, before) {
      const saved = manifests.get(pointer.bucket)
      const version = saved === undefined ? 0 : 'inline' in saved ? saved.inline.version : saved.version
      if (version !== before) return false
      manifests.set(pointer.bucket, pointer)
      changes++
      return true
    },
    readEmptyEpochs: async () => emptyEpochs,
    async saveEmptyEpochs(next) {
      if (emptyEpochs.version !== next.version - 1) return false
      emptyEpochs = next
      changes++
      return true
    },
  }
  const items = createManifestItems(pointers, { lake: lakeOfManifests, clock })

  function savedManifest(bucket: number): Manifest {
    const entry = manifests.get(bucket)
    if (entry === undefined) return emptyManifest(bucket)
    return 'inline' in entry ? entry.inline : readObject(entry)
  }

  /** Reads without a promise. */
  function readObject({ bucket, version, object }: ManifestPointer): Manifest {
    const content = (key: string, hash: string) =>
      unpackJson(lakeOfManifests.objects.get(key) ?? new Uint8Array(), hash)
    const found = content(manifestKey(bucket, { version, ...object }), object.hash) as ManifestObject
    const pages = found.pages.map(name => content(manifestPageKey(bucket, name), name.hash) as number[][])
    return manifestOfObject(found, pages.flat().map(toSegment))
  }

  function unread(shard: string): ShardState {
    return { shard, highWater: null, epoch: null, claim: null, claimedAt: null }
  }

  function fenced(fence: number, holds: boolean, change: Partial<LakeState>): boolean {
    if (fence !== lake.fence || !holds) return false
    lake = { ...lake, ...change }
    changes++
    return true
  }

  /** Copies the maps only: a write replaces an item, and never changes one. */
  function copyOf(saved: SavedState): SavedState {
    const { shards, manifests, jobs, sweeps, retired } = saved
    return {
      ...saved,
      ...{ shards: new Map(shards), manifests: new Map(manifests), retired: new Set(retired) },
      ...{ jobs: new Map(jobs), sweeps: new Map(sweeps) },
    }
  }

  return {
    save: () => copyOf({ lake, shards, manifests, emptyEpochs, jobs, sweeps, retired }),
    restore(saved) {
      ;({ lake, shards, manifests, emptyEpochs, jobs, sweeps, retired } = copyOf(saved))
      changes++
    },
    peek: shard => shards.get(shard),
    peekLake: () => lake,
    peekManifest: bucket => skipEmpty(savedManifest(bucket), emptyEpochs),
    items,
    putInline: manifest => void manifests.set(manifest.bucket, { inline: manifest }),
    pointers,
    changes: () => changes,

    lake: async () => ({ ...lake }),
    shard: async shard => shards.get(shard) ?? unread(shard),
    shards: async () => [...shards.values()].filter(({ shard }) => !retired.has(shard)),
    async addShard(shard) {
      if (!shards.has(shard)) shards.set(shard, unread(shard))
      retired.delete(shard)
    },
    async retireShard(shard, highWater) {
      const found = shards.get(shard)
      if (found === undefined || found.claim !== null || found.highWater !== highWater) return false
      shards.set(shard, { ...found, epoch: null })
      retired.add(shard)
      return true
    },
    async noteGone(shard, highWater, goneEpoch) {
      const found = shards.get(shard)
      if (found === undefined || found.claim !== null || found.highWater !== highWater) return false
      if (found.goneEpoch !== undefined) return false
      shards.set(shard, { ...found, goneEpoch })
      return true
    },
    async joinEpoch(shard, epoch) {
      const found = shards.get(shard)
      if (found === undefined || retired.has(shard) || (found.epoch !== null && found.epoch >= epoch))
        return false
      shards.set(shard, { ...found, epoch })
      return true
    },
    async claim(shard, claim, highWater, now) {
      const found = shards.get(shard)
      if (!found || found.claim !== null || found.highWater !== highWater || found.epoch !== claim.epoch)
        return false
      const { goneEpoch: _, ...kept } = found
      shards.set(shard, { ...kept, claim, claimedAt: now })
      return true
    },
    async commit(shard, claim) {
      const found = shards.get(shard)
      const open = found?.claim
      if (
        !found ||
        !open ||
        open.first !== claim.first ||
        open.last !== claim.last ||
        open.epoch !== claim.epoch
      ) {
        return false
      }
      shards.set(shard, { ...found, highWater: claim.last, claim: null, claimedAt: null })
      changes++
      return true
    },
    async noteArrivalAhead(shard, arrivalAhead) {
      const found = shards.get(shard)
      if (found === undefined || (found.arrivalAhead ?? -1) >= arrivalAhead) return false
      shards.set(shard, { ...found, arrivalAhead })
      return true
    },

    async lease(now, until) {
      if (lake.leaseUntil > now && lake.leaseUntil <= until) return null
      lake = { ...lake, fence: lake.fence + 1, leaseUntil: until }
      return lake.fence
    },
    release: async fence => fenced(fence, true, { leaseUntil: 0 }),
    async openEpoch(fence, from, now) {
      const last = lake.epochTimes.at(-1)
      const isDue = last === undefined || now - last.at >= EPOCH_TIME_INTERVAL_MS
      const addedTimes = isDue ? [{ epoch: from + 1, at: now }] : []
      const epochTimes = [...lake.epochTimes, ...addedTimes].slice(-EPOCH_TIMES)
      return fenced(fence, lake.epoch === from, { epoch: from + 1, epochOpenedAt: now, epochTimes })
    },

    ...createManifestStore(items),

    async beginJob(job, now, staleBefore) {
      const found = jobs.get(job)
      if (found !== undefined && found.sentAt >= staleBefore && found.sentAt <= now) return false
      jobs.set(job, { sentAt: now, finished: found?.finished ?? false })
      return true
    },
    async finishJob(job) {
      jobs.set(job, { sentAt: jobs.get(job)?.sentAt ?? 0, finished: true })
    },
    jobFinished: async job => jobs.get(job)?.finished ?? false,

    sweeps: async () => [...sweeps.values()],
    async saveSweep(sweep) {
      if ((sweeps.get(sweep.name)?.version ?? 0) !== sweep.version - 1) return false
      sweeps.set(sweep.name, sweep)
      return true
    },
    async forgetSweeps() {
      sweeps.clear()
    },
  }
}
