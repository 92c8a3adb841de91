import { randomBytes } from 'node:crypto'
import { unavailable } from '#core/errors'
import { tombstoneKey } from '#core/lake/keys'
import type { Manifest } from '#core/lake/manifest'
import type { LakeStateStore } from '#core/lake/state'
import type { Clock, Lake } from '#core/ports'
import type { LegacyTombstone, TombstoneBatch } from './tombstone-batch.ts'
import { describeRows, encodeTombstones, toTombstoneRows } from './tombstone-file.ts'

export type ConversionServices = {
  state: Pick<LakeStateStore, 'manifest' | 'saveManifest'>
  lake: Pick<Lake, 'put'>
  clock: Clock
  /** The erasure of this id has this number now. */
  onConverted(id: string, number: number): Promise<void>
}

/**
 * Moves the tombstones of an earlier version from a manifest into a file, as one batch. They keep their
 * numbers, so no segment is checked again for them; of the others, hot files are. May run several times, or
 * in several processes at once.
 */
export async function convertTombstones(
  { state, lake, clock, onConverted }: ConversionServices,
  bucket: number,
): Promise<void> {
  for (;;) {
    const manifest = await state.manifest(bucket)
    const [first] = manifest.legacyTombstones
    const last = manifest.legacyTombstones.at(-1)
    if (first === undefined || last === undefined) return
    for (const { id, number } of manifest.legacyTombstones) await onConverted(id, number)
    const rows = manifest.legacyTombstones.flatMap(each => toTombstoneRows(each, each.number))
    const writer = `${clock.now()}-${randomBytes(4).toString('hex')}`
    const head = { number: last.number, first: first.number, writer }
    await lake.put(tombstoneKey(bucket, head), encodeTombstones(rows))
    const batch = { ...head, ...describeRows(rows), ...progressOf(manifest.legacyTombstones) }
    if (await state.saveManifest(withBatch(manifest, batch))) return
  }
}

/**
 * Throws UNAVAILABLE if the manifest has tombstones that nothing knows yet. Maintenance converts them within
 * a minute after an update.
 */
export function assertConverted({ legacyTombstones }: Pick<Manifest, 'legacyTombstones'>): void {
  if (legacyTombstones.length === 0) return
  throw unavailable('The service is being updated. Send the same request again in a minute.', 60)
}

/** What is true of all of them. */
function progressOf(tombstones: readonly LegacyTombstone[]) {
  const all = <Name extends 'lastEpoch' | 'doneAt'>(name: Name) => {
    const values = tombstones.map(each => each[name])
    return values.includes(null) ? null : Math.max(...values.map(Number))
  }
  return {
    createdAt: Math.max(...tombstones.map(({ createdAt }) => createdAt)),
    lastEpoch: all('lastEpoch'),
    hotUntil: Math.min(...tombstones.map(({ hotUntil }) => hotUntil)),
    doneAt: all('doneAt'),
    removed: {
      events: tombstones.reduce((sum, { removed }) => sum + removed.events, 0),
      files: tombstones.reduce((sum, { removed }) => sum + removed.files, 0),
    },
  }
}

/** Batches that were added before the conversion have higher numbers. */
function withBatch(manifest: Manifest, batch: TombstoneBatch): Manifest {
  return {
    ...manifest,
    version: manifest.version + 1,
    tombstones: [batch, ...manifest.tombstones],
    legacyTombstones: [],
  }
}
