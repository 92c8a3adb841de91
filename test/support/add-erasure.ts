import { describeRows, encodeTombstones, toTombstoneRows } from '#core/lake/erase/tombstone-file'
import { addBatch, nextNumber } from '#core/lake/erase/tombstones'
import { tombstoneKey } from '#core/lake/model/keys'
import type { Manifest } from '#core/lake/model/manifest'
import type { ErasedEvents, TombstoneBatch } from '#core/lake/model/tombstone-batch'
import type { Lake } from '#core/ports'

/** Adds erasures as one batch to a manifest that a test holds itself, and writes their file. */
export async function addErasure(
  lake: Pick<Lake, 'put'>,
  manifest: Manifest,
  erased: ErasedEvents | readonly ErasedEvents[],
  now: number,
  encode = encodeTombstones,
): Promise<Manifest> {
  const number = nextNumber(manifest)
  const rows = [erased].flat().flatMap(each => toTombstoneRows(each as ErasedEvents, number))
  const batch = { number, first: number, writer: `${now}-00000000`, ...describeRows(rows) }
  await lake.put(tombstoneKey(manifest.bucket, batch), encode(rows))
  return addBatch(manifest, batch, now)
}

/** Writes the file of a batch with one erasure, for a job that a test makes itself. */
export async function writeBatch(
  lake: Pick<Lake, 'put'>,
  { bucket = 7, number = 1, ...erased }: ErasedEvents & { bucket?: number; number?: number },
): Promise<TombstoneBatch> {
  const rows = toTombstoneRows(erased, number)
  const batch = { number, first: number, writer: '1-00000000', ...describeRows(rows) }
  await lake.put(tombstoneKey(bucket, batch), encodeTombstones(rows))
  const progress = {
    createdAt: 0,
    lastEpoch: null,
    hotUntil: 0,
    doneAt: null,
    removed: { events: 0, files: 0 },
  }
  return { ...batch, ...progress }
}
