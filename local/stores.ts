import { createAccounts } from '#core/accounts/store'
import { lakeEntities } from '#core/lake/entities'
import type { Clock } from '#core/ports'
import { createProjects } from '#core/projects/store'
import type { StateTable } from '#core/state-table'
import { createUsage } from '#core/usage/store'

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
