import type { Lake } from '#core/ports'
import { hotPrefix } from './keys.ts'
import type { Segment } from './manifest.ts'
import type { LakeStateStore } from './state.ts'
import type { Tombstone } from './tombstones.ts'

/** The files in which a read finds the events of one bucket: segments, and the hot files of the epochs from `compacted` on. */
export type Snapshot = {
  /** Watermark: epochs below it are in segments. */
  compacted: number
  /** The newest epoch. */
  epoch: number
  segments: readonly Segment[]
  /** Keys of the hot files of the epochs [compacted, epoch]. */
  hot: readonly string[]
  /** The erasures of the bucket: no read returns these events. */
  tombstones: readonly Tombstone[]
}

/** The lake at one time. Snapshots of several buckets see the same hot files. */
export type LakeSnapshot = { ofBucket(bucket: number): Promise<Snapshot> }

export type SnapshotServices = {
  state: Pick<LakeStateStore, 'lake' | 'manifest'>
  lake: Pick<Lake, 'list'>
}

/**
 * Opens the lake for reads. The newest epoch is read at once, and each manifest and each epoch's hot files when a report first
 * needs them. An event that was in the lake at the time of the call is in every snapshot exactly once: a later manifest only
 * says that more epochs are in segments, and superseded files are kept for a day.
 */
export async function openLake({ state, lake }: SnapshotServices): Promise<LakeSnapshot> {
  const { epoch } = await state.lake()
  const snapshots = new Map<number, Promise<Snapshot>>()
  const hotFiles = new Map<number, Promise<string[]>>()

  function listHot(ofEpoch: number): Promise<string[]> {
    const listing =
      hotFiles.get(ofEpoch) ?? lake.list(hotPrefix(ofEpoch)).then(objects => objects.map(({ key }) => key))
    hotFiles.set(ofEpoch, listing)
    return listing
  }

  async function takeSnapshot(bucket: number): Promise<Snapshot> {
    const { compacted, segments, tombstones } = await state.manifest(bucket)
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
  }
}
