import { expect, test } from 'vitest'
import { liftInterval } from '#core/experiments/lift-interval'

/**
 * Draws from Beta(a, b) with whole a and b: the a-th smallest of a + b - 1 uniform numbers. Seeded, so that
 * the test is stable.
 */
function betaDraws(conversions: number, users: number, count: number, seed: number): number[] {
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  const uniforms = new Float64Array(users + 1)
  return Array.from({ length: count }, () => {
    for (let i = 0; i < uniforms.length; i++) uniforms[i] = random()
    return uniforms.sort()[conversions] ?? 1
  })
}

test.each([
  [480, 48, 490, 72],
  [100, 3, 120, 9],
  [150, 140, 150, 120],
])(
  'of %d users with %d conversions against %d with %d, 95 percent of simulated lifts are in the interval',
  (baseUsers, baseConversions, users, conversions) => {
    const rates = betaDraws(conversions, users, 8_000, 7)
    const baseRates = betaDraws(baseConversions, baseUsers, 8_000, 99)
    const lifts = rates.map((rate, i) => rate / (baseRates[i] ?? 1) - 1)
    const [low, high] = liftInterval(
      { users, conversions },
      { users: baseUsers, conversions: baseConversions },
      0.95,
    )
    const part = (isOut: (lift: number) => boolean) => lifts.filter(isOut).length / lifts.length
    expect(part(lift => lift < low)).toBeCloseTo(0.025, 2)
    expect(part(lift => lift > high)).toBeCloseTo(0.025, 2)
  },
)

test('equal variants have an interval around 0, and more users make it narrower', () => {
  const widths = [100, 10_000, 1_000_000].map(users => {
    const outcome = { users, conversions: users / 10 }
    const [low, high] = liftInterval(outcome, outcome, 0.95)
    expect([low < 0, high > 0]).toEqual([true, true])
    return high - low
  })
  expect(widths).toEqual(widths.toSorted((a, b) => b - a))
})

test('without any user the interval is wide, and its ends are finite', () => {
  const [low, high] = liftInterval({ users: 0, conversions: 0 }, { users: 0, conversions: 0 }, 0.95)
  expect(low).toBeGreaterThan(-1)
  expect(low).toBeLessThan(-0.9)
  expect(high).toBeLessThan(100)
})

test('a higher probability makes the interval wider, by the quantiles of the normal distribution for many users', () => {
  const [base, variant] = [
    { users: 200_000, conversions: 20_000 },
    { users: 200_000, conversions: 20_400 },
  ]
  const widthOf = (probability: number) => {
    const [low, high] = liftInterval(variant, base, probability)
    return high - low
  }
  expect(widthOf(0.997) / widthOf(0.95)).toBeCloseTo(2.968 / 1.96, 1)
  expect(widthOf(0.999) / widthOf(0.95)).toBeCloseTo(3.29 / 1.96, 1)
})
