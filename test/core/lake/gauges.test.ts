import { expect, test } from 'vitest'
import { lakeGauges } from '#core/lake/gauges'

const NOW = 1_795_248_000_000
const MINUTE = 60_000
const claim = { first: '1', last: '2', epoch: 4 }
const lake = { epoch: 4, warm: 4, epochOpenedAt: NOW - 7 * MINUTE, epochTimes: [] }

test('a lake in order has no age, and tells its newest epoch', () => {
  const shards = [{ claim: null, claimedAt: null }]
  expect(lakeGauges({ lake, shards }, NOW)).toEqual({ ClaimAgeSeconds: 0, CompactionLagSeconds: 0, Epoch: 4 })
})

test('the oldest open claim of all shards counts', () => {
  const shards = [
    { claim, claimedAt: NOW - MINUTE },
    { claim, claimedAt: NOW - 5 * MINUTE },
    { claim: null, claimedAt: null },
  ]
  expect(lakeGauges({ lake, shards }, NOW).ClaimAgeSeconds).toBe(300)
})

test('a clock that is behind the one that opened a claim makes no negative age', () => {
  const shards = [{ claim, claimedAt: NOW + MINUTE }]
  expect(lakeGauges({ lake, shards }, NOW).ClaimAgeSeconds).toBe(0)
})

test('the lag counts from when the epoch was closed that waits for compaction', () => {
  const behind = { ...lake, warm: 3 }
  expect(lakeGauges({ lake: behind, shards: [] }, NOW).CompactionLagSeconds).toBe(420)
})

test('where several epochs wait the mark after the oldest one stands for when it was closed', () => {
  const epochTimes = [
    { epoch: 1, at: NOW - 200 * MINUTE },
    { epoch: 3, at: NOW - 120 * MINUTE },
    { epoch: 9, at: NOW - 60 * MINUTE },
  ]
  const behind = { ...lake, epoch: 12, warm: 2, epochTimes }
  expect(lakeGauges({ lake: behind, shards: [] }, NOW).CompactionLagSeconds).toBe(120 * 60)
  expect(lakeGauges({ lake: { ...behind, warm: 10 }, shards: [] }, NOW).CompactionLagSeconds).toBe(420)
})
