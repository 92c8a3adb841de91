import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenState, openState } from '#local/state/state'

export type TestState = OpenState & {
  folder: string
  /** Deletes every item. */
  empty(): Promise<void>
}

/** The service's own timeouts would fail tests on a machine that is very busy. */
const BUSY_MACHINE_TIMEOUTS = { connectionTimeout: 60_000, requestTimeout: 120_000 }

/** Opens an empty state: dynalite in a new folder, which `close` deletes. */
export async function openTestState(): Promise<TestState> {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-state-'))
  const state = await openState(folder, BUSY_MACHINE_TIMEOUTS)
  return {
    ...state,
    folder,
    async empty() {
      const { client, table } = state
      const { Items = [] } = await client.scan({ TableName: table, ProjectionExpression: 'pk, sk' })
      await Promise.all(Items.map(({ pk, sk }) => client.delete({ TableName: table, Key: { pk, sk } })))
    },
    async close() {
      await state.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
