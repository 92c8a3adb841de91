import { hash } from 'node:crypto'
import { DAY_MS } from '#core/time'
import type { Manifest, Segment } from './manifest.ts'

/**
 * A tombstone names events that were erased. From then on no read returns them (relations.ts), compaction leaves them out, and
 * the job `rewrite` writes the segments that have them anew. It stands in the manifest of its bucket, so every snapshot has it, and
 * what was removed is counted by the same write that makes the removal visible.
 */
export type Tombstone = ErasedEvents & {
  /** Counts the tombstones of the bucket, from 1. The generation of a segment is the last number that was known when it was written. */
  number: number
  /** What the erasure is called: an erasure (era_…), or a purged project. */
  id: string
  /** Unix ms. */
  createdAt: number
  /** No event that arrived before it is in a later hot file, as far as is known; null until that can be said. */
  lastEpoch: number | null
  /** The hot files of the epochs below this one were written anew without the events. */
  hotUntil: number
  /** When all files were first without the events, Unix ms; null before. */
  doneAt: number | null
  /** Events and files that were removed and rewritten so far. */
  removed: Removed
}

/** The events of a project that an erasure removes: those for which all conditions hold. */
export type ErasedEvents = {
  project_id: string
  /** userHash of each id of the person; null: the events of all users, and those without a user. */
  users: readonly string[] | null
  /** Only events that arrived in this Unix second or before. A later event of the same id is one of a new person. */
  until: number
}

export type Removed = { events: number; files: number }

/** What one job has removed of the events of one tombstone. */
export type RemovedEvents = { number: number; events: number }

/** The largest number of tombstones of a bucket. One item of the state holds them all, and its size is limited. */
export const MAX_TOMBSTONES = 400

/**
 * How long a tombstone stays in force at least, ms. A consumer may be behind by the 24 hours that the stream keeps
 * a record, and what it then brings must be left out too.
 */
export const TOMBSTONE_MS = 48 * 3_600_000

/** An object with records that were set aside, or a failed batch, is deleted after 30 days, ms; on one machine by hand. */
export const SET_ASIDE_MS = 31 * DAY_MS

/** An event may be dated so much after its arrival (contract 1.1), s. */
const MAX_AHEAD_SECONDS = 300
/** What arrived before this time is in no hot file, ms: a consumer is behind by 24 hours at most, and hot files are deleted a day later. */
const IN_SEGMENTS_MS = TOMBSTONE_MS + 24 * 3_600_000

/** The first 64 bits of the SHA-256 of a user_id, as 16 digits. The state keeps no id of an erased person. */
export function userHash(userId: string): string {
  return hash('sha256', userId, 'hex').slice(0, 16).toUpperCase()
}

/** The user_key (shortKey of core/lake/rows.ts) of the user with this userHash. */
export function userKeyOf(userHashDigits: string): number {
  return Number(BigInt(`0x${userHashDigits}`) >> 11n)
}

/**
 * Adds a tombstone. Returns null if the manifest has one of this id, or MAX_TOMBSTONES. Segments whose events are all too new for it are
 * cleared at once, and hot files that are too new are not rewritten.
 */
export function addTombstone(
  manifest: Manifest,
  id: string,
  erased: ErasedEvents,
  now: number,
): Manifest | null {
  const { tombstones, tombstoneCount, version, segments, retired } = manifest
  if (tombstones.length >= MAX_TOMBSTONES || tombstones.some(tombstone => tombstone.id === id)) return null
  // A manifest that was restored may be older than its segments.
  const number = 1 + Math.max(tombstoneCount, ...[...segments, ...retired].map(segment => segment.erased))
  const isInSegments = erased.until * 1_000 < now - IN_SEGMENTS_MS
  const added: Tombstone = {
    ...erased,
    number,
    id,
    createdAt: now,
    ...(isInSegments ? { lastEpoch: 0, hotUntil: 1 } : { lastEpoch: null, hotUntil: 0 }),
    doneAt: null,
    removed: { events: 0, files: 0 },
  }
  const isTooNew = (segment: Segment) =>
    segment.firstAt > (erased.until + MAX_AHEAD_SECONDS) * 1_000 &&
    openTombstones(manifest, segment).length === 0
  return {
    ...manifest,
    version: version + 1,
    segments: segments.map(segment => (isTooNew(segment) ? { ...segment, erased: number } : segment)),
    tombstones: [...tombstones, added],
    tombstoneCount: number,
  }
}

/** The tombstones whose events the segment may have. */
export function openTombstones(
  { tombstones }: Pick<Manifest, 'tombstones'>,
  { erased }: Pick<Segment, 'erased'>,
): Tombstone[] {
  return tombstones.filter(({ number }) => number > erased)
}

/** The segments that may have erased events. */
export function unclearedSegments(manifest: Pick<Manifest, 'segments' | 'tombstones'>): Segment[] {
  return manifest.segments.filter(segment => openTombstones(manifest, segment).length > 0)
}

/** Notes that the segment has no events of the tombstones up to `number`. Null if the manifest no longer has this segment. */
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
 * Counts removed events. `files`: rewritten files. `epoch`: a compaction left out the events of its hot files, which then stay for
 * a while; the tombstone is in force until they are deleted.
 */
export function addRemoved(
  manifest: Manifest,
  removedEvents: readonly RemovedEvents[],
  { files, epoch = 0 }: { files: number; epoch?: number },
): Manifest {
  const tombstones = manifest.tombstones.map(tombstone => {
    const events = removedEvents.find(({ number }) => number === tombstone.number)?.events ?? 0
    if (events === 0) return tombstone
    const { removed, lastEpoch } = tombstone
    const isLate = lastEpoch !== null && lastEpoch < epoch
    return {
      ...tombstone,
      ...(isLate && { lastEpoch: epoch, doneAt: null }),
      removed: { events: removed.events + events, files: removed.files + files },
    }
  })
  return { ...manifest, tombstones }
}

/** Notes the newest epoch for tombstones whose events had time to reach the lake. Null if there is nothing to note. */
export function noteLastEpoch(manifest: Manifest, epoch: number, settledBefore: number): Manifest | null {
  return changeTombstones(manifest, tombstone =>
    tombstone.lastEpoch === null && tombstone.createdAt <= settledBefore
      ? { ...tombstone, lastEpoch: epoch }
      : tombstone,
  )
}

/**
 * Notes when the events of tombstones were gone from all files. `sweptBefore`: no job that began before this time (Unix ms) can still
 * write, and files that no manifest names are deleted. `scrubbedUntil`: nothing outside the lake has erased events that arrived
 * before. Null if there is nothing to note.
 */
export function noteDone(
  manifest: Manifest,
  { sweptBefore, scrubbedUntil, now }: { sweptBefore: number; scrubbedUntil: number; now: number },
): Manifest | null {
  const files = [...manifest.segments, ...manifest.retired]
  return changeTombstones(manifest, tombstone => {
    const { number, lastEpoch, hotUntil, createdAt, doneAt } = tombstone
    const isDone =
      lastEpoch !== null &&
      lastEpoch < hotUntil &&
      createdAt <= sweptBefore &&
      createdAt < scrubbedUntil &&
      files.every(({ erased }) => erased >= number)
    return doneAt === null && isDone ? { ...tombstone, doneAt: now } : tombstone
  })
}

/** The tombstones whose events may be in hot files that all buckets have in segments, with their buckets. */
export function tombstonesInHot(manifests: readonly Manifest[]): { bucket: number; tombstone: Tombstone }[] {
  const compacted = Math.min(...manifests.map(manifest => manifest.compacted))
  return manifests.flatMap(({ bucket, tombstones }) =>
    tombstones
      .filter(
        ({ lastEpoch, hotUntil }) => lastEpoch !== null && lastEpoch < compacted && hotUntil <= lastEpoch,
      )
      .map(tombstone => ({ bucket, tombstone })),
  )
}

/** Notes that the hot files below the epoch `until` have no events of these tombstones. Null if there is nothing to note. */
export function noteHotCleared(
  manifest: Manifest,
  numbers: readonly number[],
  until: number,
): Manifest | null {
  return changeTombstones(manifest, tombstone =>
    numbers.includes(tombstone.number) && tombstone.hotUntil < until
      ? { ...tombstone, hotUntil: until }
      : tombstone,
  )
}

/** Drops tombstones that are no longer in force. Null if there are none. */
export function dropTombstones(manifest: Manifest, dropped: readonly Tombstone[]): Manifest | null {
  const numbers = new Set(dropped.map(({ number }) => number))
  const tombstones = manifest.tombstones.filter(({ number }) => !numbers.has(number))
  return tombstones.length === manifest.tombstones.length
    ? null
    : { ...manifest, version: manifest.version + 1, tombstones }
}

/**
 * Whether the tombstone is no longer needed at `now`. `setAside`: when each object with records that may be appended to the stream again
 * was written, Unix ms. One that was written before the erasure, or by a consumer that was a day behind, may have events of the person.
 */
export function isForgettable(
  { doneAt, createdAt, users }: Tombstone,
  setAside: readonly number[],
  now: number,
): boolean {
  if (doneAt === null || createdAt > now - TOMBSTONE_MS) return false
  const mayComeBack = users !== null && setAside.some(writtenAt => writtenAt <= createdAt + DAY_MS)
  return !mayComeBack || createdAt <= now - SET_ASIDE_MS
}

function changeTombstones(manifest: Manifest, change: (tombstone: Tombstone) => Tombstone): Manifest | null {
  const tombstones = manifest.tombstones.map(change)
  const isUnchanged = tombstones.every((tombstone, i) => tombstone === manifest.tombstones[i])
  return isUnchanged ? null : { ...manifest, version: manifest.version + 1, tombstones }
}
