import QuickLRU from 'quick-lru'
import { unavailable } from '#core/errors'
import { hotPrefix, parseSegmentKey, tombstoneKey, tombstonePrefix } from '#core/lake/model/keys'
import { isSame, type Manifest } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import type { LakeStateStore } from '#core/lake/model/state'
import type { TombstoneBatch } from '#core/lake/model/tombstone-batch'
import type { FileSize, FileSizes, Lake, LakeObject } from '#core/ports'

/**
 * The files in which a read finds the events of one bucket: segments, and the hot files of the epochs from
 * `compacted` on.
 */
export type Snapshot = {
  /** Watermark: epochs below it are in segments. */
  compacted: number
  /** The newest epoch. */
  epoch: number
  segments: readonly Segment[]
  /** Keys of the hot files of the epochs [compacted, epoch]. */
  hot: readonly string[]
  /** The erasures of the bucket: no read returns these events. */
  tombstones: readonly TombstoneBatch[]
}

/** The lake at one time. Snapshots of several buckets see the same hot files. */
export type LakeSnapshot = FileSizes & {
  ofBucket(bucket: number): Promise<Snapshot>
  /**
   * The newest arrival that the snapshots taken so far know, Unix ms; null without one. For an event in a hot
   * file it is the time at which the file was written, which is up to a minute later.
   */
  newestArrival(): number | null
}

/** Bytes of an event in a hot file, measured on demo traffic. */
const HOT_EVENT_BYTES = 30
/**
 * The share of a segment's bytes that one of its rollups takes at most; measured on demo traffic: 6 to 17 %.
 */
const ROLLUP_SHARE = 0.25

export type SnapshotServices = {
  state: Pick<LakeStateStore, 'lake' | 'manifest'>
  lake: Pick<Lake, 'list'>
}

/**
 * Opens the lake for reads. The newest epoch is read at once, and each manifest and each epoch's hot files
 * when a report first needs them. An event that was in the lake at the time of the call is in every snapshot
 * exactly once: a later manifest only says that more epochs are in segments, and superseded files are kept
 * for a day.
 */
export async function openLake({ state, lake }: SnapshotServices): Promise<LakeSnapshot> {
  const { epoch } = await state.lake()
  const snapshots = new Map<number, Promise<Snapshot>>()
  const hotFiles = new Map<number, Promise<string[]>>()
  const hotObjects = new Map<string, LakeObject>()
  const segmentsOf = new Map<number, readonly Segment[]>()

  function listHot(ofEpoch: number): Promise<string[]> {
    const listing = hotFiles.get(ofEpoch) ?? lake.list(hotPrefix(ofEpoch)).then(noteHot)
    hotFiles.set(ofEpoch, listing)
    return listing
  }

  function noteHot(objects: readonly LakeObject[]): string[] {
    for (const object of objects) hotObjects.set(object.key, object)
    return objects.map(({ key }) => key)
  }

  async function takeSnapshot(bucket: number): Promise<Snapshot> {
    const manifest = await state.manifest(bucket)
    await assertTombstones(lake, manifest)
    const { compacted, segments, tombstones } = manifest
    segmentsOf.set(bucket, segments)
    const epochs = Array.from({ length: Math.max(0, epoch - compacted + 1) }, (_, i) => compacted + i)
    const hot = (await Promise.all(epochs.map(listHot))).flat()
    return { compacted, epoch, segments, hot, tombstones }
  }

  return {
    ofBucket(bucket) {
      const snapshot = snapshots.get(bucket) ?? takeSnapshot(bucket)
      snapshots.set(bucket, snapshot)
      return snapshot
    },
    newestArrival() {
      const written = [...hotObjects.values()].flatMap(({ writtenAt }) => writtenAt ?? [])
      const arrived = [...segmentsOf.values()].flat().map(({ lastArrival }) => lastArrival * 1_000)
      const newest = [...written, ...arrived].reduce((latest, at) => Math.max(latest, at), 0)
      return newest === 0 ? null : newest
    },
    sizeOf(key) {
      const hot = hotObjects.get(key)
      if (hot !== undefined) return { bytes: hot.size, rows: Math.ceil(hot.size / HOT_EVENT_BYTES) }
      return sizeOfSegmentFile(key, segmentsOf)
    },
  }
}

/** Files of tombstones that a process knows to exist. */
const knownTombstones = new WeakMap<object, QuickLRU<string, true>>()
const MAX_KNOWN = 10_000

/**
 * An engine that finds no file where a statement names one may take it for empty, and would show erased
 * events.
 */
async function assertTombstones(
  lake: Pick<Lake, 'list'>,
  { bucket, tombstones }: Pick<Manifest, 'bucket' | 'tombstones'>,
): Promise<void> {
  const known = knownTombstones.get(lake) ?? new QuickLRU<string, true>({ maxSize: MAX_KNOWN })
  knownTombstones.set(lake, known)
  const isMissing = () => tombstones.some(batch => !known.has(tombstoneKey(bucket, batch)))
  if (!isMissing()) return
  for (const { key } of await lake.list(tombstonePrefix(bucket))) known.set(key, true)
  if (isMissing())
    throw unavailable('Erasures cannot be read now. Send the same request again in ten minutes.', 600)
}

/** A manifest has the bytes of all files of a segment together. */
function sizeOfSegmentFile(
  key: string,
  segmentsOf: ReadonlyMap<number, readonly Segment[]>,
): FileSize | null {
  const file = parseSegmentKey(key)
  if (file === null) return null
  const segment = segmentsOf.get(file.bucket)?.find(each => isSame(each, file.segment))
  if (segment === undefined) return null
  const share = file.table === 'segment_events' ? 1 : ROLLUP_SHARE
  return {
    rows: Math.ceil(segment.rows / segment.parts),
    bytes: Math.ceil((segment.bytes * share) / segment.parts),
  }
}
