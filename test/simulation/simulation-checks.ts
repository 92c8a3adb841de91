import type { TombstoneRow } from '#core/lake/erase/tombstone-file'
import { openTombstones } from '#core/lake/erase/tombstones'
import { EVENT_ID_HORIZON_S } from '#core/lake/model/copies'
import { segmentKeys, tombstoneKey } from '#core/lake/model/keys'
import type { Manifest } from '#core/lake/model/manifest'
import type { Snapshot } from '#core/lake/read/snapshot'
import type { MemoryLakeState } from '#test/support/memory-lake-state'
import { hasName, isErased, isReplaced, type SimulatedRow, type SimulatedStream } from './simulated-ports.ts'

/** The events that a read returns: those of segments, and those of hot files. */
export type VisibleRows = { stored: SimulatedRow[]; hot: SimulatedRow[] }

/**
 * Returns what a read of one bucket with this snapshot returns, by the rules of core/lake/read/relations.ts.
 */
export async function readBucket(
  bucket: number,
  { segments, hot, tombstones }: Pick<Snapshot, 'hot' | 'tombstones'> & Pick<Manifest, 'segments'>,
  rowsOf: (key: string) => Promise<readonly SimulatedRow[]> | readonly SimulatedRow[],
  tombstonesOf: (key: string) => Promise<readonly TombstoneRow[]> | readonly TombstoneRow[],
): Promise<VisibleRows> {
  const erased = new Map<number, readonly TombstoneRow[]>()
  for (const batch of tombstones) erased.set(batch.number, await tombstonesOf(tombstoneKey(bucket, batch)))
  const rowsOfBatches = (batches: readonly { number: number }[]) =>
    batches.flatMap(({ number }) => erased.get(number) ?? [])
  const stored: SimulatedRow[] = []
  const ids: SimulatedRow[] = []
  const hotRows: SimulatedRow[] = []
  for (const segment of segments) {
    const open = rowsOfBatches(openTombstones({ tombstones }, segment))
    for (const key of segmentKeys('segment_events', bucket, segment))
      stored.push(...(await rowsOf(key)).filter(row => !open.some(tombstone => isErased(row, tombstone))))
    if (segment.eventIds === 0) continue
    for (const key of segmentKeys('segment_event_ids', bucket, segment)) ids.push(...(await rowsOf(key)))
  }
  for (const key of hot) hotRows.push(...(await rowsOf(key)).filter(row => row.bucket === bucket))
  const kept = dropRetries(hotRows, ids)
  const all = rowsOfBatches(tombstones)
  const visible = stored.filter(row => !hotRows.some(hotRow => isReplaced(row, hotRow)))
  return {
    stored: visible,
    hot: kept.filter(row => hasName(row) && !all.some(tombstone => isErased(row, tombstone))),
  }
}

/**
 * Drops the hot copies of an event_id (core/lake/model/copies.ts). Reads do not look for copies that the
 * service itself made.
 */
function dropRetries(rows: readonly SimulatedRow[], ids: readonly SimulatedRow[]): SimulatedRow[] {
  const known = new Map<string, SimulatedRow[]>()
  const add = (row: SimulatedRow) => {
    const name = `${row.project} ${row.key}`
    known.set(name, [...(known.get(name) ?? []), row])
  }
  for (const row of ids) if (row.key !== null) add(row)
  return rows.filter(row => {
    if (row.key === null) return true
    const earlier = known.get(`${row.project} ${row.key}`) ?? []
    const isCopy =
      earlier.some(
        other =>
          row.arrival - other.arrival <= EVENT_ID_HORIZON_S && (other.isCredentialed || !row.isCredentialed),
      ) || rows.some(other => isReplaced(row, other))
    add(row)
    return !isCopy
  })
}

/** Returns the ids of which a read must return a copy with a credential. */
export function winnersInLake(stream: SimulatedStream, state: MemoryLakeState): string[] {
  return entriesInLake(stream, state).flatMap(({ winners }) => winners)
}

/** Returns the ids that a read must return: all events up to the high water of their shard. */
export function idsInLake(stream: SimulatedStream, state: MemoryLakeState): string[] {
  return entriesInLake(stream, state).flatMap(({ ids }) => ids)
}

function entriesInLake(stream: SimulatedStream, state: MemoryLakeState) {
  return [...stream.byName].flatMap(([name, { entries }]) => {
    const highWater = state.peek(name)?.highWater ?? null
    return highWater === null ? [] : entries.filter(({ at }) => at <= BigInt(highWater))
  })
}

/**
 * Throws when an id is there twice, or when an expected id is missing. `read` names the read in the message.
 * A copy that the service itself made may be there as long as it is hot: compaction drops it. Throws also
 * when an erased id is there, and when a copy without a credential is there in place of one with it
 * (`winners`).
 */
export function checkRows(
  { stored, hot }: VisibleRows,
  {
    expectedIds,
    hiddenIds,
    winners,
  }: { expectedIds: readonly string[]; hiddenIds: ReadonlySet<string>; winners: readonly string[] },
  read: string,
): void {
  const storedIds = new Set(stored.map(({ id }) => id))
  if (storedIds.size !== stored.length) {
    const ids = stored.map(({ id }) => id)
    throw new Error(`${read} returns ${ids.find((id, i) => ids.indexOf(id) !== i)} twice from segments`)
  }
  const retried = new Set<string>()
  for (const { id, key } of hot) {
    if (key === null) continue
    if (retried.has(id) || storedIds.has(id)) throw new Error(`${read} returns ${id} twice`)
    retried.add(id)
  }
  const visibleIds = new Set([...storedIds, ...hot.map(({ id }) => id)])
  const returned = [...visibleIds].find(id => hiddenIds.has(id))
  if (returned !== undefined) throw new Error(`${read} returns ${returned}, which is erased`)
  const visibleWinners = new Set([...stored, ...hot].flatMap(row => (row.isCredentialed ? [row.id] : [])))
  const lost = winners.find(id => visibleIds.has(id) && !visibleWinners.has(id))
  if (lost !== undefined) throw new Error(`${read} returns ${lost} without its credential`)
  const missing = expectedIds.find(id => !visibleIds.has(id))
  if (missing !== undefined) throw new Error(`${read} does not return ${missing}`)
}
