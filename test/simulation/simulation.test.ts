import { expect, test } from 'vitest'
import { repeats, seed } from '#test/support/depth'
import { simulateSchedules } from './simulate-schedules.ts'

const SCHEDULES = repeats(50, { countPerDepth: 100 })

test('in random schedules every accepted event is read exactly once at every step', {
  timeout: 1_800_000,
}, async () => {
  const report = await simulateSchedules(SCHEDULES, seed)
  // The schedules must reach the states that they are meant to test. The bounds are about half of the usual
  // figures, and lower for merges: 17 of 100 schedules with the seed 101 had one.
  expect(report.crashes / SCHEDULES).toBeGreaterThan(2)
  expect(report.reads / SCHEDULES).toBeGreaterThan(2.5)
  expect(report.epochsClosed / SCHEDULES).toBeGreaterThan(2.5)
  expect(report.merges / SCHEDULES).toBeGreaterThan(0.1)
  expect(report.skips / SCHEDULES).toBeGreaterThan(1)
  expect(report.retries / SCHEDULES).toBeGreaterThan(3)
  expect(report.lostAnswers / SCHEDULES).toBeGreaterThan(1)
  expect(report.replacements / SCHEDULES).toBeGreaterThan(0.5)
  expect(report.exchanges).toBeGreaterThan(0)
  expect(report.failures / SCHEDULES).toBeGreaterThan(0.2)
  expect(report.reshards / SCHEDULES).toBeGreaterThan(3)
  expect(report.erasures / SCHEDULES).toBeGreaterThan(1)
  expect(report.rewrites / SCHEDULES).toBeGreaterThan(0.3)
})
