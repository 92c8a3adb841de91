import type { ArrivalOrder } from '#core/ingest/ids'
import { createTombstoneWriter, type TombstoneWriterServices } from '#core/lake/erase/tombstone-writer'
import type { LakeStateStore } from '#core/lake/model/state'
import type { StateTable } from '#core/state/state-table'
import { createErasures, type KnownArrivals } from './erasures.ts'
import { createOwnerTexts } from './owner-texts.ts'
import { createPersonErasures } from './person-erasures.ts'
import { createErasureStore } from './store.ts'
import { createUnfinishedErasures } from './unfinished-erasures.ts'

export type OpenErasuresServices = StateTable &
  Omit<TombstoneWriterServices, 'state'> & {
    lakeState: TombstoneWriterServices['state'] & Pick<LakeStateStore, 'shards'>
    /**
     * The order of arrival of this process, where all events arrive in it. Without it events arrive in many
     * processes, and their clocks are taken for right, except for arrivals that the consumer has found ahead.
     */
    order?: Pick<ArrivalOrder, 'pause'> | undefined
    /** The newest arrival that this process has found when it started, Unix ms. */
    newestAtStart?: number | undefined
  }

/** See OpenErasuresServices. */
export function knownArrivals(
  state: Pick<LakeStateStore, 'shards'>,
  order: Pick<ArrivalOrder, 'pause'> = { pause: nowMs => ({ until: nowMs, end() {} }) },
  newestAtStart = 0,
): KnownArrivals {
  return {
    pause: order.pause,
    async newestAhead() {
      const shards = await state.shards()
      return shards.reduce((newest, { arrivalAhead = 0 }) => Math.max(newest, arrivalAhead), newestAtStart)
    },
  }
}

export type OpenedErasures = ReturnType<typeof openErasures>

/** The erasures of a process, over the state table and the lake. */
export function openErasures({
  client,
  table,
  lakeState,
  lake,
  clock,
  order,
  newestAtStart,
  ...options
}: OpenErasuresServices) {
  const tombstones = createTombstoneWriter({ state: lakeState, lake, clock, ...options })
  const arrivals = knownArrivals(lakeState, order, newestAtStart)
  const erasures = createErasures({
    erasures: createErasureStore({ client, table }),
    tombstones,
    arrivals,
    clock,
  })
  const persons = createPersonErasures({
    erasures,
    unfinished: createUnfinishedErasures({ client, table, clock }),
    ownerTexts: createOwnerTexts({ client, table }),
  })
  return { ...erasures, ...persons }
}
