import { expect, test } from 'vitest'
import { repeats, seed } from '#test/support/depth'
import { simulateSchedules } from '#test/support/simulate-schedules'

const SCHEDULES = repeats(600)

test('in random schedules every accepted event is read exactly once at every step', {
  timeout: 1_800_000,
}, async () => {
  const report = await simulateSchedules(SCHEDULES, seed)
  // The schedules must reach the states that they are meant to test. The bounds are about half of the usual figures.
  expect(report.crashes / SCHEDULES).toBeGreaterThan(2)
  expect(report.reads / SCHEDULES).toBeGreaterThan(2.5)
  expect(report.epochsClosed / SCHEDULES).toBeGreaterThan(2.5)
  expect(report.epochsCompactedToCold / SCHEDULES).toBeGreaterThan(0.4)
  expect(report.reshards / SCHEDULES).toBeGreaterThan(3)
})
