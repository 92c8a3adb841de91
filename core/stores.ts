import { createAccounts } from './accounts/store.ts'
import { lakeEntities } from './lake/entities.ts'
import type { Clock } from './ports.ts'
import { createProjects } from './projects/store.ts'
import type { StateTable } from './state-table.ts'
import { createUsage } from './usage/store.ts'

/** What each room keeps in the state table. */
export function createStores({ client, table }: StateTable, clock: Clock) {
  const state = { client, table }
  const usage = createUsage(state)
  return {
    lakeState: lakeEntities(state),
    usage,
    accounts: createAccounts({ ...state, clock }),
    projects: createProjects({ ...state, clock, usage }),
  }
}

export type Stores = ReturnType<typeof createStores>
