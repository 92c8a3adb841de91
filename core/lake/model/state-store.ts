import { Entity } from '#core/state/entity'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import type { Claim } from './claim.ts'
import { assertNotForgotten, assertNotNewer, EDITION } from './edition.ts'
import { createManifestItems, manifestPointers } from './manifest-items.ts'
import type { ManifestObjectServices } from './manifest-objects.ts'
import { createManifestStore } from './manifest-store.ts'
import {
  EPOCH_TIME_INTERVAL_MS,
  EPOCH_TIMES,
  type LakeState,
  type LakeStateStore,
  type ShardState,
} from './state.ts'
import { createSweepStore } from './sweep-store.ts'

/** Time until the item of a job expires, ms. By then its epochs have been compacted long ago. */
const JOB_TTL_MS = 30 * DAY_MS

/**
 * The lake state in DynamoDB, and the manifests in the lake. Every change is one conditional write, so of two
 * processes only one can succeed.
 */
export function createLakeStateStore(state: StateTable, objects: ManifestObjectServices): LakeStateStore {
  const lakes = lakeEntity(state)
  const shards = shardEntity(state)
  const jobs = jobEntity(state)

  async function lake(): Promise<LakeState> {
    const { data } = await orUnavailable(lakes.get({}).go({ consistent: true }))
    if (data === null) {
      await conditionHeld(lakes.create({ edition: EDITION }).go())
      return lake()
    }
    if (data.edition !== EDITION) await acceptEdition(data.edition ?? 0)
    return toLakeState(data)
  }

  /** Notes that the data is of this edition from now on. Throws EditionError if it must not be touched. */
  async function acceptEdition(edition: number): Promise<void> {
    assertNotNewer(edition)
    if (edition === 0) await assertNotForgotten(state)
    const write = lakes
      .patch({})
      .set({ edition: EDITION })
      .where((item, { notExists, lt }) => `${notExists(item.edition)} OR ${lt(item.edition, EDITION)}`)
    await conditionHeld(write.go())
  }

  async function shard(name: string): Promise<ShardState> {
    const { data } = await orUnavailable(shards.get({ shard: name }).go({ consistent: true }))
    return toShardState(data ?? { shard: name })
  }

  return {
    lake,
    shard,
    async shards() {
      const { data } = await orUnavailable(shards.query.main({}).go({ consistent: true, pages: 'all' }))
      return data.filter(({ expires_at }) => expires_at === undefined).map(toShardState)
    },
    async addShard(name) {
      if (await conditionHeld(shards.create({ shard: name }).go())) return
      const write = shards.patch({ shard: name }).remove(['expires_at'])
      await conditionHeld(write.where((item, { exists }) => exists(item.expires_at)).go())
    },
    retireShard(name, highWater, expiresAt) {
      const write = shards
        .patch({ shard: name })
        .set({ expires_at: Math.ceil(expiresAt / 1_000) })
        .remove(['epoch'])
        .where((item, { notExists, eq }) => {
          const isSame = highWater === null ? notExists(item.highWater) : eq(item.highWater, highWater)
          return `${notExists(item.claimFirst)} AND ${isSame}`
        })
      return conditionHeld(write.go())
    },
    noteGone(name, highWater, goneEpoch) {
      const write = shards
        .patch({ shard: name })
        .set({ goneEpoch })
        .where((item, { notExists, eq }) => {
          const isSame = highWater === null ? notExists(item.highWater) : eq(item.highWater, highWater)
          return `${notExists(item.claimFirst)} AND ${notExists(item.goneEpoch)} AND ${isSame}`
        })
      return conditionHeld(write.go())
    },
    joinEpoch(name, epoch) {
      const write = shards
        .patch({ shard: name })
        .set({ epoch })
        .where(
          (item, { notExists, lt }) =>
            `${notExists(item.expires_at)} AND (${notExists(item.epoch)} OR ${lt(item.epoch, epoch)})`,
        )
      return conditionHeld(write.go())
    },
    claim(name, { first, last, epoch }, highWater, now) {
      const write = shards
        .patch({ shard: name })
        .set({ claimFirst: first, claimLast: last, claimEpoch: epoch, claimedAt: now })
        .remove(['goneEpoch'])
        .where((item, { notExists, eq }) => `${notExists(item.claimFirst)} AND ${eq(item.epoch, epoch)}`)
        .where((item, { notExists, eq }) =>
          highWater === null ? notExists(item.highWater) : eq(item.highWater, highWater),
        )
      return conditionHeld(write.go())
    },
    commit(name, { first, last, epoch }) {
      const write = shards
        .patch({ shard: name })
        .set({ highWater: last })
        .remove(['claimFirst', 'claimLast', 'claimEpoch', 'claimedAt'])
        .where(
          (item, { eq }) =>
            `${eq(item.claimFirst, first)} AND ${eq(item.claimLast, last)} AND ${eq(item.claimEpoch, epoch)}`,
        )
      return conditionHeld(write.go())
    },
    noteArrivalAhead(name, arrivalAhead) {
      const write = shards
        .patch({ shard: name })
        .set({ arrivalAhead })
        .where(
          (item, { notExists, lt }) =>
            `${notExists(item.arrivalAhead)} OR ${lt(item.arrivalAhead, arrivalAhead)}`,
        )
      return conditionHeld(write.go())
    },

    async lease(now, until) {
      await lake()
      const write = lakes
        .patch({})
        .add({ fence: 1 })
        .set({ leaseUntil: until })
        // A lease that ends later than this one would is of a clock that was ahead.
        .where((item, { lte, gt }) => `${lte(item.leaseUntil, now)} OR ${gt(item.leaseUntil, until)}`)
        .go({ response: 'all_new' })
      return (await conditionHeld(write)) ? ((await write).data.fence ?? null) : null
    },
    release(fence) {
      const write = lakes.patch({}).set({ leaseUntil: 0 })
      return conditionHeld(write.where((item, { eq }) => eq(item.fence, fence)).go())
    },
    async openEpoch(fence, from, now) {
      const { epochTimes } = await lake()
      const last = epochTimes.at(-1)
      const isTimeDue = last === undefined || now - last.at >= EPOCH_TIME_INTERVAL_MS
      const addedTimes = isTimeDue ? [{ epoch: from + 1, at: now }] : []
      // Only the holder of the fence changes epochTimes, and it does so sequentially, so they are still as
      // read above.
      const write = lakes
        .patch({})
        .set({
          epoch: from + 1,
          epochOpenedAt: now,
          epochTimes: [...epochTimes, ...addedTimes].slice(-EPOCH_TIMES),
        })
        .where((item, { eq }) => `${eq(item.fence, fence)} AND ${eq(item.epoch, from)}`)
      return conditionHeld(write.go())
    },
    ...createManifestStore(createManifestItems(manifestPointers(state), objects)),

    beginJob(job, now, staleBefore) {
      const write = jobs.upsert({ job, sentAt: now, expires_at: Math.ceil((now + JOB_TTL_MS) / 1000) }).where(
        (item, { notExists, lt, gt }) =>
          // A clock that was ahead has noted a time to come.
          `${notExists(item.sentAt)} OR ${lt(item.sentAt, staleBefore)} OR ${gt(item.sentAt, now)}`,
      )
      return conditionHeld(write.go())
    },
    async finishJob(job) {
      await orUnavailable(jobs.upsert({ job, finished: true }).go())
    },
    async jobFinished(job) {
      const { data } = await orUnavailable(jobs.get({ job }).go({ consistent: true }))
      return data?.finished ?? false
    },
    ...createSweepStore(state),
  }
}

type ShardItem = {
  shard: string
  highWater?: string
  epoch?: number
  claimFirst?: string
  claimLast?: string
  claimEpoch?: number
  claimedAt?: number
  arrivalAhead?: number
  goneEpoch?: number
}

function toShardState(item: ShardItem): ShardState {
  const { shard, highWater, epoch, claimFirst: first, claimLast: last, claimEpoch } = item
  const { arrivalAhead, goneEpoch } = item
  const claim: Claim | null =
    first === undefined || last === undefined || claimEpoch === undefined
      ? null
      : { first, last, epoch: claimEpoch }
  const claimedAt = item.claimedAt ?? null
  const noted = {
    ...(arrivalAhead !== undefined && { arrivalAhead }),
    ...(goneEpoch !== undefined && { goneEpoch }),
  }
  return { shard, highWater: highWater ?? null, epoch: epoch ?? null, claim, claimedAt, ...noted }
}

function toLakeState(item: LakeState): LakeState {
  const { epoch, fence, leaseUntil, epochOpenedAt, epochTimes } = item
  return { epoch, fence, leaseUntil, epochOpenedAt, epochTimes }
}

function lakeEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'lake', version: '1' },
      attributes: {
        /** Absent in tables of versions that had no number (edition.ts). */
        edition: { type: 'number' },
        epoch: { type: 'number', required: true, default: 1 },
        fence: { type: 'number', required: true, default: 0 },
        leaseUntil: { type: 'number', required: true, default: 0 },
        epochOpenedAt: { type: 'number', required: true, default: 0 },
        epochTimes: {
          type: 'list',
          required: true,
          default: [],
          items: {
            type: 'map',
            properties: {
              epoch: { type: 'number', required: true },
              at: { type: 'number', required: true },
            },
          },
        },
      },
      indexes: primaryIndex({ pk: [], sk: [] }),
    },
    { client, table },
  )
}

/** All shards have the same partition key, so one query lists them. */
function shardEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'shard', version: '1' },
      attributes: {
        shard: { type: 'string', required: true },
        highWater: { type: 'string' },
        epoch: { type: 'number' },
        claimFirst: { type: 'string' },
        claimLast: { type: 'string' },
        claimEpoch: { type: 'number' },
        claimedAt: { type: 'number' },
        arrivalAhead: { type: 'number' },
        goneEpoch: { type: 'number' },
        // Of a retired shard.
        expires_at: { type: 'number' },
      },
      indexes: primaryIndex({ pk: [], sk: ['shard'] }),
    },
    { client, table },
  )
}

function jobEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'lakejob', version: '1' },
      attributes: {
        job: { type: 'string', required: true },
        sentAt: { type: 'number' },
        finished: { type: 'boolean' },
        expires_at: { type: 'number' },
      },
      indexes: primaryIndex({ pk: ['job'], sk: [] }),
    },
    { client, table },
  )
}
