import { expect, test } from 'vitest'
import { simulateSchedules, tooRare } from '#test/simulation/simulate-schedules'
import { repeats, seed } from '#test/support/depth'

const SCHEDULES = repeats(50, { countPerDepth: 100 })

test('in random schedules with power cuts that set the state back, every accepted event is read exactly once, and none that is erased', {
  timeout: 1_800_000,
}, async () => {
  const report = await simulateSchedules(SCHEDULES, seed, { turns: 1_500, powerCuts: true })
  expect(
    tooRare(report, SCHEDULES, {
      powerCuts: 1.7,
      epochsClosed: 2.5,
      merges: 0.02,
      retries: 3,
      lostAnswers: 1.3,
      failures: 0.2,
      bucketFailures: 45,
      oldItems: 1,
      restored: 0.3,
      erasures: 1,
      rewrites: 0.1,
      oldStates: 0.4,
    }),
  ).toEqual({})
})
