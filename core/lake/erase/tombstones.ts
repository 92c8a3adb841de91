import { hash } from 'node:crypto'
import type { Manifest } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import type { NewBatch, RemovedEvents, TombstoneBatch } from '#core/lake/model/tombstone-batch'

/**
 * A tombstone names events that were erased. From then on no read returns them (erased-events.ts), compaction
 * leaves them out, and the job `rewrite` writes the segments that have them anew. Tombstones are rows of
 * small files (tombstone-file.ts). The manifest of their bucket names the files in batches, so every snapshot
 * has them, one join hides any number of them, and no item of the state has an id.
 */

/** A batch of at most so many projects lists them, so that reads of the others need not open its file. */
export const MAX_LISTED_PROJECTS = 4

/**
 * The largest number of batches of a bucket; the object of a manifest holds them all, at most 250 bytes each.
 * Writers add two a minute (tombstone-writer.ts), and those that are done are merged, so a bucket has this
 * many only when maintenance stands still for hours.
 */
export const MAX_BATCHES = 400
/** An event may be dated so much after its arrival (docs/api/ingestion.md), s. */
const MAX_AHEAD_SECONDS = 300
/**
 * What arrived before this time is in no hot file, ms: a consumer is behind by 24 hours at most, and hot
 * files are deleted a day later.
 */
const IN_SEGMENTS_MS = 72 * 3_600_000

export const HASH_DIGITS = 16

/**
 * The first 64 bits of the SHA-256 of a user_id, as 16 digits. Neither state nor tombstones keep an id of an
 * erased person.
 */
export function userHash(userId: string): string {
  return hash('sha256', userId, 'hex').slice(0, HASH_DIGITS).toUpperCase()
}

/** The user_key (shortKey of core/lake/consume/id-keys.ts) of the user with this userHash. */
export function userKeyOf(userHashDigits: string): number {
  return Number(BigInt(`0x${userHashDigits}`) >> 11n)
}

/** The number of the next batch. A manifest that was restored may be older than its segments. */
export function nextNumber({ tombstoneCount, segments, retired }: Manifest): number {
  return [...segments, ...retired].reduce((most, { erased }) => Math.max(most, erased), tombstoneCount) + 1
}

/**
 * Adds a batch with the number nextNumber. `replaced`: the newest batch, whose rows the new one has too.
 * Segments whose events are all too new for it are cleared at once, and hot files that are too new are not
 * rewritten.
 */
export function addBatch(
  manifest: Manifest,
  batch: NewBatch,
  now: number,
  replaced?: TombstoneBatch,
): Manifest {
  const { version, segments } = manifest
  const before = manifest.tombstones.filter(({ number }) => number !== replaced?.number)
  const isInSegments = batch.newestUntil * 1_000 < now - IN_SEGMENTS_MS
  const added: TombstoneBatch = {
    ...batch,
    createdAt: now,
    ...(isInSegments ? { lastEpoch: 0, hotUntil: 1 } : { lastEpoch: null, hotUntil: 0 }),
    doneAt: null,
    removed: replaced?.removed ?? { events: 0, files: 0 },
  }
  const isTooNew = (segment: Segment) =>
    segment.firstAt >= (batch.newestUntil + 1 + MAX_AHEAD_SECONDS) * 1_000 &&
    openTombstones({ tombstones: before }, segment).length === 0
  return {
    ...manifest,
    version: version + 1,
    segments: segments.map(segment => (isTooNew(segment) ? { ...segment, erased: batch.number } : segment)),
    tombstones: [...before, added],
    tombstoneCount: batch.number,
  }
}

/** The batch that has the tombstones of this number; undefined if they are forgotten. */
export function findBatch(
  { tombstones }: Pick<Manifest, 'tombstones'>,
  number: number,
): TombstoneBatch | undefined {
  return tombstones.find(batch => batch.first <= number && number <= batch.number)
}

/** The batches whose events the segment may have. */
export function openTombstones(
  { tombstones }: Pick<Manifest, 'tombstones'>,
  { erased }: Pick<Segment, 'erased'>,
): TombstoneBatch[] {
  return tombstones.filter(({ number }) => number > erased)
}

/** The segments that may have events that were erased up to this number. */
export function unclearedSegments(
  manifest: Pick<Manifest, 'segments' | 'tombstones'>,
  upTo = Number.POSITIVE_INFINITY,
): Segment[] {
  return manifest.segments.filter(
    segment => segment.erased < upTo && openTombstones(manifest, segment).length > 0,
  )
}

/**
 * Notes that the segment has no events of the tombstones up to `number`. Null if the manifest no longer has
 * this segment.
 */
export function markCleared(manifest: Manifest, cleared: Segment, number: number): Manifest | null {
  const index = manifest.segments.findIndex(
    ({ from, until, generation, erased }) =>
      from === cleared.from &&
      until === cleared.until &&
      generation === cleared.generation &&
      erased === cleared.erased,
  )
  if (index < 0) return null
  const segments = manifest.segments.with(index, { ...(manifest.segments[index] as Segment), erased: number })
  return { ...manifest, version: manifest.version + 1, segments }
}

/**
 * Counts removed events. `files`: rewritten files. `epoch`: a compaction left out the events of its hot
 * files, which then stay for a while; the tombstones are in force until they are deleted.
 */
export function addRemoved(
  manifest: Manifest,
  removedEvents: readonly RemovedEvents[],
  { files, epoch = 0 }: { files: number; epoch?: number },
): Manifest {
  const tombstones = manifest.tombstones.map(batch => {
    const events = removedEvents
      .filter(({ number }) => batch.first <= number && number <= batch.number)
      .reduce((sum, removed) => sum + removed.events, 0)
    if (events === 0) return batch
    const { removed, lastEpoch } = batch
    const isLate = lastEpoch !== null && lastEpoch < epoch
    return {
      ...batch,
      ...(isLate && { lastEpoch: epoch, doneAt: null }),
      removed: { events: removed.events + events, files: removed.files + files },
    }
  })
  return { ...manifest, tombstones }
}

/**
 * Notes the newest epoch for batches whose events had time to reach the lake. Null if there is nothing to
 * note.
 */
export function noteLastEpoch(manifest: Manifest, epoch: number, settledBefore: number): Manifest | null {
  return changeTombstones(manifest, batch =>
    batch.lastEpoch === null && batch.createdAt <= settledBefore ? { ...batch, lastEpoch: epoch } : batch,
  )
}

/**
 * Notes when the events of batches were gone from all files. `sweptBefore`: files that no manifest names and
 * that jobs have written that began before this time (Unix ms) are deleted, as far as they had events of the
 * tombstones up to `cleared`. `scrubbedUntil`: nothing outside the lake has erased events that arrived
 * before. Null if there is nothing to note.
 */
export function noteDone(
  manifest: Manifest,
  {
    sweptBefore,
    cleared,
    scrubbedUntil,
    now,
  }: { sweptBefore: number; cleared: number; scrubbedUntil: number; now: number },
): Manifest | null {
  const oldestErased = Math.min(...[...manifest.segments, ...manifest.retired].map(({ erased }) => erased))
  return changeTombstones(manifest, batch => {
    const { number, createdAt, doneAt } = batch
    const isSwept = createdAt <= sweptBefore && number <= cleared && oldestErased >= number
    const isDone = isHotCleared(batch) && isSwept && createdAt < scrubbedUntil
    return doneAt === null && isDone ? { ...batch, doneAt: now } : batch
  })
}

/** Whether the hot files that may have had the events were written anew. */
export function isHotCleared({ lastEpoch, hotUntil }: TombstoneBatch): boolean {
  return lastEpoch !== null && lastEpoch < hotUntil
}

/**
 * The next job for the hot files that all buckets have in segments (`compacted`: their lowest watermark, also
 * of a bucket whose manifest cannot be read): the epochs [from, until), and the batches
 * of the rounds so far whose events they may have. Null without any. Batches that have come equally far go
 * together, and those that have come furthest go first. So a pass over all files is finished, however many
 * rounds begin meanwhile, and the next one is for all of these.
 */
export function nextHotRewrite(
  manifests: readonly Manifest[],
  compacted: number,
): { from: number; until: number; tombstones: { bucket: number; number: number }[] } | null {
  const inHot = manifests.flatMap(({ bucket, tombstones, round }) =>
    tombstones.flatMap(({ number, lastEpoch, hotUntil }) =>
      number <= round.number && lastEpoch !== null && lastEpoch < compacted && hotUntil <= lastEpoch
        ? [{ bucket, number, lastEpoch, hotUntil }]
        : [],
    ),
  )
  if (inHot.length === 0) return null
  const from = Math.max(...inHot.map(({ hotUntil }) => hotUntil))
  const together = inHot.filter(({ hotUntil }) => hotUntil === from)
  return {
    from,
    until: 1 + Math.max(...together.map(({ lastEpoch }) => lastEpoch)),
    tombstones: together.map(({ bucket, number }) => ({ bucket, number })),
  }
}

/**
 * Notes that the hot files below the epoch `until` have no events of these batches. Null if there is nothing
 * to note.
 */
export function noteHotCleared(
  manifest: Manifest,
  numbers: readonly number[],
  until: number,
): Manifest | null {
  return changeTombstones(manifest, batch =>
    numbers.includes(batch.number) && batch.hotUntil < until ? { ...batch, hotUntil: until } : batch,
  )
}

/** Drops batches that are no longer in force. Null if there are none. */
export function dropTombstones(manifest: Manifest, dropped: readonly TombstoneBatch[]): Manifest | null {
  const numbers = new Set(dropped.map(({ number }) => number))
  const tombstones = manifest.tombstones.filter(({ number }) => !numbers.has(number))
  return tombstones.length === manifest.tombstones.length
    ? null
    : { ...manifest, version: manifest.version + 1, tombstones }
}

function changeTombstones(
  manifest: Manifest,
  change: (batch: TombstoneBatch) => TombstoneBatch,
): Manifest | null {
  const tombstones = manifest.tombstones.map(change)
  const isUnchanged = tombstones.every((batch, i) => batch === manifest.tombstones[i])
  return isUnchanged ? null : { ...manifest, version: manifest.version + 1, tombstones }
}
