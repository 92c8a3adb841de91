import { expect, test } from 'vitest'
import { lakeGauges, waitingEpochs } from '#core/lake/model/gauges'

const NOW = 1_795_248_000_000
const MINUTE = 60_000
const claim = { first: '1', last: '2', epoch: 4 }
const lake = { epoch: 4, epochOpenedAt: NOW - 7 * MINUTE, epochTimes: [] }
const manifests = [
  { compacted: 4, bytes: 300 },
  { compacted: 4, bytes: 20 },
]

test('without open claims and waiting epochs both ages are 0, and the newest epoch and the largest manifest are reported', () => {
  const shards = [{ claim: null, claimedAt: null }]
  expect(lakeGauges({ lake, shards, manifests }, NOW)).toEqual({
    ClaimAgeSeconds: 0,
    CompactionLagSeconds: 0,
    ManifestBytes: 300,
    Epoch: 4,
  })
})

test('the claim age is that of the oldest open claim of all shards', () => {
  const shards = [
    { claim, claimedAt: NOW - MINUTE },
    { claim, claimedAt: NOW - 5 * MINUTE },
    { claim: null, claimedAt: null },
  ]
  expect(lakeGauges({ lake, shards, manifests }, NOW).ClaimAgeSeconds).toBe(300)
})

test('the claim age is 0 if the claim was opened by a clock that is ahead', () => {
  const shards = [{ claim, claimedAt: NOW + MINUTE }]
  expect(lakeGauges({ lake, shards, manifests }, NOW).ClaimAgeSeconds).toBe(0)
})

test('the compaction lag is that of the bucket that is most behind', () => {
  const behind = [
    { compacted: 4, bytes: 1 },
    { compacted: 3, bytes: 1 },
  ]
  expect(lakeGauges({ lake, shards: [], manifests: behind }, NOW).CompactionLagSeconds).toBe(420)
})

test('if several epochs wait, the compaction lag begins at the epoch time that follows the oldest one', () => {
  const epochTimes = [
    { epoch: 1, at: NOW - 200 * MINUTE },
    { epoch: 3, at: NOW - 120 * MINUTE },
    { epoch: 9, at: NOW - 60 * MINUTE },
  ]
  const lagOf = (compacted: number) =>
    lakeGauges(
      { lake: { ...lake, epoch: 12, epochTimes }, shards: [], manifests: [{ compacted, bytes: 1 }] },
      NOW,
    ).CompactionLagSeconds
  expect(lagOf(2)).toBe(120 * 60)
  expect(lagOf(10)).toBe(420)
})

test.each([
  { compacted: [4, 4], waiting: 0 },
  { compacted: [4, 2], waiting: 2 },
  { compacted: [5, 5], waiting: 0 },
])(
  'with epoch 4 and buckets that compacted the epochs below $compacted, $waiting epochs wait',
  ({ compacted, waiting }) => {
    expect(
      waitingEpochs(
        lake,
        compacted.map(each => ({ compacted: each })),
      ),
    ).toBe(waiting)
  },
)
