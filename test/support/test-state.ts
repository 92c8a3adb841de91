import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OpenState, openState } from '#local/state/state'

export type TestState = OpenState & {
  folder: string
  /** Deletes every item. */
  empty(): Promise<void>
}

/** A throwaway state of its own: dynalite on a new folder, which goes when it is closed. */
export async function openTestState(): Promise<TestState> {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-state-'))
  const opened = await openState(folder)
  return {
    ...opened,
    folder,
    async empty() {
      const { client, table } = opened
      const { Items = [] } = await client.scan({ TableName: table, ProjectionExpression: 'pk, sk' })
      await Promise.all(Items.map(({ pk, sk }) => client.delete({ TableName: table, Key: { pk, sk } })))
    },
    async close() {
      await opened.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
