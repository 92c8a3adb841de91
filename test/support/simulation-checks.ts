import { partitionValue } from '#core/lake/keys'
import type { Snapshot } from '#core/lake/state'
import type { MemoryLakeState } from './memory-lake-state.ts'
import type { SimulatedLake, SimulatedStream } from './simulated-ports.ts'

/** Returns the event ids that a read with this snapshot returns from these files (design.md, Snapshots). */
export function visibleIds(
  lake: SimulatedLake,
  { cold, warm, epoch }: Snapshot,
  keys: Iterable<string>,
): string[] {
  const ids: string[] = []
  for (const key of keys) {
    const tier = key.slice(0, key.indexOf('/'))
    if (tier !== 'hot' && tier !== 'warm' && tier !== 'cold') continue
    for (const row of lake.rows(key)) {
      const rowEpoch = tier === 'cold' ? (row.epoch as number) : Number(partitionValue(key, 'epoch'))
      const isVisible =
        tier === 'cold'
          ? rowEpoch < cold
          : tier === 'warm'
            ? rowEpoch >= cold && rowEpoch < warm
            : rowEpoch >= warm && rowEpoch <= epoch
      if (isVisible) ids.push(row.id)
    }
  }
  return ids
}

/** Returns the ids that a read must return: all events up to the high water of their shard. */
export function idsInLake(stream: SimulatedStream, state: MemoryLakeState): string[] {
  const ids: string[] = []
  for (const [name, { entries }] of stream.byName) {
    const highWater = state.peek(name)?.highWater ?? null
    if (highWater === null) continue
    for (const entry of entries) if (entry.at <= BigInt(highWater)) ids.push(...entry.ids)
  }
  return ids
}

/** Throws when an id is there twice, or when an expected id is missing. `read` names the read in the message. */
export function checkIds(ids: string[], expectedIds: string[], read: string): void {
  const uniqueIds = new Set(ids)
  if (uniqueIds.size !== ids.length) {
    const copy = ids.find((id, i) => ids.indexOf(id) !== i)
    throw new Error(`${read} returns ${copy} twice`)
  }
  const missing = expectedIds.find(id => !uniqueIds.has(id))
  if (missing !== undefined) throw new Error(`${read} does not return ${missing}`)
}
