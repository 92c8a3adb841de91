import { BUCKETS } from '#schemas/columns'
import { changeManifest } from './change-manifest.ts'
import { addEmptyEpoch, type EmptyEpochs, skipEmpty } from './empty-epochs.ts'
import { addEpoch, emptyManifest, type Manifest } from './manifest.ts'
import type { ManifestItems } from './manifest-items.ts'
import type { LakeStateStore, ReadableManifests } from './state.ts'

export type ManifestStore = Pick<
  LakeStateStore,
  | 'manifest'
  | 'manifests'
  | 'readableManifests'
  | 'manifestHeads'
  | 'namedKeys'
  | 'adoptManifests'
  | 'saveManifest'
  | 'skipEpoch'
  | 'saveSkippedEpochs'
  | 'forgetSkippedEpochs'
>

/**
 * `saved`: the manifest as it is stored. `manifest`: the same, with its watermark moved over empty epochs.
 */
type SavedManifest = { saved: Manifest; manifest: Manifest }

/** The manifests with the watermarks that the empty epochs give them. */
export function createManifestStore(items: ManifestItems): ManifestStore {
  async function manifest(bucket: number): Promise<Manifest> {
    const [saved, emptyEpochs] = await Promise.all([items.readManifest(bucket), items.readEmptyEpochs()])
    return skipEmpty(saved ?? emptyManifest(bucket), emptyEpochs)
  }

  async function readReadable(): Promise<ReadableManifests<SavedManifest>> {
    const [read, emptyEpochs] = await Promise.all([items.readReadable(), items.readEmptyEpochs()])
    const ofBucket = new Map(read.manifests.map(each => [each.bucket, each]))
    const unreadable = read.unreadable.map(head => skipEmpty(head, emptyEpochs))
    const isUnreadable = new Set(unreadable.map(({ bucket }) => bucket))
    const manifests = Array.from({ length: BUCKETS }, (_, bucket) => {
      const saved = ofBucket.get(bucket) ?? emptyManifest(bucket)
      return { saved, manifest: skipEmpty(saved, emptyEpochs) }
    })
    return { manifests: manifests.filter((_, bucket) => !isUnreadable.has(bucket)), unreadable }
  }

  /** Throws if a manifest cannot be read now. */
  async function readAll(): Promise<SavedManifest[]> {
    const { manifests, unreadable } = await readReadable()
    if (unreadable[0] !== undefined) throw unreadable[0].error
    return manifests
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
    async readableManifests() {
      const { manifests, unreadable } = await readReadable()
      return { manifests: manifests.map(each => each.manifest), unreadable }
    },
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
