import { forEachConcurrent } from '#core/async/concurrency'
import { linksKey, linksManifestKey } from '#core/lake/model/keys'
import { DamagedObjectError, packJson, unpackJson } from '#core/lake/model/packed-json'
import type { Lake } from '#core/ports'
import { queryItems } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import { emptyLinks, type LinksManifest } from './levels.ts'

const PARTITION = 'identity-levels'
/** Reads of an object that was deleted because its item has changed meanwhile. */
const TRIES = 3
/** Objects that are read at the same time. */
const READS_AT_ONCE = 16

export type LevelStoreServices = StateTable & { lake: Pick<Lake, 'get' | 'put' | 'delete'> }

/** What an item names. `before`: the object that it named before, for reads that have the older item. */
type Entry = { version: number; hash: string; before: { version: number; hash: string } | null }

/**
 * What names the links files of each bucket: an immutable object of the lake, and an item of the state that
 * names it. The object is written first; then one conditional write of the item is the change. An item of the
 * first edition has all of it, until its next change.
 */
export function createLevelStore({ client, table, lake }: LevelStoreServices) {
  const newest = new Map<number, Entry & { manifest: LinksManifest }>()

  /** The manifest of a bucket. If its object is gone or damaged, an empty one that says so. */
  async function read(bucket: number): Promise<LinksManifest> {
    const Key = { pk: PARTITION, sk: sortKey(bucket) }
    let version = 0
    for (let tries = 0; tries < TRIES; tries++) {
      const Item = await readItem({ client, table }, Key)
      const manifest = Item === undefined ? emptyLinks(bucket) : await open(bucket, Item)
      if (manifest !== null) return manifest
      version = Number(Item?.version)
    }
    return { ...emptyLinks(bucket), version, isLost: true }
  }

  /** The manifests of all buckets that have one. */
  async function readAll(): Promise<LinksManifest[]> {
    const items = await queryItems({ client, table }, PARTITION, 'bucket#', 'bucket#~')
    const manifests: LinksManifest[] = []
    await forEachConcurrent(items, READS_AT_ONCE, async item => {
      const bucket = Number(String(item.sk).slice(sortKey('').length))
      manifests.push((await open(bucket, item)) ?? (await read(bucket)))
    })
    return manifests.toSorted((a, b) => a.bucket - b.bucket)
  }

  /** Reads the manifest of an item. Null if its object is damaged, or gone because the item is old. */
  async function open(bucket: number, item: Record<string, unknown>): Promise<LinksManifest | null> {
    if (item.manifest !== undefined) return JSON.parse(String(item.manifest))
    const entry = toEntry(item)
    const known = newest.get(bucket)
    if (known?.version === entry.version && known.hash === entry.hash) return known.manifest
    const bytes = await lake.get(linksManifestKey(bucket, entry))
    const manifest = bytes && toManifest(bytes, entry.hash)
    if (manifest === null) return null
    newest.set(bucket, { ...entry, manifest })
    return manifest
  }

  /**
   * Saves a changed manifest and returns it with its new version; null if another process has changed it
   * meanwhile.
   */
  async function save(manifest: LinksManifest): Promise<LinksManifest | null> {
    const { bucket, version } = manifest
    const next = { ...manifest, version: version + 1 }
    const { bytes, hash } = packJson(next)
    const known = newest.get(bucket)
    const entry: Entry = {
      version: next.version,
      hash,
      before: known?.version === version ? { version, hash: known.hash } : null,
    }
    await lake.put(linksManifestKey(bucket, entry), bytes)
    const isSaved = await conditionHeld(
      client.put({
        TableName: table,
        Item: { pk: PARTITION, sk: sortKey(bucket), ...entry },
        ConditionExpression: version === 0 ? 'attribute_not_exists(pk)' : 'version = :version',
        ...(version > 0 && { ExpressionAttributeValues: { ':version': version } }),
      }),
    )
    if (!isSaved) return null
    newest.set(bucket, { ...entry, manifest: next })
    if (known?.version === version && known.before !== null)
      await lake.delete([linksManifestKey(bucket, known.before)])
    return next
  }

  return { read, readAll, save }
}

export type LevelStore = ReturnType<typeof createLevelStore>

/** The keys of links files. */
export function levelKeys(bucket: number, levels: readonly { number: number; writer: string }[]): string[] {
  return levels.map(level => linksKey(bucket, level))
}

function sortKey(bucket: number | ''): string {
  return `bucket#${bucket}`
}

function toManifest(bytes: Uint8Array, hash: string): LinksManifest | null {
  try {
    return unpackJson(bytes, hash) as LinksManifest
  } catch (error) {
    if (error instanceof DamagedObjectError) return null
    throw error
  }
}

function toEntry({ version, hash, before }: Record<string, unknown>): Entry {
  return { version: Number(version), hash: String(hash), before: before as Entry['before'] }
}
