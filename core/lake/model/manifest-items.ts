import { forEachConcurrent } from '#core/async/concurrency'
import { type ApiError, unavailable } from '#core/errors'
import { Entity } from '#core/state/entity'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import { adoptManifest } from './adopt-manifest.ts'
import { EditionError } from './edition.ts'
import { type EmptyEpochs, type EpochRange, NO_EMPTY_EPOCHS } from './empty-epochs.ts'
import { type ManifestItem, padBucket, toManifest } from './encode-manifest.ts'
import { type ManifestName, manifestKey } from './keys.ts'
import { emptyManifest, type Manifest } from './manifest.ts'
import {
  createManifestObjects,
  type ManifestObjectServices,
  type ManifestPointer,
  type StoredManifest,
} from './manifest-objects.ts'
import { DamagedObjectError } from './packed-json.ts'
import type {
  AdoptedManifests,
  BeforeAdopting,
  ManifestHead,
  NamedKeys,
  ReadableManifests,
  UnreadableManifest,
} from './state.ts'

/**
 * What the state has of a manifest: the name of its object, or, in an item of the first edition, the manifest
 * itself. The next change of such a manifest makes it an object.
 */
export type ManifestEntry = ManifestPointer | { inline: Manifest }

/**
 * The items of the manifests, each as it was saved, and the item of the empty epochs. Every change is one
 * conditional write.
 */
export type ManifestItems = {
  /** Null if it was never saved. */
  readManifest(bucket: number): Promise<Manifest | null>
  /** See LakeStateStore. */
  readReadable(): Promise<ReadableManifests>
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

/**
 * The items that name the manifests, and the item of the empty epochs. Every change is one conditional write.
 */
export type ManifestPointers = Pick<ManifestItems, 'readEmptyEpochs' | 'saveEmptyEpochs'> & {
  /** Null if the bucket never had one. */
  readEntry(bucket: number): Promise<ManifestEntry | null>
  readEntries(): Promise<ManifestEntry[]>
  /**
   * Saves only over a pointer with the version `before`, or over none if it is 0. False: nothing was saved.
   */
  savePointer(pointer: ManifestPointer, before: number): Promise<boolean>
}

type Adopted = AdoptedManifests & { behind: { from: number; until: number }[] }

/** For a manifest whose pointer changes meanwhile, so that a read finds its object deleted. */
const TRIES = 3
/** Objects that are read at the same time. */
const READS_AT_ONCE = 16

/**
 * The manifests behind their pointers. A change writes the object, durably, and then the pointer: from that
 * on it counts, and a crash between the two changes nothing.
 */
export function createManifestItems(
  pointers: ManifestPointers,
  services: ManifestObjectServices,
): ManifestItems {
  const objects = createManifestObjects(services)

  const open = async (entry: ManifestEntry) => ('inline' in entry ? entry.inline : objects.read(entry))

  const openStored = async (entry: ManifestEntry) =>
    'inline' in entry ? wholeOf(entry.inline) : objects.readStored(entry)

  async function readManifest(bucket: number): Promise<Manifest | null> {
    for (let tries = 0; tries < TRIES; tries++) {
      const entry = await pointers.readEntry(bucket)
      const manifest = entry && (await open(entry).catch(unavailableIfDamaged))
      if (entry === null || manifest !== null) return manifest
    }
    throw unreadable('Its object is missing.')
  }

  /**
   * Adopts the manifest of one bucket and adds it to `adopted`. Returns false if an erasure has changed it
   * meanwhile. `names`: of the objects in the lake.
   */
  async function adoptOf(
    bucket: number,
    names: readonly ManifestName[],
    adopted: Adopted,
    beforeAdopting?: BeforeAdopting,
  ): Promise<boolean> {
    const entry = await pointers.readEntry(bucket)
    const version = entry === null ? 0 : versionOf(entry)
    const inForce = entry === null ? wholeOf(emptyManifest(bucket)) : await openStored(entry)
    const { newest } = await objects.readNewest(bucket, names)
    const isKnown = inForce?.isWhole === true
    const base = isKnown ? inForce.manifest : await readBase(bucket, names, version)
    const found = adoptManifest({ version, isKnown, base, newest })
    if (found === null) return true
    const hasErasures = inForce !== null || (newest !== null && newest.version > version)
    const manifest = (await beforeAdopting?.(found, hasErasures)) ?? found
    const { pointer, opened } = await objects.write(manifest)
    if (!(await pointers.savePointer(pointer, version))) return false
    objects.remember(opened)
    adopted.buckets++
    const until = entry === null ? 0 : headOf(entry).compacted
    if (!isKnown && manifest.compacted < until) adopted.behind.push({ from: manifest.compacted, until })
    return true
  }

  /** The newest manifest up to a version, if possible one with all its pages. */
  async function readBase(
    bucket: number,
    names: readonly ManifestName[],
    version: number,
  ): Promise<Manifest> {
    const before = names.filter(name => name.version <= version)
    const { whole, newest } = await objects.readNewest(bucket, before)
    return whole ?? newest ?? emptyManifest(bucket)
  }

  return {
    readManifest,
    async readReadable() {
      const found: ReadableManifests = { manifests: [], unreadable: [] }
      await forEachConcurrent(await pointers.readEntries(), READS_AT_ONCE, async entry => {
        try {
          const manifest = (await open(entry)) ?? (await readManifest(headOf(entry).bucket))
          if (manifest !== null) found.manifests.push(manifest)
        } catch (error) {
          found.unreadable.push(unreadableOf(entry, error))
        }
      })
      return found
    },
    async readHeads() {
      return (await pointers.readEntries()).map(headOf)
    },
    async saveManifest(manifest) {
      const { pointer, opened } = await objects.write(manifest)
      const isSaved = await pointers.savePointer(pointer, pointer.version - 1)
      if (isSaved) objects.remember(opened)
      return isSaved
    },
    async namedKeys() {
      const named = new Map<number, { version: number; keys: string[] }>()
      for (const entry of await pointers.readEntries()) {
        if ('inline' in entry) continue
        if ((await objects.read(entry).catch(nullIfUnreadable)) === null) continue
        const { bucket, version, object } = entry
        const keys = [manifestKey(bucket, { version, ...object }), ...objects.pageKeys(bucket)]
        named.set(bucket, { version, keys })
      }
      return named
    },
    async adoptManifests(beforeAdopting) {
      const named = (await pointers.readEntries()).map(entry => headOf(entry).bucket)
      const stored = await objects.list()
      const adopted: Adopted = { buckets: 0, behind: [] }
      for (const bucket of new Set([...named, ...stored.keys()])) {
        let tries = 0
        while (!(await adoptOf(bucket, stored.get(bucket) ?? [], adopted, beforeAdopting)))
          if (++tries === TRIES) throw new Error(`Other processes change the manifest of bucket ${bucket}`)
      }
      return adopted
    },
    readEmptyEpochs: pointers.readEmptyEpochs,
    saveEmptyEpochs: pointers.saveEmptyEpochs,
  }
}

function wholeOf(manifest: Manifest): StoredManifest {
  return { manifest, isWhole: true }
}

/** The error of a read of a bucket whose manifest cannot be read now. */
function unreadable(cause: unknown): ApiError {
  return unavailable('The lake cannot be read now. Send the same request again in a minute.', 60, cause)
}

/** What cannot be read of one manifest says nothing of the others; a newer form does, so that is thrown. */
function unreadableOf(entry: ManifestEntry, error: unknown): UnreadableManifest {
  if ('inline' in entry || error instanceof EditionError) throw error
  const { bucket, version, object } = entry
  return { ...headOf(entry), key: manifestKey(bucket, { version, ...object }), error }
}

/** As unreadableOf, for those that need no name. */
function nullIfUnreadable(error: unknown): null {
  if (error instanceof EditionError) throw error
  return null
}

function unavailableIfDamaged(error: unknown): never {
  throw error instanceof DamagedObjectError ? unreadable(error) : error
}

function versionOf(entry: ManifestEntry): number {
  return 'inline' in entry ? entry.inline.version : entry.version
}

function headOf(entry: ManifestEntry): ManifestHead {
  const { bucket, compacted } = 'inline' in entry ? entry.inline : entry
  return { bucket, compacted, bytes: 'inline' in entry ? 0 : entry.bytes }
}

/** The pointers and the empty epochs as items in DynamoDB. */
export function manifestPointers(state: StateTable): ManifestPointers {
  const manifests = manifestEntity(state)
  const emptyEpochs = emptyEpochsEntity(state)

  return {
    async readEntry(bucket) {
      const { data } = await orUnavailable(
        manifests.get({ bucket: padBucket(bucket) }).go({ consistent: true }),
      )
      return data === null ? null : toEntry(data)
    },
    async readEntries() {
      const { data } = await orUnavailable(manifests.query.main({}).go({ consistent: true, pages: 'all' }))
      return data.map(toEntry)
    },
    savePointer({ bucket, version, compacted, object: { writtenAt, hash }, bytes }, before) {
      const write = manifests
        // The lists of an item of the first edition go with it.
        .put({ bucket: padBucket(bucket), version, compacted, writtenAt, hash, bytes })
        .where((item, operations) => hasVersion(before, item.version, operations))
      return conditionHeld(write.go())
    },
    async readEmptyEpochs() {
      const { data } = await orUnavailable(emptyEpochs.get({}).go({ consistent: true }))
      return data === null ? NO_EMPTY_EPOCHS : { version: data.version, ranges: toRanges(data.ranges) }
    },
    saveEmptyEpochs({ version, ranges }) {
      const write = emptyEpochs
        .put({ version, ranges: JSON.stringify(toNumbers(ranges)) })
        .where((item, operations) => hasVersion(version - 1, item.version, operations))
      return conditionHeld(write.go())
    },
  }
}

/** An item of the table: of today, or of the first edition, which has lists. */
type StoredEntry = Pick<Manifest, 'version' | 'compacted'> &
  Partial<ManifestItem> & { bucket: string; writtenAt?: number; hash?: string; bytes?: number }

function toEntry(item: StoredEntry): ManifestEntry {
  const { bucket, version, compacted, writtenAt, hash, bytes = 0, segments = '[]', retired = '[]' } = item
  return writtenAt === undefined || hash === undefined
    ? { inline: toManifest({ ...item, segments, retired }) }
    : { bucket: Number(bucket), version, compacted, object: { writtenAt, hash }, bytes }
}

/** The condition that the item has this version; 0: that there is no item. */
function hasVersion<Attribute>(
  version: number,
  attribute: Attribute,
  {
    notExists,
    eq,
  }: { notExists(attribute: Attribute): string; eq(attribute: Attribute, value: number): string },
): string {
  return version === 0 ? notExists(attribute) : eq(attribute, version)
}

/**
 * The ranges are stored as a JSON text of [bucket, from, until]: 64 of them take about 1 KB, one or two units
 * of a write.
 */
function toNumbers(ranges: ReadonlyMap<number, EpochRange>): number[][] {
  return [...ranges].map(([bucket, { from, until }]) => [bucket, from, until])
}

function toRanges(text: string): Map<number, EpochRange> {
  const numbers = JSON.parse(text) as [number, number, number][]
  return new Map(numbers.map(([bucket, from, until]) => [bucket, { from, until }]))
}

/** All manifests have the same partition key, so one query lists them. */
function manifestEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'manifest', version: '1' },
      attributes: {
        bucket: { type: 'string', required: true },
        version: { type: 'number', required: true },
        compacted: { type: 'number', required: true },
        writtenAt: { type: 'number' },
        hash: { type: 'string' },
        bytes: { type: 'number' },
        // Those below are of the first edition.
        segments: { type: 'string' },
        retired: { type: 'string' },
        batches: { type: 'string' },
        tombstones: { type: 'string' },
        round: { type: 'string' },
        tombstoneCount: { type: 'number' },
      },
      indexes: primaryIndex({ pk: [], sk: ['bucket'] }),
    },
    { client, table },
  )
}

function emptyEpochsEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'emptyepochs', version: '1' },
      attributes: {
        version: { type: 'number', required: true },
        ranges: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: [], sk: [] }),
    },
    { client, table },
  )
}
