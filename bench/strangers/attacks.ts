import type { Attack } from './attack.ts'
import { idleConnections } from './idle-connections.ts'
import { nestedFilters } from './nested-filters.ts'
import { botEvents, identifyTraits, replayStarts } from './public-token.ts'
import { fewSharedReads, manySharedReads } from './share-links.ts'
import { endlessBodies, slowBodies } from './unfinished-bodies.ts'
import { silentSites, slowSites } from './website-scans.ts'

/** The attacks that slow or stop others. A name begins with the number of its row in docs/figures.md. */
export const ATTACKS: readonly Attack[] = [
  idleConnections,
  endlessBodies,
  slowBodies,
  slowSites,
  silentSites,
  fewSharedReads,
  manySharedReads,
  replayStarts,
  identifyTraits,
  botEvents,
  nestedFilters,
]
