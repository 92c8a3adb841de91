import { createAccountStore } from './accounts/store.ts'
import { createErasureReceipts } from './erasure/receipts.ts'
import { createErasureStore } from './erasure/store.ts'
import { createExperimentStore } from './experiments/store.ts'
import { createErasureFeed } from './identity/erasure-feed.ts'
import { createRefusedCounts } from './identity/fold/refused-counts.ts'
import { createLakeStateStore } from './lake/model/state-store.ts'
import type { Clock, Lake } from './ports.ts'
import { createProjectStore } from './projects/store.ts'
import { createScanStore } from './scans/scan-store.ts'
import type { StateTable } from './state/state-table.ts'
import { createRefusalStore } from './usage/refusal-store.ts'
import { createUsageStore, type UsageStore } from './usage/store.ts'
import { createUsedEvents } from './usage/used-events.ts'

export type StoreOptions = {
  /** Counters of a process that gathers reads (gatherReads). */
  usage?: UsageStore
  /** See ProjectStoreServices. */
  tokenMs?: number
}

/** Creates the stores of all rooms in the state table that need no lake. */
export function createStores(
  { client, table }: StateTable,
  clock: Clock,
  { usage = createUsageStore({ client, table }), tokenMs }: StoreOptions = {},
) {
  const state = { client, table }
  const scanStore = createScanStore({ ...state, clock })
  return {
    usage,
    accounts: createAccountStore({ ...state, clock }),
    projects: createProjectStore({ ...state, clock, usage, scans: scanStore, tokenMs }),
    experiments: createExperimentStore({ ...state, clock }),
    erasureFeed: createErasureFeed({ ...state, clock }),
    refused: createRefusedCounts(state),
    refusalStore: createRefusalStore(state),
    scanStore,
    usedEvents: createUsedEvents(state),
  }
}

export type Stores = ReturnType<typeof createStores>

/** Creates the stores whose items name objects of the lake: for processes that have it. */
export function createLakeStores(
  { lake, ...state }: StateTable & { lake: Pick<Lake, 'get' | 'put' | 'list'> },
  clock: Clock,
) {
  const lakeState = createLakeStateStore(state, { lake, clock })
  return {
    lakeState,
    receipts: createErasureReceipts({ erasures: createErasureStore(state), lakeState }),
  }
}
