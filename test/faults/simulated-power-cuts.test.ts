import { expect, test } from 'vitest'
import { simulateSchedules } from '#test/simulation/simulate-schedules'
import { repeats, seed } from '#test/support/depth'

const SCHEDULES = repeats(50, { countPerDepth: 100 })

test('in random schedules with power cuts that set the state back, every accepted event is read exactly once', {
  timeout: 1_800_000,
}, async () => {
  const report = await simulateSchedules(SCHEDULES, seed, { powerCuts: true })
  // The schedules must reach the states that they are meant to test. The bounds are about half of the usual
  // figures.
  expect(report.powerCuts / SCHEDULES).toBeGreaterThan(1.7)
  expect(report.epochsClosed / SCHEDULES).toBeGreaterThan(2.5)
  expect(report.merges / SCHEDULES).toBeGreaterThan(0.04)
  expect(report.retries / SCHEDULES).toBeGreaterThan(3)
  expect(report.lostAnswers / SCHEDULES).toBeGreaterThan(1.3)
  expect(report.failures / SCHEDULES).toBeGreaterThan(0.2)
})
