import { beforeEach, describe, expect, test } from 'vitest'
import { EPOCH_TIME_INTERVAL_MS, type LakeStateStore } from '#core/lake/state'

const CLAIM = { first: '11', last: '19', epoch: 1 }
const NOW = 1_795_000_000_000

/** What every LakeStateStore promises. `makeStore` gives an empty one each time. */
export function lakeStateContract(name: string, makeStore: () => Promise<LakeStateStore>): void {
  describe(`the lake's state in ${name}`, () => {
    let store: LakeStateStore
    beforeEach(async () => {
      store = await makeStore()
    })

    /** A shard that takes part in epoch 1. */
    async function joined(shard: string): Promise<void> {
      await store.addShard(shard)
      await store.joinEpoch(shard, 1)
    }

    async function leased(): Promise<number> {
      const fence = await store.lease(1_000, 2_000)
      if (fence === null) throw new Error('the lease is held')
      return fence
    }

    describe('shards', () => {
      test('a shard that nobody has added is unread', async () => {
        expect(await store.shard('s')).toEqual({
          shard: 's',
          highWater: null,
          epoch: null,
          claim: null,
          claimedAt: null,
        })
        expect(await store.shards()).toEqual([])
      })

      test('adding a shard again changes nothing', async () => {
        await joined('s')
        await store.addShard('s')
        expect(await store.shards()).toEqual([
          { shard: 's', highWater: null, epoch: 1, claim: null, claimedAt: null },
        ])
      })

      test('names with dashes, slashes and capitals stay apart', async () => {
        for (const shard of ['shardId-000000000001', 'shardid-000000000001', 'a/b'])
          await store.addShard(shard)
        const names = (await store.shards()).map(({ shard }) => shard)
        expect(names.toSorted()).toEqual(['a/b', 'shardId-000000000001', 'shardid-000000000001'])
      })

      test('the epoch of a shard is only ever raised, and only where the shard is there', async () => {
        expect(await store.joinEpoch('s', 1)).toBe(false)
        await store.addShard('s')
        expect(await store.joinEpoch('s', 3)).toBe(true)
        expect(await store.joinEpoch('s', 3)).toBe(false)
        expect(await store.joinEpoch('s', 2)).toBe(false)
        expect((await store.shard('s')).epoch).toBe(3)
      })
    })

    describe('claims', () => {
      test('a claim is opened, and its commit moves highWater to its last record', async () => {
        await joined('s')
        expect(await store.claim('s', CLAIM, null, NOW)).toBe(true)
        expect(await store.shard('s')).toEqual({
          shard: 's',
          highWater: null,
          epoch: 1,
          claim: CLAIM,
          claimedAt: NOW,
        })
        expect(await store.commit('s', CLAIM)).toBe(true)
        expect(await store.shard('s')).toEqual({
          shard: 's',
          highWater: '19',
          epoch: 1,
          claim: null,
          claimedAt: null,
        })
      })

      test('of two claims at once one holds', async () => {
        await joined('s')
        const other = { first: '11', last: '25', epoch: 1 }
        const outcomes = await Promise.all([
          store.claim('s', CLAIM, null, NOW),
          store.claim('s', other, null, NOW),
        ])
        expect(outcomes.filter(Boolean)).toHaveLength(1)
        expect((await store.shard('s')).claim).toEqual(outcomes[0] ? CLAIM : other)
      })

      test('no claim is opened while one is open', async () => {
        await joined('s')
        await store.claim('s', CLAIM, null, NOW)
        expect(await store.claim('s', { first: '20', last: '29', epoch: 1 }, null, NOW)).toBe(false)
      })

      test('no claim is opened in an epoch that the shard has left or not reached', async () => {
        await joined('s')
        await store.joinEpoch('s', 2)
        expect(await store.claim('s', CLAIM, null, NOW)).toBe(false)
        expect(await store.claim('s', { ...CLAIM, epoch: 3 }, null, NOW)).toBe(false)
      })

      test('no claim is opened from a highWater that is not the present one', async () => {
        await joined('s')
        await store.claim('s', CLAIM, null, NOW)
        await store.commit('s', CLAIM)
        const next = { first: '20', last: '29', epoch: 1 }
        expect(await store.claim('s', next, null, NOW)).toBe(false)
        expect(await store.claim('s', next, '18', NOW)).toBe(false)
        expect(await store.claim('s', next, '19', NOW)).toBe(true)
      })

      test('no claim is opened on a shard that is not there', async () => {
        expect(await store.claim('s', CLAIM, null, NOW)).toBe(false)
      })

      test('only the very claim that is open can be committed, and once', async () => {
        await joined('s')
        expect(await store.commit('s', CLAIM)).toBe(false)
        await store.claim('s', CLAIM, null, NOW)
        expect(await store.commit('s', { ...CLAIM, last: '20' })).toBe(false)
        expect(await store.commit('s', { ...CLAIM, first: '12' })).toBe(false)
        expect(await store.commit('s', { ...CLAIM, epoch: 2 })).toBe(false)
        const twice = await Promise.all([store.commit('s', CLAIM), store.commit('s', CLAIM)])
        expect(twice.filter(Boolean)).toHaveLength(1)
      })

      test('a claim stays open, in its epoch, when the shard goes on to the next epoch', async () => {
        await joined('s')
        await store.claim('s', CLAIM, null, NOW)
        await store.joinEpoch('s', 2)
        expect((await store.shard('s')).claim).toEqual(CLAIM)
        expect(await store.commit('s', CLAIM)).toBe(true)
        expect(await store.shard('s')).toEqual({
          shard: 's',
          highWater: '19',
          epoch: 2,
          claim: null,
          claimedAt: null,
        })
      })

      test('sequence numbers of 56 digits are kept as they are', async () => {
        await joined('s')
        const [first, last] = [`4${'9'.repeat(54)}1`, `4${'9'.repeat(54)}2`]
        await store.claim('s', { first, last, epoch: 1 }, null, NOW)
        expect((await store.shard('s')).claim).toEqual({ first, last, epoch: 1 })
      })
    })

    describe('the lease and its fencing token', () => {
      test('the first read makes the state, once, also for two readers at once', async () => {
        const [one, other] = await Promise.all([store.lake(), store.lake()])
        expect(one).toEqual({
          epoch: 1,
          warm: 1,
          cold: 1,
          coldUntil: null,
          fence: 0,
          leaseUntil: 0,
          epochOpenedAt: 0,
          epochTimes: [],
        })
        expect(other).toEqual(one)
      })

      test('of two that want the lease at once one gets it', async () => {
        const fences = await Promise.all([store.lease(1_000, 2_000), store.lease(1_000, 2_000)])
        expect(fences.filter(fence => fence !== null)).toEqual([1])
      })

      test('a held lease is refused until its time is over, and each holder gets a higher token', async () => {
        const first = await leased()
        expect(await store.lease(1_999, 3_000)).toBeNull()
        const second = await store.lease(2_000, 3_000)
        expect(second).toBe(first + 1)
      })

      test('a released lease is free at once; only its holder can release it', async () => {
        const first = await leased()
        expect(await store.release(first)).toBe(true)
        const second = await leased()
        expect(await store.release(first)).toBe(false)
        expect((await store.lake()).leaseUntil).toBe(2_000)
        expect(await store.release(second)).toBe(true)
      })

      test('a stale holder changes nothing', async () => {
        const stale = await leased()
        await store.release(stale)
        const fence = await leased()
        await store.openEpoch(fence, 1, 500)
        const before = await store.lake()
        expect(await store.openEpoch(stale, 2, 600)).toBe(false)
        expect(await store.advanceWarm(stale, 1)).toBe(false)
        expect(await store.planCold(stale, 1, 2)).toBe(false)
        await store.planCold(fence, 1, 2)
        expect(await store.advanceCold(stale, 1, 2)).toBe(false)
        expect(await store.lake()).toEqual({ ...before, coldUntil: 2 })
      })
    })

    describe('epochs and watermarks', () => {
      test('an epoch is opened once from the newest one', async () => {
        const fence = await leased()
        expect(await store.openEpoch(fence, 1, 500)).toBe(true)
        expect(await store.openEpoch(fence, 1, 600)).toBe(false)
        const { epoch, epochOpenedAt } = await store.lake()
        expect({ epoch, epochOpenedAt }).toEqual({ epoch: 2, epochOpenedAt: 500 })
      })

      test('epochTimes are set at the first epoch that is opened, then about once an hour', async () => {
        const fence = await leased()
        await store.openEpoch(fence, 1, 500)
        await store.openEpoch(fence, 2, 500 + EPOCH_TIME_INTERVAL_MS - 1)
        await store.openEpoch(fence, 3, 500 + EPOCH_TIME_INTERVAL_MS)
        expect((await store.lake()).epochTimes).toEqual([
          { epoch: 2, at: 500 },
          { epoch: 4, at: 500 + EPOCH_TIME_INTERVAL_MS },
        ])
      })

      test('W1 goes up by one, from where it is', async () => {
        const fence = await leased()
        expect(await store.advanceWarm(fence, 2)).toBe(false)
        expect(await store.advanceWarm(fence, 1)).toBe(true)
        expect(await store.advanceWarm(fence, 1)).toBe(false)
        expect((await store.lake()).warm).toBe(2)
      })

      test('a roll is fixed once, and W2 goes up only by the roll that was fixed', async () => {
        const fence = await leased()
        expect(await store.advanceCold(fence, 1, 4)).toBe(false)
        expect(await store.planCold(fence, 2, 4)).toBe(false)
        expect(await store.planCold(fence, 1, 4)).toBe(true)
        expect(await store.planCold(fence, 1, 5)).toBe(false)
        expect((await store.lake()).coldUntil).toBe(4)
        expect(await store.advanceCold(fence, 1, 5)).toBe(false)
        expect(await store.advanceCold(fence, 1, 4)).toBe(true)
        const { cold, coldUntil } = await store.lake()
        expect({ cold, coldUntil }).toEqual({ cold: 4, coldUntil: null })
      })

      test('epochTimes of epochs that went cold are dropped, but for those of their neighbours', async () => {
        const fence = await leased()
        for (let epoch = 1; epoch < 36; epoch++) {
          await store.openEpoch(fence, epoch, (epoch - 1) * EPOCH_TIME_INTERVAL_MS)
        }
        await store.planCold(fence, 1, 34)
        await store.advanceCold(fence, 1, 34)
        const { epochTimes } = await store.lake()
        // Epoch 34 was opened 32 hours after the first one.
        expect(epochTimes[0]).toEqual({ epoch: 4, at: 2 * EPOCH_TIME_INTERVAL_MS })
        expect(epochTimes.at(-1)).toEqual({ epoch: 36, at: 34 * EPOCH_TIME_INTERVAL_MS })
      })
    })

    describe('jobs', () => {
      test('a job is begun once, and again only when its sending is stale', async () => {
        const begun = await Promise.all([
          store.beginJob('compact-cold/1-4/7', 1_000, 500),
          store.beginJob('compact-cold/1-4/7', 1_000, 500),
        ])
        expect(begun.filter(Boolean)).toHaveLength(1)
        expect(await store.beginJob('compact-cold/1-4/7', 2_000, 1_000)).toBe(false)
        expect(await store.beginJob('compact-cold/1-4/7', 2_000, 1_001)).toBe(true)
        expect(await store.beginJob('compact-cold/1-4/8', 2_000, 1_001)).toBe(true)
      })

      test('a job is finished for good, also when it is sent again or was never begun', async () => {
        expect(await store.jobFinished('a')).toBe(false)
        await store.beginJob('a', 1_000, 0)
        expect(await store.jobFinished('a')).toBe(false)
        await store.finishJob('a')
        await store.finishJob('a')
        await store.beginJob('a', 3_000, 2_000)
        await store.finishJob('b')
        expect(await store.jobFinished('a')).toBe(true)
        expect(await store.jobFinished('b')).toBe(true)
      })
    })
  })
}
