import { expect, test } from 'vitest'
import { simulateSchedules, tooRare } from '#test/simulation/simulate-schedules'
import { repeats, seed } from '#test/support/depth'

const SCHEDULES = repeats(25, { countPerDepth: 100 })

test('in random schedules with restorations on AWS, every accepted event is read exactly once, and none that is erased', {
  timeout: 1_800_000,
}, async () => {
  const report = await simulateSchedules(SCHEDULES, seed, { turns: 1_500, restorations: true })
  expect(
    tooRare(report, SCHEDULES, {
      restorations: 2.8,
      lostTables: 1.4,
      undeleted: 0,
      bucketFailures: 80,
      restored: 1.5,
      crashes: 3,
      reads: 5,
      epochsClosed: 3,
      merges: 0,
      retries: 4,
      replacements: 1.5,
      reshards: 3,
      erasures: 1.5,
      rewrites: 0.4,
      hotSlices: 3,
      oldItems: 1,
    }),
  ).toEqual({})
})
