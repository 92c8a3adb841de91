import { expect, test } from 'vitest'
import { simulateMany } from '#test/support/simulate-many'

// A failing seed is in the error's message; `FOOTFALL_SEED=n npx vitest run test/core/lake/simulation.test.ts` starts there.
test('every accepted event is read exactly once at every step of 6,000 random schedules', {
  timeout: 600_000,
}, async () => {
  const done = await simulateMany(6_000, {})
  // The schedules must reach what they are for: about half of what they do.
  expect(done.crashes).toBeGreaterThan(12_000)
  expect(done.reads).toBeGreaterThan(15_000)
  expect(done.epochsClosed).toBeGreaterThan(15_000)
  expect(done.epochsRolled).toBeGreaterThan(2_500)
  expect(done.reshards).toBeGreaterThan(20_000)
})
