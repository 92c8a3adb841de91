import { beforeEach, describe, expect, test } from 'vitest'
import { emptyManifest } from '#core/lake/model/manifest'
import { EPOCH_TIME_INTERVAL_MS, EPOCH_TIMES, type LakeStateStore } from '#core/lake/model/state'
import { newSweep, segmentsSweep } from '#core/lake/model/sweep'
import { BUCKETS } from '#schemas/columns'

const CLAIM = { first: '11', last: '19', epoch: 1 }
const NOW = 1_795_000_000_000

/** Tests the rules of LakeStateStore on one implementation. Each call of `openStore` returns an empty one. */
export function lakeStateContract(name: string, openStore: () => Promise<LakeStateStore>): void {
  describe(`${name} as the lake’s state`, () => {
    let store: LakeStateStore
    beforeEach(async () => {
      store = await openStore()
    })

    /** Adds a shard and lets it join epoch 1. */
    async function joinFirstEpoch(shard: string): Promise<void> {
      await store.addShard(shard)
      await store.joinEpoch(shard, 1)
    }

    async function takeLease(): Promise<number> {
      const fence = await store.lease(1_000, 2_000)
      if (fence === null) throw new Error('Another holder has the lease.')
      return fence
    }

    describe('shards', () => {
      test('a shard that was never added has no high water, epoch or claim', async () => {
        expect(await store.shard('s')).toEqual({
          shard: 's',
          highWater: null,
          epoch: null,
          claim: null,
          claimedAt: null,
        })
        expect(await store.shards()).toEqual([])
      })

      test('a second addShard changes nothing', async () => {
        await joinFirstEpoch('s')
        await store.addShard('s')
        expect(await store.shards()).toEqual([
          { shard: 's', highWater: null, epoch: 1, claim: null, claimedAt: null },
        ])
      })

      test('names that differ in case or have dashes and slashes are different shards', async () => {
        for (const shard of ['shardId-000000000001', 'shardid-000000000001', 'a/b'])
          await store.addShard(shard)
        const names = (await store.shards()).map(({ shard }) => shard)
        expect(names.toSorted()).toEqual(['a/b', 'shardId-000000000001', 'shardid-000000000001'])
      })

      test('joinEpoch raises the epoch of an existing shard, and never lowers it', async () => {
        expect(await store.joinEpoch('s', 1)).toBe(false)
        await store.addShard('s')
        expect(await store.joinEpoch('s', 3)).toBe(true)
        expect(await store.joinEpoch('s', 3)).toBe(false)
        expect(await store.joinEpoch('s', 2)).toBe(false)
        expect((await store.shard('s')).epoch).toBe(3)
      })
    })

    describe('a retired shard', () => {
      const retire = async (highWater: string | null) => store.retireShard('s', highWater, NOW + 1_000)

      test('is not listed, has no epoch, and keeps its highWater', async () => {
        await joinFirstEpoch('s')
        await joinFirstEpoch('t')
        await store.claim('s', CLAIM, null, NOW)
        await store.commit('s', CLAIM)
        expect(await retire(CLAIM.last)).toBe(true)
        expect((await store.shards()).map(({ shard }) => shard)).toEqual(['t'])
        expect(await store.shard('s')).toMatchObject({ epoch: null, highWater: CLAIM.last, claim: null })
      })

      test('joins no epoch and opens no claim, until it is added again', async () => {
        await joinFirstEpoch('s')
        await retire(null)
        expect(await store.joinEpoch('s', 2)).toBe(false)
        expect(await store.claim('s', CLAIM, null, NOW)).toBe(false)
        await store.addShard('s')
        expect((await store.shards()).map(({ shard, epoch }) => [shard, epoch])).toEqual([['s', null]])
        expect(await store.joinEpoch('s', 2)).toBe(true)
      })

      test('must have no open claim and the given highWater', async () => {
        await joinFirstEpoch('s')
        expect([await retire('5'), await store.retireShard('none', null, NOW)]).toEqual([false, false])
        await store.claim('s', CLAIM, null, NOW)
        expect(await retire(null)).toBe(false)
        expect((await store.shards()).map(({ epoch }) => epoch)).toEqual([1])
      })
    })

    test('the first epoch in which a shard was missed stays noted until its next claim', async () => {
      const gone = async () => (await store.shards()).map(({ goneEpoch }) => goneEpoch)
      expect(await store.noteGone('s', null, 3)).toBe(false)
      await joinFirstEpoch('s')
      expect(await store.noteGone('s', '5', 3)).toBe(false)
      expect(await store.noteGone('s', null, 3)).toBe(true)
      expect(await store.noteGone('s', null, 4)).toBe(false)
      expect(await gone()).toEqual([3])
      await store.claim('s', CLAIM, null, NOW)
      expect(await store.noteGone('s', null, 4)).toBe(false)
      await store.commit('s', CLAIM)
      expect(await gone()).toEqual([undefined])
    })

    test('a sweep is saved by one of two processes, and forgotten with all others', async () => {
      const first = {
        ...newSweep(segmentsSweep(7)),
        version: 1,
        beganAt: NOW,
        after: 'segments/x',
        clearing: 2,
      }
      const hot = { superseded: [{ epoch: 3, at: NOW }], firstHot: 2, firstFile: 2, cleared: 1 }
      expect(await store.sweeps()).toEqual([])
      expect(await store.saveSweep(first)).toBe(true)
      expect(await store.saveSweep({ ...first, after: null })).toBe(false)
      expect(await store.saveSweep({ ...newSweep('hot'), version: 1, hot })).toBe(true)
      expect(await store.saveSweep({ ...first, version: 3 })).toBe(false)
      expect(await store.saveSweep({ ...first, version: 2, cleared: 2 })).toBe(true)
      expect((await store.sweeps()).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
        { ...newSweep('hot'), version: 1, hot },
        { ...first, version: 2, cleared: 2 },
      ])
      await store.forgetSweeps()
      expect(await store.sweeps()).toEqual([])
    })

    test('of the arrivals that are ahead a shard notes the newest one, and a claim leaves it', async () => {
      await joinFirstEpoch('s')
      expect((await store.shard('s')).arrivalAhead).toBeUndefined()
      expect(await store.noteArrivalAhead('s', NOW + 5)).toBe(true)
      expect(await store.noteArrivalAhead('s', NOW + 4)).toBe(false)
      expect(await store.noteArrivalAhead('s', NOW + 6)).toBe(true)
      await store.claim('s', CLAIM, null, NOW)
      await store.commit('s', CLAIM)
      expect((await store.shards()).map(({ arrivalAhead }) => arrivalAhead)).toEqual([NOW + 6])
    })

    describe('claims', () => {
      test('the commit of a claim sets the high water to the last record of the claim', async () => {
        await joinFirstEpoch('s')
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

      test('when two claims are opened at the same time, one succeeds', async () => {
        await joinFirstEpoch('s')
        const other = { first: '11', last: '25', epoch: 1 }
        const outcomes = await Promise.all([
          store.claim('s', CLAIM, null, NOW),
          store.claim('s', other, null, NOW),
        ])
        expect(outcomes.filter(Boolean)).toHaveLength(1)
        expect((await store.shard('s')).claim).toEqual(outcomes[0] ? CLAIM : other)
      })

      test('a claim fails while another one is open', async () => {
        await joinFirstEpoch('s')
        await store.claim('s', CLAIM, null, NOW)
        expect(await store.claim('s', { first: '20', last: '29', epoch: 1 }, null, NOW)).toBe(false)
      })

      test('a claim fails in an epoch that is not the current epoch of the shard', async () => {
        await joinFirstEpoch('s')
        await store.joinEpoch('s', 2)
        expect(await store.claim('s', CLAIM, null, NOW)).toBe(false)
        expect(await store.claim('s', { ...CLAIM, epoch: 3 }, null, NOW)).toBe(false)
      })

      test('a claim fails when its high water is not the current one', async () => {
        await joinFirstEpoch('s')
        await store.claim('s', CLAIM, null, NOW)
        await store.commit('s', CLAIM)
        const next = { first: '20', last: '29', epoch: 1 }
        expect(await store.claim('s', next, null, NOW)).toBe(false)
        expect(await store.claim('s', next, '18', NOW)).toBe(false)
        expect(await store.claim('s', next, '19', NOW)).toBe(true)
      })

      test('a claim fails on an unknown shard', async () => {
        expect(await store.claim('s', CLAIM, null, NOW)).toBe(false)
      })

      test('a commit succeeds once, and only for the open claim', async () => {
        await joinFirstEpoch('s')
        expect(await store.commit('s', CLAIM)).toBe(false)
        await store.claim('s', CLAIM, null, NOW)
        expect(await store.commit('s', { ...CLAIM, last: '20' })).toBe(false)
        expect(await store.commit('s', { ...CLAIM, first: '12' })).toBe(false)
        expect(await store.commit('s', { ...CLAIM, epoch: 2 })).toBe(false)
        const twice = await Promise.all([store.commit('s', CLAIM), store.commit('s', CLAIM)])
        expect(twice.filter(Boolean)).toHaveLength(1)
      })

      test('an open claim keeps its epoch when the shard joins the next epoch', async () => {
        await joinFirstEpoch('s')
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

      test('sequences of 56 digits are stored without loss', async () => {
        await joinFirstEpoch('s')
        const [first, last] = [`4${'9'.repeat(54)}1`, `4${'9'.repeat(54)}2`]
        await store.claim('s', { first, last, epoch: 1 }, null, NOW)
        expect((await store.shard('s')).claim).toEqual({ first, last, epoch: 1 })
      })
    })

    describe('the lease and its fencing token', () => {
      test('the first read creates the state once, also when two readers come at the same time', async () => {
        const [one, other] = await Promise.all([store.lake(), store.lake()])
        expect(one).toEqual({
          epoch: 1,
          fence: 0,
          leaseUntil: 0,
          epochOpenedAt: 0,
          epochTimes: [],
        })
        expect(other).toEqual(one)
      })

      test('when two processes want the lease at the same time, one gets it', async () => {
        const fences = await Promise.all([store.lease(1_000, 2_000), store.lease(1_000, 2_000)])
        expect(fences.filter(fence => fence !== null)).toEqual([1])
      })

      test('a lease is free again when its time has passed, and each holder gets a higher fencing token', async () => {
        const first = await takeLease()
        expect(await store.lease(1_999, 3_000)).toBeNull()
        const second = await store.lease(2_000, 3_000)
        expect(second).toBe(first + 1)
      })

      test('a released lease is free at once, and only its holder can release it', async () => {
        const first = await takeLease()
        expect(await store.release(first)).toBe(true)
        const second = await takeLease()
        expect(await store.release(first)).toBe(false)
        expect((await store.lake()).leaseUntil).toBe(2_000)
        expect(await store.release(second)).toBe(true)
      })

      test('a holder with an old fencing token changes nothing', async () => {
        const stale = await takeLease()
        await store.release(stale)
        const fence = await takeLease()
        await store.openEpoch(fence, 1, 500)
        const before = await store.lake()
        expect(await store.openEpoch(stale, 2, 600)).toBe(false)
        expect(await store.lake()).toEqual(before)
      })
    })

    describe('epochs', () => {
      test('the next epoch is opened once', async () => {
        const fence = await takeLease()
        expect(await store.openEpoch(fence, 1, 500)).toBe(true)
        expect(await store.openEpoch(fence, 1, 600)).toBe(false)
        const { epoch, epochOpenedAt } = await store.lake()
        expect({ epoch, epochOpenedAt }).toEqual({ epoch: 2, epochOpenedAt: 500 })
      })

      test('epochTimes has the first opened epoch, and then one epoch an hour', async () => {
        const fence = await takeLease()
        await store.openEpoch(fence, 1, 500)
        await store.openEpoch(fence, 2, 500 + EPOCH_TIME_INTERVAL_MS - 1)
        await store.openEpoch(fence, 3, 500 + EPOCH_TIME_INTERVAL_MS)
        expect((await store.lake()).epochTimes).toEqual([
          { epoch: 2, at: 500 },
          { epoch: 4, at: 500 + EPOCH_TIME_INTERVAL_MS },
        ])
      })

      test('epochTimes keeps the newest entries only, so the item does not grow for ever', async () => {
        const fence = await takeLease()
        for (let epoch = 1; epoch <= EPOCH_TIMES + 3; epoch++) {
          await store.openEpoch(fence, epoch, epoch * EPOCH_TIME_INTERVAL_MS)
        }
        const { epochTimes } = await store.lake()
        expect(epochTimes).toHaveLength(EPOCH_TIMES)
        expect(epochTimes.at(-1)?.epoch).toBe(EPOCH_TIMES + 4)
      })
    })

    describe('manifests', () => {
      const segment = {
        ...{ from: 1, until: 2, generation: 3, parts: 4, rows: 5, bytes: 6 },
        ...{
          firstAt: 1_795_000_000_007,
          lastAt: 1_795_000_000_008,
          lastArrival: 1_795_000_009,
          eventIds: 10,
          erased: 11,
          knowsSplit: true,
          knowsSources: true,
        },
      }
      const manifest = {
        bucket: 7,
        version: 1,
        compacted: 2,
        segments: [segment],
        retired: [{ ...segment, retiredAt: 1_795_000_000_011 }],
        tombstones: [
          {
            ...{ number: 12, first: 11, writer: '1795000000012-0123abcd', rows: 3 },
            ...{ oldestUntil: null, newestUntil: 1_795_000_009, projects: ['proj_1'] },
            ...{
              createdAt: 1_795_000_000_012,
              lastEpoch: null,
              hotUntil: 3,
              doneAt: null,
              removed: { events: 1, files: 2 },
            },
          },
        ],
        tombstoneCount: 13,
        round: { at: 1_795_000_000_013, number: 12 },
      }

      test('a bucket that was never compacted has an empty manifest', async () => {
        expect(await store.manifest(7)).toEqual(emptyManifest(7))
        expect(await store.manifests()).toEqual(Array.from({ length: BUCKETS }, (_, i) => emptyManifest(i)))
      })

      test('a saved manifest is read with all its segments, alone and among all', async () => {
        await store.saveManifest(manifest)
        await store.saveManifest({ ...emptyManifest(63), version: 1 })
        expect(await store.manifest(7)).toEqual(manifest)
        const manifests = await store.manifests()
        expect([manifests[7], manifests[63]]).toEqual([manifest, { ...emptyManifest(63), version: 1 }])
      })

      test('when two changes come at the same time, one is saved and the other is refused', async () => {
        const outcomes = await Promise.all([
          store.saveManifest(manifest),
          store.saveManifest({ ...manifest, compacted: 9 }),
        ])
        expect(outcomes.filter(Boolean)).toHaveLength(1)
        expect(await store.saveManifest({ ...manifest, version: 3 })).toBe(false)
        expect(await store.saveManifest({ ...manifest, version: 2, compacted: 3 })).toBe(true)
        expect((await store.manifest(7)).compacted).toBe(3)
        expect(await store.saveManifest({ ...manifest, version: 2 })).toBe(false)
      })

      test('a manifest of a thousand segments fits into its item', async () => {
        const segments = Array.from({ length: 1_000 }, (_, i) => ({ ...segment, from: i, until: i + 1 }))
        expect(await store.saveManifest({ ...manifest, segments })).toBe(true)
        expect((await store.manifest(7)).segments).toHaveLength(1_000)
      })
    })

    describe('skipped epochs', () => {
      const compacted = async () => (await store.manifests()).map(manifest => manifest.compacted)

      test('a bucket that skips its next epochs has a later watermark, and other buckets keep theirs', async () => {
        await store.saveManifest({ ...emptyManifest(7), version: 1, compacted: 4 })
        await store.skipEpoch(1, [8, 9])
        await store.skipEpoch(2, [8])
        await store.skipEpoch(4, [7])
        expect((await compacted()).slice(6, 11)).toEqual([1, 5, 3, 2, 1])
        expect(await store.manifest(7)).toEqual({ ...emptyManifest(7), version: 1, compacted: 5 })
      })

      test('a skip that comes late or twice moves no watermark', async () => {
        for (const epoch of [1, 2, 1]) await store.skipEpoch(epoch, [7])
        expect((await store.manifest(7)).compacted).toBe(3)
        await store.saveManifest({ ...emptyManifest(7), version: 1, compacted: 9 })
        await store.skipEpoch(3, [7])
        expect((await store.manifest(7)).compacted).toBe(9)
      })

      test('when workers skip epochs of other buckets at the same time, all are kept', async () => {
        await Promise.all([store.skipEpoch(1, [1, 2]), store.skipEpoch(1, [3]), store.skipEpoch(1, [2, 4])])
        expect((await compacted()).slice(0, 6)).toEqual([1, 2, 2, 2, 2, 1])
      })

      test('the next change of a manifest saves its watermark with it', async () => {
        await store.skipEpoch(1, [7])
        await store.saveManifest({ ...(await store.manifest(7)), version: 1 })
        await store.forgetSkippedEpochs()
        expect((await store.manifest(7)).compacted).toBe(2)
      })

      test('saved watermarks stay when the skipped epochs are forgotten, and others go back', async () => {
        await store.skipEpoch(1, [7, 8])
        expect((await store.saveSkippedEpochs()).map(manifest => manifest.compacted)).toEqual(
          await compacted(),
        )
        await store.skipEpoch(2, [7])
        await store.forgetSkippedEpochs()
        expect((await compacted()).slice(6, 10)).toEqual([1, 2, 2, 1])
      })

      test('a bucket that skips an epoch again, after its skipped epochs were lost, goes on', async () => {
        await store.skipEpoch(1, [7])
        await store.forgetSkippedEpochs()
        await store.skipEpoch(2, [7])
        expect((await store.manifest(7)).compacted).toBe(1)
        await store.skipEpoch(1, [7])
        expect((await store.manifest(7)).compacted).toBe(3)
      })
    })

    describe('jobs', () => {
      test('a job begins once, and again only when the previous begin is old enough', async () => {
        const results = await Promise.all([
          store.beginJob('merge/7/1-4', 1_000, 500),
          store.beginJob('merge/7/1-4', 1_000, 500),
        ])
        expect(results.filter(Boolean)).toHaveLength(1)
        expect(await store.beginJob('merge/7/1-4', 2_000, 1_000)).toBe(false)
        expect(await store.beginJob('merge/7/1-4', 2_000, 1_001)).toBe(true)
        expect(await store.beginJob('merge/8/1-4', 2_000, 1_001)).toBe(true)
      })

      test('a finished job stays finished, also when it begins again or never began', async () => {
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
