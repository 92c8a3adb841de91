import { expect, test } from 'vitest'
import { simulateMany } from '#test/support/simulate-many'

// A failing seed is in the error's message; `FOOTFALL_SEED=n npx vitest run test/core/lake/simulation.test.ts` starts there.
test('every accepted event is read exactly once at every step of 6,000 random schedules', {
  timeout: 600_000,
}, async () => {
  const done = await simulateMany(6_000, {})
  // The schedules must reach what they are for.
  expect(done.crashes).toBeGreaterThan(6_000)
  expect(done.reads).toBeGreaterThan(3_000)
  expect(done.epochs).toBeGreaterThan(20_000)
  expect(done.rolls).toBeGreaterThan(3_000)
  expect(done.reshards).toBeGreaterThan(3_000)
})
