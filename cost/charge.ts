import { type Price, type PriceName, prices } from './prices.ts'

/** So many units of a price, and what for. */
export type Quantity = {
  price: PriceName
  /** Units a month. */
  quantity: number
  /** The part of the service that needs them. */
  purpose: string
}

/** A quantity with what it costs in a month. */
export type Line = Quantity & { service: string; unit: string; usd: number }

/**
 * Prices the quantities. The tiers of a price, and its free units where `freeTier` asks for them, go to the quantities
 * in their order: together they cost what their sum costs.
 */
export function charge(quantities: readonly Quantity[], { freeTier }: { freeTier: boolean }): Line[] {
  const used = new Map<PriceName, number>()
  return quantities.map(line => {
    const price: Price = prices[line.price]
    const from = used.get(line.price) ?? 0
    const to = from + line.quantity
    used.set(line.price, to)
    const free = freeTier ? price.free : 0
    const usd = costOf(price, Math.max(0, to - free)) - costOf(price, Math.max(0, from - free))
    return { ...line, service: price.service, unit: price.unit, usd }
  })
}

/** USD for the first so many units of a month. */
function costOf({ tiers }: Price, units: number): number {
  let usd = 0
  let from = 0
  for (const [upTo, each] of tiers) {
    const end = Math.min(units, upTo ?? Number.POSITIVE_INFINITY)
    if (end <= from) break
    usd += (end - from) * each
    from = end
  }
  return usd
}
