import { Entity } from 'electrodb'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state-table'

/** The epochs below `cold` are in cold files, those in [cold, warm) in warm files, and those from `warm` on in hot files. */
export type FirstEditionWatermarks = { cold: number; warm: number }

export type FirstEditionState = {
  /** The watermarks of the first edition of the lake; null when the lake is of today's edition. */
  watermarks(): Promise<FirstEditionWatermarks | null>
  /** Removes the watermarks: from now on the lake is of today's edition. */
  forget(): Promise<void>
}

/** What the first edition kept in the item of the lake, beside the attributes of core/lake/state-store.ts. */
export function createFirstEditionState({ client, table }: StateTable): FirstEditionState {
  const lakes = new Entity(
    {
      model: { service: 'footfall', entity: 'lake', version: '1' },
      attributes: {
        warm: { type: 'number' },
        cold: { type: 'number' },
        coldUntil: { type: 'number' },
        // When epochs were opened. Later versions of the first edition had epochTimes.
        marks: { type: 'any' },
      },
      indexes: primaryIndex({ pk: [], sk: [] }),
    },
    { client, table },
  )
  return {
    async watermarks() {
      const { data } = await orUnavailable(lakes.get({}).go({ consistent: true }))
      const { warm, cold } = data ?? {}
      return warm === undefined || cold === undefined ? null : { warm, cold }
    },
    async forget() {
      await orUnavailable(lakes.patch({}).remove(['warm', 'cold', 'coldUntil', 'marks']).go())
    },
  }
}
