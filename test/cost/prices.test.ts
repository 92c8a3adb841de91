import { expect, test } from 'vitest'
import { CHECKED_ON, type Price, prices } from '#cost/prices'

const all = Object.entries<Price>(prices)

test.each(all)('the price %s names its source page, or the page to check', (_, { source }) => {
  expect(source).toMatch(/^(from memory, check )?https:\/\/[\w.-]+\/\S*$/)
})

test.each(all)('the price %s is above zero and never rises from tier to tier', (_, { tiers }) => {
  const [first] = tiers
  expect(first?.[1]).toBeGreaterThan(0)
  const unitPrices = tiers.map(([, usd]) => usd)
  expect(unitPrices).toEqual(unitPrices.toSorted((a, b) => b - a))
  const bounds = tiers.map(([upTo]) => upTo ?? Number.POSITIVE_INFINITY)
  expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
  expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY)
})

test('the prices have a date', () => {
  expect(CHECKED_ON).toMatch(/^\d{4}-\d{2}-\d{2}$/)
})
