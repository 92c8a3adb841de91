import { expect, test } from 'vitest'
import { compareSequences, isBeyond } from '#core/lake/sequence'

// As Kinesis makes them: neighbours that are the same number to a double.
const [low, high] = [
  '49590338271490256608559692538361571095921575989136588898',
  '49590338271490256608559692538361571095921575989136588899',
]

test('a sequence is beyond a lower mark and beyond none at all, not beyond itself', () => {
  expect(isBeyond(high, low)).toBe(true)
  expect(isBeyond(low, null)).toBe(true)
  expect(isBeyond(low, low)).toBe(false)
  expect(isBeyond(low, high)).toBe(false)
})

test('sequences sort as numbers, whatever their length', () => {
  expect([high, '10', low, '9', '10'].toSorted(compareSequences)).toEqual(['9', '10', '10', low, high])
})
