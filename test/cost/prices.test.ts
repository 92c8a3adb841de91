import { expect, test } from 'vitest'
import { CHECKED, type Price, prices } from '#cost/prices'

const all = Object.entries<Price>(prices)

test.each(all)(
  '%s says where it was found, or that it is from memory and where to check it',
  (_, { source }) => {
    expect(source).toMatch(/^(from memory, check )?https:\/\/[\w.-]+\/\S*$/)
  },
)

test.each(all)('%s costs something, and less the more is used', (_, { tiers }) => {
  const [first] = tiers
  expect(first?.[1]).toBeGreaterThan(0)
  const falling = tiers.map(([, usd]) => usd)
  expect(falling).toEqual(falling.toSorted((a, b) => b - a))
  const bounds = tiers.map(([upTo]) => upTo ?? Number.POSITIVE_INFINITY)
  expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
  expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY)
})

test('the table has a date', () => {
  expect(CHECKED).toMatch(/^\d{4}-\d{2}-\d{2}$/)
})
