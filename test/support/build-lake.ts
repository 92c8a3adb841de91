import type { StreamRecord } from '#core/ingest/record'
import { applyReplacements, countGeneration, writeWithoutReplaced } from '#core/lake/compact/replaced-events'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { hotColumnsOf } from '#core/lake/consume/hot-columns'
import type { Compactor } from '#core/lake/model/compactor'
import { hotKey, segmentKeys } from '#core/lake/model/keys'
import { addEpoch, emptyManifest, type Manifest, replaceSegments } from '#core/lake/model/manifest'
import { type LakeSnapshot, openLake, type Snapshot } from '#core/lake/read/snapshot'
import type { Lake, LakeObject } from '#core/ports'
import { createCompactor } from '#duckdb/compactor'
import { BUCKETS } from '#schemas/columns'

export type EventsRecord = Extract<StreamRecord, { kind: 'events' }>

export type LakeContent = {
  lake: Lake
  /** Folder for the compactor's temporary files. */
  tempDir: string
  /** Epochs from 1 on. Each is a list of hot files, and each file a list of records. */
  epochs: readonly (readonly (readonly EventsRecord[])[])[]
  /** Epochs below this one are in segments. Default: none. */
  compacted?: number
  /**
   * Ends of merged segments, ascending: all epochs between two ends become one segment a bucket. Default:
   * none is merged.
   */
  mergeEnds?: readonly number[]
  compactor?: Compactor
  /** The shard in the keys of hot files. Default: `0`. */
  shard?: string
}

export type BuiltLake = {
  /** Opens the lake like a read of the service. */
  openLake(): Promise<LakeSnapshot>
  snapshot(bucket: number): Promise<Snapshot>
  /** The manifests of all buckets. A changed one is read by the next snapshot. */
  manifests: Map<number, Manifest>
  compactor: Compactor
}

/** Writes a lake with the service's own encoder and compactor, and returns what reads it. */
export async function buildLake({
  lake,
  tempDir,
  epochs,
  compacted = 1,
  mergeEnds = [],
  compactor = createCompactor({ lake, tempDir, log: () => {}, threads: 1, minComparedEvents: 0 }),
  shard = '0',
}: LakeContent): Promise<BuiltLake> {
  const manifests = new Map(Array.from({ length: BUCKETS }, (_, bucket) => [bucket, emptyManifest(bucket)]))

  for (const [i, files] of epochs.entries()) {
    const epoch = i + 1
    const hot = await writeHotFiles(lake, epoch, files, shard)
    if (epoch < compacted) await compactEpoch(epoch, hot)
    if (mergeEnds.includes(epoch + 1)) await mergeUntil(epoch + 1)
  }

  async function compactEpoch(epoch: number, hot: LakeObject[]): Promise<void> {
    const buckets = [...manifests.values()].map(({ bucket, segments, tombstones, tombstoneCount }) => {
      const withIds = segments.filter(({ eventIds }) => eventIds > 0)
      const eventIds = withIds.flatMap(each => segmentKeys('segment_event_ids', bucket, each))
      return { bucket, eventIds, generation: tombstoneCount, tombstones, older: segments }
    })
    for (const result of await compactor.compactEpoch({ epoch, hot, buckets })) {
      if ('failure' in result) throw result.failure
      const manifest = manifestOf(result.bucket)
      if (result.replaced.length === 0) {
        manifests.set(result.bucket, addEpoch(manifest, epoch, result.segment))
        continue
      }
      const counted = countGeneration(manifest)
      const replacements = await writeWithoutReplaced(compactor, counted, result.replaced)
      const added = addEpoch(counted, epoch, result.segment)
      manifests.set(result.bucket, applyReplacements(added, replacements, 0))
    }
  }

  async function mergeUntil(end: number): Promise<void> {
    const start = Math.max(1, ...mergeEnds.filter(other => other < end))
    for (const manifest of manifests.values()) {
      const segments = manifest.segments.filter(({ from }) => from >= start)
      const [first, last] = [segments.at(0), segments.at(-1)]
      if (first === undefined || last === undefined || first === last) continue
      const older = manifest.segments.filter(({ until }) => until <= first.from)
      const target = { from: first.from, until: last.until, generation: first.erased }
      const { bucket } = manifest
      const merged = await compactor.mergeSegments({ bucket, segments, target, tombstones: [], older })
      manifests.set(bucket, replaceSegments(manifest, segments, merged.segment, 0) ?? manifest)
    }
  }

  function manifestOf(bucket: number): Manifest {
    return manifests.get(bucket) ?? emptyManifest(bucket)
  }

  const state = {
    lake: async () => ({
      epoch: Math.max(epochs.length, compacted),
      fence: 0,
      leaseUntil: 0,
      epochOpenedAt: 0,
      epochTimes: [],
    }),
    manifest: async (bucket: number) => manifestOf(bucket),
  }
  const open = () => openLake({ state, lake })
  return { openLake: open, snapshot: async bucket => (await open()).ofBucket(bucket), manifests, compactor }
}

async function writeHotFiles(
  lake: Lake,
  epoch: number,
  files: readonly (readonly EventsRecord[])[],
  shard: string,
): Promise<LakeObject[]> {
  const objects: LakeObject[] = []
  for (const [file, records] of files.entries()) {
    const key = hotKey(shard, { first: String(file), last: String(file), epoch })
    const bytes = encodeHot(hotColumnsOf(records))
    await lake.put(key, bytes)
    objects.push({ key, size: bytes.length })
  }
  return objects
}
