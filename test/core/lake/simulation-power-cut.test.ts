import { expect, test } from 'vitest'
import { simulateMany } from '#test/support/simulate-many'

test('nor is one lost or doubled when power cuts put the state back, in 4,000 random schedules', {
  timeout: 600_000,
}, async () => {
  const done = await simulateMany(4_000, { powerCuts: true })
  expect(done.powerCuts).toBeGreaterThan(7_000)
  expect(done.epochsClosed).toBeGreaterThan(10_000)
  expect(done.epochsRolled).toBeGreaterThan(200)
})
