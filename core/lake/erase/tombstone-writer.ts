import { randomBytes } from 'node:crypto'
import { unavailable } from '#core/errors'
import { tombstoneKey } from '#core/lake/model/keys'
import type { Manifest } from '#core/lake/model/manifest'
import type { LakeStateStore } from '#core/lake/model/state'
import type { ErasedEvents, TombstoneBatch } from '#core/lake/model/tombstone-batch'
import type { Lake, Now } from '#core/ports'
import { describeRows, encodeTombstones, type TombstoneRow, toTombstoneRows } from './tombstone-file.ts'
import { addBatch, MAX_BATCHES, nextNumber } from './tombstones.ts'

export type TombstoneWriterServices = {
  state: Pick<LakeStateStore, 'manifest' | 'saveManifest'>
  lake: Pick<Lake, 'put'>
  clock: Now
  encode?: (rows: readonly TombstoneRow[]) => Uint8Array
}

export type TombstoneWriter = ReturnType<typeof createTombstoneWriter>

/**
 * A batch takes further erasures of its process for so long, ms, and up to so many rows. Then a bucket gets
 * two batches a minute.
 */
const OPEN_MS = 30_000
const OPEN_ROWS = 5_000
/** Tries to save a batch, while others change the same manifest. Each takes tens of ms. */
const SAVE_TRIES = 20

type Waiting = { erased: ErasedEvents; written: PromiseWithResolvers<number> }
type OwnBatch = { number: number; writer: string; openedAt: number; rows: readonly TombstoneRow[] }

/**
 * Writes tombstones. Requests that come while a batch is written share the next one, and a young batch is
 * written again with the new rows, so neither the number of batches nor that of the writes of a manifest
 * grows with the erasures.
 */
export function createTombstoneWriter({
  state,
  lake,
  clock,
  encode = encodeTombstones,
}: TombstoneWriterServices) {
  const waiting = new Map<number, Waiting[]>()
  const newest = new Map<number, OwnBatch>()

  /**
   * Erases events of a project of a bucket: no read that begins after the promise resolves returns them.
   * Returns the number under which the manifest has the progress. Throws UNAVAILABLE if the manifest changes
   * too often, or has MAX_BATCHES.
   */
  function add(bucket: number, erased: ErasedEvents): Promise<number> {
    const written = Promise.withResolvers<number>()
    const queue = waiting.get(bucket)
    if (queue !== undefined) queue.push({ erased, written })
    else {
      waiting.set(bucket, [{ erased, written }])
      void writeWaiting(bucket)
    }
    return written.promise
  }

  async function writeWaiting(bucket: number): Promise<void> {
    // Requests of one moment share the first batch.
    await null
    for (;;) {
      const group = waiting.get(bucket)?.splice(0) ?? []
      if (group.length === 0) break
      try {
        const number = await save(
          bucket,
          group.map(({ erased }) => erased),
        )
        for (const { written } of group) written.resolve(number)
      } catch (error) {
        for (const { written } of group) written.reject(error)
      }
    }
    waiting.delete(bucket)
  }

  /** Saves erasures as the newest batch of the bucket. */
  async function save(bucket: number, erased: readonly ErasedEvents[]): Promise<number> {
    for (let tries = 0; tries < SAVE_TRIES; tries++) {
      const manifest = await state.manifest(bucket)
      const own = newest.get(bucket)
      const replaced = own && openBatch(manifest, own)
      if (replaced === undefined && manifest.tombstones.length >= MAX_BATCHES) {
        throw unavailable('Too many erasures are under way. Send the same request again in a minute.', 60)
      }
      const number = nextNumber(manifest)
      const now = clock.now()
      const writer = `${now}-${randomBytes(4).toString('hex')}`
      const added = erased.flatMap(each => toTombstoneRows(each, number))
      const rows = own && replaced ? [...own.rows, ...added] : added
      await lake.put(tombstoneKey(bucket, { number, writer }), encode(rows))
      const batch = { number, first: replaced?.first ?? number, writer, ...describeRows(rows) }
      if (!(await state.saveManifest(addBatch(manifest, batch, now, replaced)))) continue
      const openedAt = own && replaced ? own.openedAt : now
      if (rows.length < OPEN_ROWS) newest.set(bucket, { number, writer, openedAt, rows })
      for (const [each, { openedAt }] of newest) if (now - openedAt >= OPEN_MS) newest.delete(each)
      return number
    }
    throw unavailable('The erasure could not be saved. Send the same request again in 5 seconds.', 5)
  }

  /** The newest batch of the manifest, if it is young and of this process. */
  function openBatch({ tombstones }: Manifest, own: OwnBatch): TombstoneBatch | undefined {
    const last = tombstones.at(-1)
    const isOpen =
      last?.number === own.number &&
      last.writer === own.writer &&
      last.lastEpoch === null &&
      clock.now() - own.openedAt < OPEN_MS
    return isOpen ? last : undefined
  }

  return { add }
}
