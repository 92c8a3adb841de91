import { forEachConcurrent } from '#core/async/concurrency'
import type { Lake, Now } from '#core/ports'
import { MANIFEST_PREFIX } from '#schemas/manifests'
import { EditionError } from './edition.ts'
import {
  toBatch,
  toBatchValues,
  toRetired,
  toRetiredNumbers,
  toSegment,
  toSegmentNumbers,
} from './encode-manifest.ts'
import { type ManifestName, manifestKey, manifestPageKey, parseManifestKey } from './keys.ts'
import type { Manifest } from './manifest.ts'
import { DamagedObjectError, packJson, unpackJson } from './packed-json.ts'
import type { Segment } from './segment.ts'

/**
 * A manifest is an immutable object of the lake, and the item of the state names it (manifest-items.ts). So
 * an item has a bound, however many segments a bucket has, and the lake can say its own state after a loss
 * of the table. Old segments are in pages, objects of their own, which hardly ever change: a change of a
 * manifest writes at most MAX_LISTED segments, however many there are.
 */

/** What the state knows of a manifest without its object. `bytes`: those of the object, without pages. */
export type ManifestPointer = Pick<Manifest, 'bucket' | 'version' | 'compacted'> & {
  object: Omit<ManifestName, 'version'>
  bytes: number
}

/** The number of the form below. What this version does not know was written by a newer one. */
const FORMAT = 1

/** The content of the object. Lists of numbers, as in items of the first edition (encode-manifest.ts). */
export type ManifestObject = {
  format: number
  bucket: number
  version: number
  compacted: number
  /** Oldest first; their segments come before those of `segments`. */
  pages: ManifestName[]
  segments: number[][]
  retired: number[][]
  batches: unknown[][]
  tombstoneCount: number
  round: [at: number, number: number]
}

/** Segments of a page. Compressed they take 10 to 20 KB. */
export const PAGE_SEGMENTS = 500
/**
 * Segments that the object itself lists at most. Half of them stay when a page is made, so the newest ones,
 * which merges replace, are in no page.
 */
export const MAX_LISTED = 2 * PAGE_SEGMENTS
/** Pages that are read at the same time: a cold read of a hundred thousand segments has 200 of them. */
const PAGES_AT_ONCE = 16

type Page = { name: ManifestName; segments: readonly Segment[] }
/** A manifest as it was read or saved, with its pages. */
type Opened = { pointer: ManifestPointer; manifest: Manifest; pages: readonly Page[] }

/**
 * A manifest as the lake has it. If a page is lost, it ends before the segments of that page, and its
 * watermark with it; tombstones and replaced segments are all there, because the object itself has them.
 */
export type StoredManifest = { manifest: Manifest; isWhole: boolean }

export type NewestManifests = { newest: Manifest | null; whole: Manifest | null }

/** Written and not yet saved. */
export type WrittenManifest = { pointer: ManifestPointer; opened: Opened }

export type ManifestObjectServices = { lake: Pick<Lake, 'get' | 'put' | 'list'>; clock: Now }

/**
 * Reads and writes the objects of manifests. The newest one of each bucket is remembered with its pages, so a
 * process reads each object and each page once, and its memory is bounded by the manifests in force.
 */
export function createManifestObjects({ lake, clock }: ManifestObjectServices) {
  const newest = new Map<number, Opened>()

  /**
   * The manifest that the pointer names; null if its object or a page is gone, because the pointer is old.
   */
  async function read(pointer: ManifestPointer): Promise<Manifest | null> {
    const known = newest.get(pointer.bucket)
    if (known !== undefined && isSameName(known.pointer, pointer)) return known.manifest
    const opened = await open(pointer)
    if (opened !== null) remember(opened)
    return opened?.manifest ?? null
  }

  async function open(pointer: ManifestPointer): Promise<Opened | null> {
    const { bucket } = pointer
    const known = newest.get(bucket)
    const found = await readObject(pointer)
    if (found === null) return null
    const pages: Page[] = []
    await forEachConcurrent([...found.pages.entries()], PAGES_AT_ONCE, async ([i, name]) => {
      const page = known?.pages.find(each => isName(each.name, name)) ?? (await readPage(bucket, name))
      if (page !== null) pages[i] = page
    })
    // Holes count as missing.
    if (Object.keys(pages).length < found.pages.length) return null
    const segments = pages.flatMap(page => page.segments)
    return { pointer, manifest: manifestOfObject(found, segments), pages }
  }

  async function readObject({ bucket, version, object }: ManifestPointer): Promise<ManifestObject | null> {
    const key = manifestKey(bucket, { version, ...object })
    const found = (await readJson(key, object.hash)) as ManifestObject | null
    if (found !== null) assertFormat(found)
    return found
  }

  async function readPage(bucket: number, name: ManifestName): Promise<Page | null> {
    const segments = (await readJson(manifestPageKey(bucket, name), name.hash)) as number[][] | null
    return segments && { name, segments: segments.map(toSegment) }
  }

  async function readJson(key: string, hash: string): Promise<unknown> {
    const bytes = await lake.get(key)
    return bytes && unpackJson(bytes, hash)
  }

  /** Writes the object of a changed manifest, and pages that are new. It counts when its pointer is saved. */
  async function write(manifest: Manifest): Promise<WrittenManifest> {
    const { bucket, version, compacted, tombstoneCount, round } = manifest
    const writtenAt = clock.now()
    const base = newest.get(bucket)
    // Pages of another version than the one before may be deleted by now.
    const known = base?.pointer.version === version - 1 ? base.pages : []
    const { chunks, listed } = splitPages(manifest.segments)
    const pages: Page[] = []
    for (const segments of chunks) {
      const page = known.find(each => isSameList(each.segments, segments))
      if (page !== undefined) {
        pages.push(page)
        continue
      }
      const { bytes, hash } = packJson(segments.map(toSegmentNumbers))
      const name = { version, writtenAt, hash }
      await lake.put(manifestPageKey(bucket, name), bytes)
      pages.push({ name, segments })
    }
    const object: ManifestObject = {
      ...{ format: FORMAT, bucket, version, compacted, tombstoneCount },
      pages: pages.map(({ name }) => name),
      segments: listed.map(toSegmentNumbers),
      retired: manifest.retired.map(toRetiredNumbers),
      batches: manifest.tombstones.map(toBatchValues),
      round: [round.at, round.number],
    }
    const { bytes, hash } = packJson(object)
    await lake.put(manifestKey(bucket, { version, writtenAt, hash }), bytes)
    const pointer = { bucket, version, compacted, object: { writtenAt, hash }, bytes: bytes.length }
    return { pointer, opened: { pointer, manifest, pages } }
  }

  /** What the lake has of a manifest; null without its object. Never from memory, also not its pages. */
  async function readStored(pointer: ManifestPointer): Promise<StoredManifest | null> {
    const { bucket } = pointer
    const object = await readObject(pointer).catch(nullIfDamaged)
    if (object === null) return null
    const pages: (Page | null)[] = []
    await forEachConcurrent([...object.pages.entries()], PAGES_AT_ONCE, async ([i, name]) => {
      pages[i] = await readPage(bucket, name).catch(nullIfDamaged)
    })
    const lost = pages.indexOf(null)
    if (lost === -1) {
      const manifest = manifestOfObject(
        object,
        pages.flatMap(page => page?.segments ?? []),
      )
      return { manifest, isWhole: true }
    }
    const segments = pages.slice(0, lost).flatMap(page => page?.segments ?? [])
    const compacted = segments.at(-1)?.until ?? 1
    return { manifest: { ...manifestOfObject(object, []), segments, compacted }, isWhole: false }
  }

  /** The names of all manifests of the lake, by bucket. */
  async function list(): Promise<Map<number, ManifestName[]>> {
    const names = new Map<number, ManifestName[]>()
    for (const { key } of await lake.list(MANIFEST_PREFIX)) {
      const parsed = parseManifestKey(key)
      if (parsed === null || parsed.isPage) continue
      names.set(parsed.bucket, [...(names.get(parsed.bucket) ?? []), parsed.name])
    }
    return names
  }

  /**
   * The newest of these manifests whose object can be read, and the newest one of which the lake also has all
   * pages; null if there is none. Two processes may have written manifests for one version. Only one of them
   * was in force, and nothing says which. Both follow from the same manifest, so the one with the newest
   * erasure is chosen: then no erasure is lost. If both have the same newest erasure, the later one is
   * chosen.
   */
  async function readNewest(bucket: number, names: readonly ManifestName[]): Promise<NewestManifests> {
    const versions = [...Map.groupBy(names, ({ version }) => version)].toSorted(([a], [b]) => b - a)
    let newestObject: Manifest | null = null
    for (const [version, ofVersion] of versions) {
      const found: StoredManifest[] = []
      for (const { writtenAt, hash } of ofVersion.toSorted((a, b) => b.writtenAt - a.writtenAt)) {
        const pointer = { bucket, version, compacted: 0, object: { writtenAt, hash }, bytes: 0 }
        const stored = await readStored(pointer)
        if (stored !== null) found.push(stored)
      }
      newestObject ??= withNewestErasure(found)
      const whole = withNewestErasure(found.filter(({ isWhole }) => isWhole))
      if (whole !== null) return { newest: newestObject, whole }
    }
    return { newest: newestObject, whole: null }
  }

  /** Remembers a manifest that is in force. */
  function remember(opened: Opened): void {
    newest.set(opened.pointer.bucket, opened)
  }

  /** The keys of the pages of the newest manifest that this process knows. */
  function pageKeys(bucket: number): string[] {
    return (newest.get(bucket)?.pages ?? []).map(({ name }) => manifestPageKey(bucket, name))
  }

  return { read, readStored, readNewest, list, write, remember, pageKeys }
}

/** Returns the manifest with the newest erasure, of equal ones the first; null if there is none. */
function withNewestErasure(found: readonly StoredManifest[]): Manifest | null {
  const [best] = found.map(({ manifest }) => manifest).toSorted((a, b) => newestErasure(b) - newestErasure(a))
  return best ?? null
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof DamagedObjectError) return null
  throw error
}

/** The number of its newest batch; 0 without one. `tombstoneCount` also counts replacements of events. */
function newestErasure({ tombstones }: Manifest): number {
  return tombstones.at(-1)?.number ?? 0
}

/**
 * Divides segments into full pages of the oldest ones, and those that the object lists. A page begins where
 * the one before it ends, so it changes only when one of its segments does.
 */
function splitPages(segments: readonly Segment[]): { chunks: Segment[][]; listed: readonly Segment[] } {
  const count = Math.max(0, Math.floor(segments.length / PAGE_SEGMENTS) - 1)
  const chunks = Array.from({ length: count }, (_, i) =>
    segments.slice(i * PAGE_SEGMENTS, (i + 1) * PAGE_SEGMENTS),
  )
  return { chunks, listed: segments.slice(count * PAGE_SEGMENTS) }
}

/** The manifest of an object. `paged`: the segments of its pages. */
export function manifestOfObject(
  { bucket, version, compacted, ...object }: ManifestObject,
  paged: readonly Segment[],
): Manifest {
  return {
    ...{ bucket, version, compacted, tombstoneCount: object.tombstoneCount },
    segments: [...paged, ...object.segments.map(toSegment)],
    retired: object.retired.map(toRetired),
    tombstones: object.batches.map(toBatch),
    round: { at: object.round[0], number: object.round[1] },
  }
}

function assertFormat({ format }: ManifestObject): void {
  if (format === FORMAT) return
  throw new EditionError(
    `A manifest of the lake has the form ${format}, which this version does not know. Start the version that wrote it, or a newer one.`,
  )
}

function isSameName(a: ManifestPointer, b: ManifestPointer): boolean {
  return isName({ version: a.version, ...a.object }, { version: b.version, ...b.object })
}

function isName(a: ManifestName, b: ManifestName): boolean {
  return a.version === b.version && a.writtenAt === b.writtenAt && a.hash === b.hash
}

/** Whether both have the very same segments. A change of a manifest keeps those that it does not change. */
function isSameList(a: readonly Segment[], b: readonly Segment[]): boolean {
  return a.length === b.length && a.every((segment, i) => segment === b[i])
}
