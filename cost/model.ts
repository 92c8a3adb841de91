import { charge, type Line } from './charge.ts'
import { ingestQuantities } from './ingest.ts'
import { lakeQuantities } from './lake.ts'
import { readQuantities } from './reads.ts'
import type { Usage } from './usage.ts'
import { watchingQuantities } from './watching.ts'

export type Cost = {
  lines: Line[]
  /** USD a month. */
  total: number
  /** USD a month by service, the dearest first. */
  services: { service: string; usd: number }[]
  /** USD for a million events; null for none. */
  perMillion: number | null
}

/** What a month of that usage costs: us-east-1, list prices (cost/prices.ts), the system as cost/system.ts describes it. */
export function monthlyCost(usage: Usage): Cost {
  const work = [...ingestQuantities(usage), ...lakeQuantities(usage), ...readQuantities(usage)]
  const lines = charge([...work, ...watchingQuantities(usage, work)], { freeTier: usage.freeTier === 'yes' })
  const total = sum(lines)
  const services = [...Map.groupBy(lines, ({ service }) => service)]
    .map(([service, ofService]) => ({ service, usd: sum(ofService) }))
    .toSorted((a, b) => b.usd - a.usd)
  return { lines, total, services, perMillion: usage.events === 0 ? null : (total / usage.events) * 1e6 }
}

function sum(lines: readonly Line[]): number {
  return lines.reduce((total, { usd }) => total + usd, 0)
}
