import { expect, test } from 'vitest'
import { lakeGauges } from '#core/lake/gauges'

const NOW = 1_795_248_000_000
const MINUTE = 60_000
const claim = { first: '1', last: '2', epoch: 4 }
const lake = { epoch: 4, warm: 4, epochOpenedAt: NOW - 7 * MINUTE, epochTimes: [] }

test('without open claims and waiting epochs both ages are 0, and the newest epoch is reported', () => {
  const shards = [{ claim: null, claimedAt: null }]
  expect(lakeGauges({ lake, shards }, NOW)).toEqual({ ClaimAgeSeconds: 0, CompactionLagSeconds: 0, Epoch: 4 })
})

test('the claim age is that of the oldest open claim of all shards', () => {
  const shards = [
    { claim, claimedAt: NOW - MINUTE },
    { claim, claimedAt: NOW - 5 * MINUTE },
    { claim: null, claimedAt: null },
  ]
  expect(lakeGauges({ lake, shards }, NOW).ClaimAgeSeconds).toBe(300)
})

test('the claim age is 0 if the claim was opened by a clock that is ahead', () => {
  const shards = [{ claim, claimedAt: NOW + MINUTE }]
  expect(lakeGauges({ lake, shards }, NOW).ClaimAgeSeconds).toBe(0)
})

test('the compaction lag begins when the only waiting epoch was closed', () => {
  const behind = { ...lake, warm: 3 }
  expect(lakeGauges({ lake: behind, shards: [] }, NOW).CompactionLagSeconds).toBe(420)
})

test('if several epochs wait, the compaction lag begins at the epoch time that follows the oldest one', () => {
  const epochTimes = [
    { epoch: 1, at: NOW - 200 * MINUTE },
    { epoch: 3, at: NOW - 120 * MINUTE },
    { epoch: 9, at: NOW - 60 * MINUTE },
  ]
  const behind = { ...lake, epoch: 12, warm: 2, epochTimes }
  expect(lakeGauges({ lake: behind, shards: [] }, NOW).CompactionLagSeconds).toBe(120 * 60)
  expect(lakeGauges({ lake: { ...behind, warm: 10 }, shards: [] }, NOW).CompactionLagSeconds).toBe(420)
})
