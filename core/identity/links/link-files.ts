import { type BucketFold, newWriter } from '#core/identity/fold/fold-bucket'
import type { IdentityScope } from '#core/identity/scopes'
import {
  linksKey,
  linksManifestPrefix,
  linksPrefix,
  parseLinksKey,
  parseLinksManifestKey,
} from '#core/lake/model/keys'
import type { Lake, Log, Now } from '#core/ports'
import type { LevelStore } from './level-store.ts'
import {
  dueMerge,
  KEEP_RETIRED_MS,
  type Level,
  type LinksManifest,
  replaceLevels,
  splitRetired,
  sumRows,
} from './levels.ts'
import { createSmallLinks, type LinksEngine, type NextLinks, type RemovedIds } from './links-engine.ts'

export type LinkFilesServices = {
  lake: Pick<Lake, 'list' | 'get' | 'put' | 'delete'>
  /** For files of many rows. */
  engine?: LinksEngine
  levels: LevelStore
  buckets: Pick<BucketFold, 'save' | 'finishLast'>
  /** How long replaced files are kept for running reads, ms. Default: KEEP_RETIRED_MS. */
  keepRetiredMs?: number
  clock: Now
  log: Log
}

/** Files of fewer rows together are read into memory. */
const SMALL_ROWS = 20_000

/** Merges links files, removes rows from them, and deletes replaced ones. */
export function createLinkFiles(services: LinkFilesServices) {
  const { lake, engine, levels, buckets, keepRetiredMs = KEEP_RETIRED_MS, clock, log } = services
  const small = createSmallLinks(lake)
  const engineFor = (rows: number) => (rows <= SMALL_ROWS ? small : (engine ?? small))

  /**
   * Does what is due in all buckets. A bucket that fails is logged, and the others go on. `onLost`: is told
   * of those whose files nobody knows any more.
   */
  async function maintain(
    extendLease: () => Promise<void>,
    onLost: (bucket: number) => Promise<void>,
  ): Promise<void> {
    for (const manifest of await levels.readAll()) {
      try {
        if (manifest.isLost) await onLost(manifest.bucket)
        if (await maintainBucket(manifest)) await extendLease()
      } catch (error) {
        log('JOB_FAILED', { job: 'merge-links', bucket: manifest.bucket, error: String(error) })
      }
    }
  }

  /** Returns whether it took time. */
  async function maintainBucket(given: LinksManifest): Promise<boolean> {
    let manifest = given
    const due = dueMerge(manifest)
    if (due.length > 1) {
      manifest = await merge(await buckets.finishLast(manifest), due)
      await deleteOrphans(manifest)
    }
    const { expired, retired } = splitRetired(manifest, clock.now() - keepRetiredMs)
    if (expired.length > 0) {
      await lake.delete(expired.map(level => linksKey(manifest.bucket, level)))
      manifest = await buckets.save({ ...manifest, retired })
    }
    return due.length > 1
  }

  /** Writes one file in the place of neighbours. */
  async function merge(manifest: LinksManifest, merged: readonly Level[]): Promise<LinksManifest> {
    const { bucket, last } = manifest
    const target = { number: last + 1, writer: newWriter() }
    const keys = merged.map(level => linksKey(bucket, level))
    const rows = await engineFor(sumRows(merged)).merge(keys, linksKey(bucket, target))
    return buckets.save(replaceLevels(manifest, merged, { ...target, rows }, clock.now()))
  }

  /**
   * Removes the rows of persons and of whole scopes from the files of a bucket. Replaced files are deleted
   * minutes later.
   */
  async function remove(
    bucket: number,
    persons: readonly RemovedIds[],
    scopes: readonly string[],
  ): Promise<void> {
    let manifest = await buckets.finishLast(await levels.read(bucket))
    for (const level of manifest.levels) {
      const target = { number: manifest.last + 1, writer: newWriter() }
      const key = linksKey(bucket, target)
      const removal = await engineFor(level.rows).remove(linksKey(bucket, level), key, persons, scopes)
      if (removal === null) continue
      const next = replaceLevels(manifest, [level], { ...target, rows: removal.left }, clock.now())
      manifest = await buckets.save(next)
    }
  }

  /**
   * Writes the pointers that are still missing for links of the bucket's files. A removal calls it first: a
   * pointer that is written after it would bring a link back.
   */
  async function settle(bucket: number): Promise<void> {
    await buckets.finishLast(await levels.read(bucket))
  }

  /** All ids of a scope that lead to these final ids. */
  async function idsOf(
    { key, bucket }: Pick<IdentityScope, 'key' | 'bucket'>,
    finals: readonly string[],
  ): Promise<string[]> {
    const manifest = await buckets.finishLast(await levels.read(bucket))
    const keys = manifest.levels.map(level => linksKey(bucket, level))
    return keys.length === 0 ? [] : engineFor(sumRows(manifest.levels)).idsOf(keys, key, finals)
  }

  /** See LinksEngine.next. */
  function next(rows: number, job: NextLinks) {
    return engineFor(rows).next(job)
  }

  /**
   * Deletes files that no manifest names, and manifests that no item names: a process has ended before it
   * saved what names them. A read may still have the manifest of the version before.
   */
  async function deleteOrphans({
    bucket,
    version,
    levels: live,
    retired,
    last,
  }: LinksManifest): Promise<void> {
    const named = new Set([...live, ...retired].map(level => linksKey(bucket, level)))
    const orphans = (await lake.list(linksPrefix(bucket))).filter(({ key }) => {
      const file = parseLinksKey(key)
      return file !== null && file.level.number < last && !named.has(key)
    })
    for (const object of await lake.list(linksManifestPrefix(bucket))) {
      const manifest = parseLinksManifestKey(object.key)
      if (manifest !== null && manifest.version < version - 1) orphans.push(object)
    }
    if (orphans.length > 0) await lake.delete(orphans.map(({ key }) => key))
  }

  return { maintain, remove, settle, idsOf, next }
}

export type LinkFiles = ReturnType<typeof createLinkFiles>
