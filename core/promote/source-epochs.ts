import { parseHotKey } from '#core/lake/model/keys'
import type { Lake } from '#core/ports'
import { readItem } from '#core/state/read-items'
import type { StateTable } from '#core/state/state-table'
import { tables } from '#schemas/columns'
import type { EpochSpan } from './promote.ts'

/** The item of the epoch (core/lake/model/state-store.ts). */
const LAKE_KEY = { pk: '$footfall', sk: '$lake_1' }

/** The lowest epoch of a source that may have hot files, and the one that is open. */
export async function sourceEpochs(state: StateTable, lake: Pick<Lake, 'list'>): Promise<EpochSpan> {
  const hot = (await lake.list(`${tables.events_hot.prefix}/`)).map(({ key }) => parseHotKey(key))
  const last = Number((await readItem(state, LAKE_KEY))?.epoch ?? 1)
  const first = hot.reduce((lowest, file) => Math.min(lowest, file?.claim.epoch ?? lowest), last)
  return { first, last }
}
