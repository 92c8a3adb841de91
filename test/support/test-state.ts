import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { writeItems } from '#core/state/write-items'
import { type OpenState, openState } from '#local/state/state'

/** Deletes every item. */
export async function emptyTable(state: StateTable): Promise<void> {
  for await (const page of scanPages(state, { ProjectionExpression: 'pk, sk' })) {
    await writeItems(
      state,
      page.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
    )
  }
}

export type TestState = OpenState & {
  folder: string
  /** Deletes every item. */
  empty(): Promise<void>
}

/** Opens an empty state in a file of a new folder, which `close` deletes. */
export async function openTestState(): Promise<TestState> {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-state-'))
  const state = await openState(join(folder, 'state.db'))
  return {
    ...state,
    folder,
    empty: () => emptyTable(state),
    async close() {
      await state.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
