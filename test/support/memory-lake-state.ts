import {
  EPOCH_TIME_INTERVAL_MS,
  keepEpochTimes,
  type LakeState,
  type LakeStateStore,
  type ShardState,
} from '#core/lake/state'

type Job = { sentAt: number; finished: boolean }
type SavedState = { lake: LakeState; shards: Map<string, ShardState>; jobs: Map<string, Job> }

/** The lake state in memory. It passes the same contract suite as the table, and is thousands of times faster. */
export type MemoryLakeState = LakeStateStore & {
  save(): SavedState
  /** Goes back to a saved state, as after a power cut. */
  restore(saved: SavedState): void
  /** Returns the state synchronously, so it takes no turn of the simulator. */
  peek(shard: string): ShardState | undefined
  peekLake(): LakeState
  /** Returns the number of changes that readers can see. */
  changes(): number
}

export function createMemoryLakeState(): MemoryLakeState {
  let lake: LakeState = {
    epoch: 1,
    warm: 1,
    cold: 1,
    coldUntil: null,
    fence: 0,
    leaseUntil: 0,
    epochOpenedAt: 0,
    epochTimes: [],
  }
  let shards = new Map<string, ShardState>()
  let jobs = new Map<string, Job>()
  let changes = 0

  function unread(shard: string): ShardState {
    return { shard, highWater: null, epoch: null, claim: null, claimedAt: null }
  }

  function fenced(fence: number, holds: boolean, change: Partial<LakeState>): boolean {
    if (fence !== lake.fence || !holds) return false
    lake = { ...lake, ...change }
    changes++
    return true
  }

  return {
    save: () => structuredClone({ lake, shards, jobs }),
    restore(saved) {
      const copy = structuredClone(saved)
      lake = copy.lake
      shards = copy.shards
      jobs = copy.jobs
      changes++
    },
    peek: shard => shards.get(shard),
    peekLake: () => lake,
    changes: () => changes,

    lake: async () => ({ ...lake }),
    shard: async shard => shards.get(shard) ?? unread(shard),
    shards: async () => [...shards.values()],
    async addShard(shard) {
      if (!shards.has(shard)) shards.set(shard, unread(shard))
    },
    async joinEpoch(shard, epoch) {
      const found = shards.get(shard)
      if (found === undefined || (found.epoch !== null && found.epoch >= epoch)) return false
      shards.set(shard, { ...found, epoch })
      return true
    },
    async claim(shard, claim, highWater, now) {
      const found = shards.get(shard)
      if (!found || found.claim !== null || found.highWater !== highWater || found.epoch !== claim.epoch)
        return false
      shards.set(shard, { ...found, claim, claimedAt: now })
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

    async lease(now, until) {
      if (lake.leaseUntil > now) return null
      lake = { ...lake, fence: lake.fence + 1, leaseUntil: until }
      return lake.fence
    },
    release: async fence => fenced(fence, true, { leaseUntil: 0 }),
    async openEpoch(fence, from, now) {
      const last = lake.epochTimes.at(-1)
      const due = last === undefined || now - last.at >= EPOCH_TIME_INTERVAL_MS
      const epochTimes = due ? [...lake.epochTimes, { epoch: from + 1, at: now }] : lake.epochTimes
      return fenced(fence, lake.epoch === from, { epoch: from + 1, epochOpenedAt: now, epochTimes })
    },
    advanceWarm: async (fence, from) => fenced(fence, lake.warm === from, { warm: from + 1 }),
    planCold: async (fence, from, until) =>
      fenced(fence, lake.cold === from && lake.coldUntil === null, { coldUntil: until }),
    advanceCold: async (fence, from, until) =>
      fenced(fence, lake.cold === from && lake.coldUntil === until, {
        cold: until,
        coldUntil: null,
        epochTimes: keepEpochTimes(lake.epochTimes, until),
      }),

    async beginJob(job, now, staleBefore) {
      const found = jobs.get(job)
      if (found !== undefined && found.sentAt >= staleBefore) return false
      jobs.set(job, { sentAt: now, finished: found?.finished ?? false })
      return true
    },
    async finishJob(job) {
      jobs.set(job, { sentAt: jobs.get(job)?.sentAt ?? 0, finished: true })
    },
    jobFinished: async job => jobs.get(job)?.finished ?? false,
  }
}
