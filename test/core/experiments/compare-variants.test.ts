import { expect, test } from 'vitest'
import { compareVariants, findBest, type VariantCounts } from '#core/experiments/compare-variants'

const variant = (
  key: string,
  users: number,
  conversions: number,
  exposures = Math.max(users, 100),
): VariantCounts => ({ key, users, conversions, exposures })

test('the documented example: 48 of 480 users is a rate of 0.1, and lifts are 0.47 and -0.32', () => {
  const { variants, lift } = compareVariants([variant('control', 480, 48, 520), variant('blue', 490, 72)])
  expect(variants[0]).toEqual({
    key: 'control',
    exposures: 520,
    unique_users: 480,
    conversions: 48,
    conversion_rate: 0.1,
  })
  expect(lift.blue).toBeCloseTo(0.47, 2)
  expect(lift.control).toBeCloseTo(-0.32, 2)
})

test('the lift of the first variant is that over the best other one', () => {
  const { lift } = compareVariants([variant('a', 100, 20), variant('b', 100, 10), variant('c', 100, 16)])
  expect(lift).toEqual({ a: 0.25, b: -0.5, c: -0.2 })
})

test('the lift is 0 where the baseline has no conversions', () => {
  const { lift } = compareVariants([variant('a', 100, 0), variant('b', 100, 10), variant('c', 0, 0)])
  expect(lift).toEqual({ a: -1, b: 0, c: 0 })
  expect(compareVariants([variant('a', 0, 0, 0), variant('b', 0, 0, 0)]).lift).toEqual({ a: 0, b: 0 })
})

test('a variant without users has the rate 0', () => {
  const { lift, variants } = compareVariants([variant('a', 100, 10), variant('b', 0, 0)])
  expect([variants[1]?.conversion_rate, lift]).toEqual([0, { a: 0, b: -1 }])
})

test('probabilities have three decimals', () => {
  const { probability_best } = compareVariants([
    variant('a', 0, 0),
    variant('b', 0, 0),
    variant('__proto__', 0, 0),
  ])
  expect(Object.entries(probability_best)).toEqual([
    ['a', 0.333],
    ['b', 0.333],
    ['__proto__', 0.333],
  ])
})

test.each<[string, VariantCounts[], boolean, string]>([
  [
    'with less than 100 exposures of a variant, more data',
    [variant('a', 90, 30, 100), variant('b', 90, 1, 99), variant('c', 0, 0, 0)],
    false,
    'More data is needed: every variant needs at least 100 exposures, and `b` has 99, `c` has 0.',
  ],
  [
    'with a probability of 0.9 or more, the leader',
    [variant('a', 480, 48), variant('b', 490, 72)],
    true,
    'Variant `b` leads: it is the best one with a probability of 0.987, and 0.95 is enough to ship it.',
  ],
  [
    'else that there is no clear leader',
    [variant('a', 100, 10), variant('b', 100, 12)],
    true,
    'There is no clear leader yet: `b` is the best one with a probability of 0.671, and a leader needs 0.9.',
  ],
])('the recommendation names %s', (_, counts, isSufficient, text) => {
  const { sufficient_data, recommendation } = compareVariants(counts)
  expect([sufficient_data, recommendation]).toEqual([isSufficient, text])
})

test('the best variant has the highest probability, the first one of several, and there is none without exposures', () => {
  expect(findBest([variant('a', 100, 10), variant('b', 100, 12)])).toBe('b')
  expect(findBest([variant('a', 0, 0, 1), variant('b', 0, 0, 0)])).toBe('a')
  // Both probabilities are rounded to 1 or 0.
  expect(findBest([variant('a', 10_000, 100), variant('b', 10_000, 5_000)])).toBe('b')
  expect(findBest([variant('a', 0, 0, 0), variant('b', 0, 0, 0)])).toBeNull()
})

test.each<[string, VariantCounts[], string]>([
  [
    'a variant that is probably the best is shipped',
    [variant('a', 480, 48), variant('b', 490, 72)],
    'ship:b',
  ],
  ['a leader below 0.95 waits', [variant('a', 480, 48), variant('b', 480, 62)], 'wait'],
  ['without enough exposures it waits', [variant('a', 90, 1, 90), variant('b', 200, 90)], 'wait'],
  ['without a leader it waits', [variant('a', 100, 10), variant('b', 100, 12)], 'wait'],
  [
    'variants whose lifts are surely small do not differ',
    [variant('a', 400_000, 40_000), variant('b', 400_000, 40_020)],
    'no difference',
  ],
])('%s', (_, counts, decision) => {
  expect(compareVariants(counts).decision).toBe(decision)
})
