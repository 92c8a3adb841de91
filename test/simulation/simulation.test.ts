import { expect, test } from 'vitest'
import { repeats, seed } from '#test/support/depth'
import { simulateSchedules, tooRare } from './simulate-schedules.ts'

const SCHEDULES = repeats(50, { countPerDepth: 100 })

test('in random schedules every accepted event is read exactly once at every step', {
  timeout: 1_800_000,
}, async () => {
  const report = await simulateSchedules(SCHEDULES, seed)
  expect(
    tooRare(report, SCHEDULES, {
      crashes: 2,
      reads: 2.5,
      epochsClosed: 2.5,
      // Lower: 17 of 100 schedules with the seed 101 had one.
      merges: 0.1,
      skips: 1,
      retries: 3,
      lostAnswers: 1,
      replacements: 0.5,
      exchanges: 0,
      failures: 0.2,
      bucketFailures: 40,
      reshards: 3,
      retiredShards: 0.5,
      erasures: 1,
      rewrites: 0.3,
      hotSlices: 0.8,
      standstills: 0.2,
      oldItems: 1,
    }),
  ).toEqual({})
})
