import { createTombstoneWriter, type TombstoneWriterServices } from '#core/lake/erase/tombstone-writer'
import type { StateTable } from '#core/state-table'
import { createErasures } from './erasures.ts'
import { createOwnerTexts } from './owner-texts.ts'
import { createPersonErasures } from './person-erasures.ts'
import { createErasureStore } from './store.ts'
import { createUnfinishedErasures } from './unfinished-erasures.ts'

export type OpenErasuresServices = StateTable &
  Omit<TombstoneWriterServices, 'state'> & { lakeState: TombstoneWriterServices['state'] }

export type OpenedErasures = ReturnType<typeof openErasures>

/** The erasures of a process, over the state table and the lake. */
export function openErasures({ client, table, lakeState, lake, clock, ...options }: OpenErasuresServices) {
  const tombstones = createTombstoneWriter({ state: lakeState, lake, clock, ...options })
  const erasures = createErasures({ erasures: createErasureStore({ client, table }), tombstones, clock })
  const persons = createPersonErasures({
    erasures,
    unfinished: createUnfinishedErasures({ client, table, clock }),
    ownerTexts: createOwnerTexts({ client, table }),
  })
  return { ...erasures, ...persons }
}
