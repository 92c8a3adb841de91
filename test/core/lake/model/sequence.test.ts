import { expect, test } from 'vitest'
import { compareSequences, isBeyond } from '#core/lake/model/sequence'

// Consecutive sequences of Kinesis. A double holds the same number for both.
const [low, high] = [
  '49590338271490256608559692538361571095921575989136588898',
  '49590338271490256608559692538361571095921575989136588899',
]

test('a sequence is beyond a lower one and beyond null, but not beyond itself', () => {
  expect(isBeyond(high, low)).toBe(true)
  expect(isBeyond(low, null)).toBe(true)
  expect(isBeyond(low, low)).toBe(false)
  expect(isBeyond(low, high)).toBe(false)
})

test('sequences of different lengths are sorted as numbers', () => {
  expect([high, '10', low, '9', '10'].toSorted(compareSequences)).toEqual(['9', '10', '10', low, high])
})
