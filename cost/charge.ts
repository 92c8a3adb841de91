import { type Price, type PriceName, prices } from './prices.ts'

/** A number of units of a price, and their purpose. */
export type Quantity = {
  price: PriceName
  /** Units a month. */
  quantity: number
  /** The part of the service that needs them. */
  purpose: string
}

/** A quantity with its cost in a month. */
export type Line = Quantity & { service: string; unit: string; usd: number }

/**
 * Prices the quantities. Quantities of one price share its tiers, and with `freeTier` its free units, in
 * their order. So together they cost the same as their sum.
 */
export function charge(quantities: readonly Quantity[], { freeTier }: { freeTier: boolean }): Line[] {
  const used = new Map<PriceName, number>()
  return quantities.map(line => {
    const price: Price = prices[line.price]
    const start = used.get(line.price) ?? 0
    const end = start + line.quantity
    used.set(line.price, end)
    const free = freeTier ? price.free : 0
    const usd = costOf(price, Math.max(0, end - free)) - costOf(price, Math.max(0, start - free))
    return { ...line, service: price.service, unit: price.unit, usd }
  })
}

/** Returns the price of the first `units` units of a month, USD. */
function costOf({ tiers }: Price, units: number): number {
  let usd = 0
  let start = 0
  for (const [upTo, usdPerUnit] of tiers) {
    const end = Math.min(units, upTo ?? Number.POSITIVE_INFINITY)
    if (end <= start) break
    usd += (end - start) * usdPerUnit
    start = end
  }
  return usd
}
