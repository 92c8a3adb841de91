import { setTimeout as sleep } from 'node:timers/promises'
import { isBeyond } from '#core/lake/model/sequence'
import type { ExpectedDays } from './copy-list.ts'
import type { Counted } from './count-days.ts'

/** Asks the running service what it counts. Null where none runs, or it cannot count now. */
export type ReadCounts = () => Promise<Counted | null>

/** The lake is a second behind the log. A service whose lake cannot be written falls further behind. */
const WAIT_MS = 60_000
const PAUSE_MS = 250

/**
 * What a copy must have: for each day at least the smaller and at most the larger of two counts. The first
 * one was made before the copy. The second one is made here, when the lake of the service has all records
 * up to `taken`, the last one of each log of the copy. Null when the service does not get there in a minute.
 */
export async function expectedDays(
  before: Counted,
  read: ReadCounts,
  taken: Readonly<Record<string, string>>,
): Promise<ExpectedDays | null> {
  for (const end = performance.now() + WAIT_MS; ; ) {
    const after = await read()
    if (after === null) return null
    const isThere = Object.entries(taken).every(
      ([shard, sequence]) => !isBeyond(sequence, after.shards[shard] ?? null),
    )
    if (isThere) return between(before.days, after.days)
    if (performance.now() > end) return null
    await sleep(PAUSE_MS)
  }
}

function between(before: Counted['days'], after: Counted['days']): ExpectedDays {
  const projects = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries(
    [...projects].map(project => {
      const [earlier = {}, later = {}] = [before[project], after[project]]
      const days = new Set([...Object.keys(earlier), ...Object.keys(later)])
      return [
        project,
        Object.fromEntries(
          [...days].toSorted().map(day => {
            const counts = [earlier[day] ?? 0, later[day] ?? 0]
            return [day, [Math.min(...counts), Math.max(...counts)]]
          }),
        ),
      ]
    }),
  )
}
