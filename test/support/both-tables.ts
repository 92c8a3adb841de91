import { afterAll, beforeEach } from 'vitest'
import type { Item } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { openDynaliteState } from './dynalite-state.ts'
import { cleanUp } from './service-process.ts'
import { emptyTable, openTestState } from './test-state.ts'

/** A table of one machine and one of AWS for the tests of a file. Each test begins with both empty. */
export async function openBothTables() {
  const [local, aws] = await Promise.all([openTestState(), openDynaliteState()])
  afterAll(async () => {
    await Promise.all([local.close(), aws.close()])
    await cleanUp()
  })
  beforeEach(() => Promise.all([local.empty(), emptyTable(aws)]))
  return { local, aws }
}

export function putItem({ client, table }: StateTable, Item: Item) {
  return client.put({ TableName: table, Item })
}
