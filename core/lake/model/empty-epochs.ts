import { BUCKETS } from '#schemas/columns'
import { changeManifest } from './change-manifest.ts'
import { addEpoch, emptyManifest, type Manifest } from './manifest.ts'
import type { AdoptedManifests, BeforeAdopting, LakeStateStore, ManifestHead, NamedKeys } from './state.ts'

/**
 * Most buckets have no event in an epoch. One item of the state says so for all of them, instead of a write
 * of each manifest: for each bucket a range of closed epochs whose hot files have no event of the bucket. A
 * manifest whose watermark is in the range counts as compacted up to its end.
 *
 * This needs no order between the writes of the item and those of the manifests. The hot files of a closed
 * epoch never change, so what the item says stays true, whatever happens to the manifest: between `compacted`
 * and the end of the range there is nothing to compact. A range is only replaced by a later one, and
 * `compacted` is at its start by then, so no watermark ever goes back. The next change of a manifest saves
 * the watermark with it.
 *
 * The item may be lost: then the epochs are compacted again. Their hot files still exist, because maintenance
 * saves all watermarks before it deletes superseded files, and deletes by the saved ones. An older version,
 * which knows the manifests alone, goes on in the same way.
 */
export type EmptyEpochs = {
  /** The number of changes. A change is saved only if no other change was saved since it was read. */
  version: number
  /** By bucket. */
  ranges: ReadonlyMap<number, EpochRange>
}

/** The epochs [from, until). */
export type EpochRange = { from: number; until: number }

export const NO_EMPTY_EPOCHS: EmptyEpochs = { version: 0, ranges: new Map() }

/**
 * The items of the manifests, each as it was saved, and the item of the empty epochs. Every change is one
 * conditional write.
 */
export type ManifestItems = {
  /** Null if it was never saved. */
  readManifest(bucket: number): Promise<Manifest | null>
  readManifests(): Promise<Manifest[]>
  /** Without opening their objects. */
  readHeads(): Promise<ManifestHead[]>
  saveManifest(manifest: Manifest): Promise<boolean>
  /** See LakeStateStore. */
  namedKeys(): Promise<NamedKeys>
  /** See LakeStateStore. */
  adoptManifests(before?: BeforeAdopting): Promise<AdoptedManifests>
  readEmptyEpochs(): Promise<EmptyEpochs>
  /** Holds if the saved item has the version before it. */
  saveEmptyEpochs(emptyEpochs: EmptyEpochs): Promise<boolean>
}

export type ManifestStore = Pick<
  LakeStateStore,
  | 'manifest'
  | 'manifests'
  | 'manifestHeads'
  | 'namedKeys'
  | 'adoptManifests'
  | 'saveManifest'
  | 'skipEpoch'
  | 'saveSkippedEpochs'
  | 'forgetSkippedEpochs'
>

/** The manifests with the watermarks that the empty epochs give them. */
export function createManifestStore(items: ManifestItems): ManifestStore {
  async function manifest(bucket: number): Promise<Manifest> {
    const [saved, emptyEpochs] = await Promise.all([items.readManifest(bucket), items.readEmptyEpochs()])
    return skipEmpty(saved ?? emptyManifest(bucket), emptyEpochs)
  }

  async function readAll(): Promise<{ saved: Manifest; manifest: Manifest }[]> {
    const [manifests, emptyEpochs] = await Promise.all([items.readManifests(), items.readEmptyEpochs()])
    const ofBucket = new Map(manifests.map(each => [each.bucket, each]))
    return Array.from({ length: BUCKETS }, (_, bucket) => {
      const saved = ofBucket.get(bucket) ?? emptyManifest(bucket)
      return { saved, manifest: skipEmpty(saved, emptyEpochs) }
    })
  }

  /** Returns the empty epochs after the change. `change` returns null if there is nothing to do. */
  async function changeEmptyEpochs(
    change: (emptyEpochs: EmptyEpochs) => EmptyEpochs | null,
  ): Promise<EmptyEpochs> {
    for (;;) {
      const current = await items.readEmptyEpochs()
      const next = change(current)
      if (next === null) return current
      if (await items.saveEmptyEpochs(next)) return next
    }
  }

  /** Saves the manifest with its watermark. `current`: as it was read. */
  async function saveWatermark(current: Manifest): Promise<Manifest> {
    const next = { ...current, version: current.version + 1 }
    return (await items.saveManifest(next)) ? next : saveWatermark(await manifest(current.bucket))
  }

  const store: ManifestStore = {
    manifest,
    manifests: async () => (await readAll()).map(each => each.manifest),
    async manifestHeads() {
      const [heads, emptyEpochs] = await Promise.all([items.readHeads(), items.readEmptyEpochs()])
      const ofBucket = new Map(heads.map(each => [each.bucket, each]))
      return Array.from({ length: BUCKETS }, (_, bucket) =>
        skipEmpty(ofBucket.get(bucket) ?? { bucket, compacted: 1, bytes: 0 }, emptyEpochs),
      )
    },
    namedKeys: () => items.namedKeys(),
    adoptManifests: before => items.adoptManifests(before),
    saveManifest: changed => items.saveManifest(changed),
    async skipEpoch(epoch, buckets) {
      const { ranges } = await changeEmptyEpochs(emptyEpochs => addEmptyEpoch(emptyEpochs, epoch, buckets))
      // A later range is kept. Only if the item was lost in the meantime, a watermark is still before it.
      for (const bucket of buckets.filter(each => epoch < (ranges.get(each)?.from ?? 0)))
        await changeManifest(store, bucket, current =>
          current.compacted === epoch ? addEpoch(current, epoch, null) : null,
        )
    },
    async saveSkippedEpochs() {
      const settled: Manifest[] = []
      for (const { saved, manifest: current } of await readAll())
        settled.push(current.compacted > saved.compacted ? await saveWatermark(current) : saved)
      return settled
    },
    async forgetSkippedEpochs() {
      await changeEmptyEpochs(({ version, ranges }) =>
        ranges.size === 0 ? null : { version: version + 1, ranges: new Map() },
      )
    },
  }
  return store
}

/** The manifest with its watermark after the empty epochs. */
export function skipEmpty<M extends Pick<Manifest, 'bucket' | 'compacted'>>(
  manifest: M,
  { ranges }: Pick<EmptyEpochs, 'ranges'>,
): M {
  const { bucket, compacted } = manifest
  const range = ranges.get(bucket)
  const isInRange = range !== undefined && range.from <= compacted && compacted < range.until
  return isInRange ? { ...manifest, compacted: range.until } : manifest
}

/** Adds the epoch to the ranges of these buckets. Null if they have it, or later epochs. */
export function addEmptyEpoch(
  { version, ranges }: EmptyEpochs,
  epoch: number,
  buckets: readonly number[],
): EmptyEpochs | null {
  const added = buckets.flatMap((bucket): [number, EpochRange][] => {
    const range = ranges.get(bucket)
    if (range !== undefined && epoch < range.until) return []
    const from = range?.until === epoch ? range.from : epoch
    return [[bucket, { from, until: epoch + 1 }]]
  })
  return added.length === 0 ? null : { version: version + 1, ranges: new Map([...ranges, ...added]) }
}
