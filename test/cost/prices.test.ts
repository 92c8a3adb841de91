import { expect, test } from 'vitest'
import { type Price, prices } from '#cost/prices'

const all = Object.entries<Price>(prices)

test.each(all)(
  'the price %s names the page that stated it, and the day on which it was read',
  (_, { source }) => {
    expect(source.page).toMatch(/^https:\/\/[\w.-]+\/\S+$/)
    expect(source.readOn).toMatch(/^20\d{2}-\d{2}-\d{2}$/)
    expect(new Date(source.readOn).toISOString()).toContain(source.readOn)
  },
)

test.each(all)('the price %s is above zero and never rises from tier to tier', (_, { tiers }) => {
  const [first] = tiers
  expect(first?.[1]).toBeGreaterThan(0)
  const unitPrices = tiers.map(([, usd]) => usd)
  expect(unitPrices).toEqual(unitPrices.toSorted((a, b) => b - a))
  const bounds = tiers.map(([upTo]) => upTo ?? Number.POSITIVE_INFINITY)
  expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
  expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY)
})
