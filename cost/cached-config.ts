import type { Quantity } from './charge.ts'
import { lambda, scriptLoads } from './ingest.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of GET /experiments/config behind CloudFront. Each regional cache keeps the answer of a project
 * for a minute, so a minute with requests costs one miss for each project and cache. Requests come at random:
 * a minute without any has the probability e^-mean.
 */
export function configQuantities(usage: Usage): Quantity[] {
  const misses = configMisses(usage)
  const purpose = 'experiments'
  const { call, reads } = system.config
  return [
    { price: 'apiRequest', quantity: misses, purpose },
    ...lambda('control', purpose, misses, misses * call, usage),
    { price: 'stateRead', quantity: misses * reads, purpose },
  ]
}

/** Requests of GET /experiments/config a month that reach the service. */
export function configMisses(usage: Usage): number {
  const { caches, seconds } = system.config
  if (usage.cloudfront === 'off') return 0
  const keys = usage.projects * caches
  const windows = (system.hoursPerMonth * 3_600) / seconds
  return keys * windows * (1 - Math.exp(-scriptLoads(usage) / keys / windows))
}
