import type { Quantity } from './charge.ts'
import { lambda } from './ingest.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** The cost of full website analyses, and of the text model that words them. */
export function analysisQuantities(usage: Usage): Quantity[] {
  const { analyses, textModel } = usage
  if (analyses === 0) return []
  const { ms, writes, reads, tokensIn, tokensOut } = system.analysis
  const purpose = 'website analyses'
  const asked = textModel === 'on' ? analyses : 0
  return [
    // The browser that renders pages is for x86_64 alone.
    ...lambda('scan', purpose, analyses, analyses * ms, { architecture: 'x86_64' }),
    ...lambda('jobs', purpose, analyses, analyses * ms, usage),
    { price: 'stateWrite', quantity: analyses * writes, purpose },
    { price: 'stateRead', quantity: analyses * reads, purpose },
    { price: 'textModelIn', quantity: asked * tokensIn, purpose },
    { price: 'textModelOut', quantity: asked * tokensOut, purpose },
  ]
}
