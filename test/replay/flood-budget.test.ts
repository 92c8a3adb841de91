import { expect, test } from 'vitest'
import { createFloodBudget } from '#replay/recorder/flood-budget'

function openBudget() {
  let now = 0
  const budget = createFloodBudget({ burstBytes: 1000, bytesPerSecond: 100 }, () => now)
  return { ...budget, wait: (ms: number) => (now += ms) }
}

test('a burst may use the whole budget, and more waits until it is filled again', () => {
  const { take, msUntilHalf, wait } = openBudget()
  expect([take(600), take(400), take(1)]).toEqual([true, true, false])
  expect(msUntilHalf()).toBe(5000)
  wait(5000)
  expect([msUntilHalf(), take(501), take(500)]).toEqual([0, false, true])
})

test('the budget never holds more than a burst, and a clock that is set back takes nothing away', () => {
  const { take, wait } = openBudget()
  wait(1_000_000)
  expect([take(1001), take(1000)]).toEqual([false, true])
  wait(-5000)
  expect(take(1)).toBe(false)
  wait(1000)
  expect([take(100), take(1)]).toEqual([true, false])
})
