import { analysisQuantities } from './analyses.ts'
import { configQuantities } from './cached-config.ts'
import { charge, type Line, type Quantity } from './charge.ts'
import { ingestQuantities } from './ingest.ts'
import { lakeQuantities } from './lake.ts'
import { liveQuantities } from './live.ts'
import { monitoringQuantities } from './monitoring.ts'
import { readQuantities } from './reads.ts'
import { replayQuantities } from './replays.ts'
import type { Usage } from './usage.ts'

export type Cost = {
  lines: Line[]
  /** USD a month. */
  total: number
  /** USD a month by service, the highest first. */
  services: { service: string; usd: number }[]
  /** USD for a million events; null without events. */
  perMillion: number | null
}

/**
 * Returns the cost of a month: list prices of us-east-1 (cost/prices.ts), and the work that cost/system.ts
 * describes.
 */
export function monthlyCost(usage: Usage): Cost {
  const workload = [
    ...ingestQuantities(usage),
    ...configQuantities(usage),
    ...lakeQuantities(usage),
    ...liveQuantities(usage),
    ...readQuantities(usage),
    ...analysisQuantities(usage),
    ...replayQuantities(usage),
  ]
  const secrets: Quantity[] = [
    { price: 'secret', quantity: 1, purpose: 'identify' },
    { price: 'secret', quantity: 1, purpose: 'edge' },
  ]
  const lines = charge([...workload, ...secrets, ...monitoringQuantities(usage, workload)], {
    freeTier: usage.freeTier === 'yes',
  })
  const total = sum(lines)
  const services = [...Map.groupBy(lines, ({ service }) => service)]
    .map(([service, serviceLines]) => ({ service, usd: sum(serviceLines) }))
    .toSorted((a, b) => b.usd - a.usd)
  return { lines, total, services, perMillion: usage.events === 0 ? null : (total / usage.events) * 1e6 }
}

function sum(lines: readonly Line[]): number {
  return lines.reduce((total, { usd }) => total + usd, 0)
}
