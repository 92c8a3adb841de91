import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ratio } from '#core/reports/run/rounding'
import { propertySettings } from '#test/support/depth'

test.each([
  [1, 3, 3, 0.333],
  [2, 3, 3, 0.667],
  [1, 2000, 3, 0.001],
  [1, 2001, 3, 0],
  [5, 2, 0, 3],
  [-5, 2, 0, -2],
  [-1, 3, 1, -0.3],
  [25, 100, 1, 0.3],
  [7, 7, 3, 1],
  [0, 5, 3, 0],
])('%i / %i with %i decimals is %d', (numerator, denominator, decimals, expected) => {
  expect(ratio(numerator, denominator, decimals)).toBe(expected)
})

test('a ratio with the denominator 0 is 0', () => {
  expect(ratio(5, 0, 3)).toBe(0)
})

test('the result differs from the exact ratio by half a unit at most, also for sums beyond 32 bits', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 50), fc.integer({ min: 1, max: 10_000_000 }), (numerator, denominator) => {
      const error = Math.abs(ratio(numerator, denominator, 0) - numerator / denominator)
      expect(error).toBeLessThanOrEqual(0.5 + numerator / denominator / 2 ** 51)
    }),
    propertySettings(100),
  )
})
