import { createTombstoneWriter, type TombstoneWriterServices } from '#core/lake/erase/tombstone-writer'
import type { StateTable } from '#core/state-table'
import { createErasures, type Erasures } from './erasures.ts'
import { createErasureStore } from './store.ts'

export type OpenErasuresServices = StateTable &
  Omit<TombstoneWriterServices, 'state'> & { lakeState: TombstoneWriterServices['state'] }

/** The erasures of a process, over the state table and the lake. */
export function openErasures({
  client,
  table,
  lakeState,
  lake,
  clock,
  ...options
}: OpenErasuresServices): Erasures {
  const tombstones = createTombstoneWriter({ state: lakeState, lake, clock, ...options })
  return createErasures({ erasures: createErasureStore({ client, table }), tombstones, clock })
}
