import { randomBytes } from 'node:crypto'
import type { LevelStore } from '#core/identity/links/level-store'
import {
  composeRows,
  type Level,
  type LinksManifest,
  mayMove,
  replaceLevels,
  youngLevel,
} from '#core/identity/links/levels'
import { decodeLinks, encodeLinks } from '#core/identity/links/link-rows'
import { isAnonymous, type LinkRow } from '#core/identity/links/links'
import type { Pointers } from '#core/identity/links/pointers'
import type { PublicLinks } from '#core/identity/links/public-links'
import type { Refusal } from '#core/ingest/who-may-link'
import { linksKey } from '#core/lake/model/keys'
import { isBeyond } from '#core/lake/model/sequence'
import type { Lake, Log, Now } from '#core/ports'
import { type AskedLink, decideLinks } from './decide-links.ts'

export type FoldBucketServices = {
  lake: Pick<Lake, 'get' | 'put'>
  levels: LevelStore
  pointers: Pointers
  publicLinks: PublicLinks
  /** Names the shards that are not retired: a retired one has no file that is not folded. */
  shardNames(): Promise<ReadonlySet<string>>
  /** The bound of links without a credential of a scope, bytes. */
  maxPublicLinkBytes: number
  clock: Now
  log: Log
  /** Called with links that were accepted, maybe several times. */
  onLinked(scope: string, rows: readonly LinkRow[]): Promise<void>
}

/** Shards in a manifest, of 80 bytes each, from which on those that are retired are looked for. */
export const FORGET_FROM = 16

/** A link of a slice, with the file that it comes from. */
export type SliceLink = AskedLink & { scope: string; shard: string; last: string }

/** Links that were decided now. */
export type FoldedBucket = { accepted: LinkRow[]; refused: { link: SliceLink; reason: Refusal }[] }

/**
 * Adds the links of a slice to the links files of a bucket. The file is written first, then one conditional
 * write of the manifest makes its links count and notes which identity files have been taken, and then the
 * pointers follow. A crash between the last two steps is noticed by the next fold, because `unapplied` still
 * names the file.
 */
export function createBucketFold(services: FoldBucketServices) {
  const { lake, levels, pointers, publicLinks, maxPublicLinkBytes, clock, log, onLinked } = services
  const isRetired = async (shard: string) => !(await services.shardNames()).has(shard)

  /** `files`: the last sequence of each shard in the slice. */
  async function fold(
    bucket: number,
    links: readonly SliceLink[],
    files: Readonly<Record<string, string>>,
  ): Promise<FoldedBucket> {
    const manifest = await finishLast(await levels.read(bucket))
    const fresh = links.filter(({ shard, last }) => isBeyond(last, manifest.folded[shard] ?? null))
    if (fresh.length === 0) return { accepted: [], refused: [] }
    const moved = Object.fromEntries(
      Object.entries(files).filter(([shard, last]) => isBeyond(last, manifest.folded[shard] ?? null)),
    )
    const result: FoldedBucket = { accepted: [], refused: [] }
    const holders = new Map<string, readonly string[]>()
    for (const [scope, asked] of Map.groupBy(fresh, link => link.scope)) {
      const ids = new Set(asked.flatMap(({ previous_id, user_id }) => [previous_id, user_id]))
      const known = await pointers.follow(scope, ids)
      await pointers.shorten(scope, known)
      // An import has a credential, and needs no count.
      const isPublic = asked.some(({ hasCredential }) => !hasCredential)
      const bytes = isPublic ? await publicLinks.read(scope, manifest.folded, isRetired) : 0
      const decision = decideLinks(scope, asked, known, maxPublicLinkBytes - bytes)
      const added = decision.publicBytes
      if (added > 0) await publicLinks.add(scope, { bytes, added, files: moved })
      result.accepted.push(...decision.accepted)
      result.refused.push(...(decision.refused as FoldedBucket['refused']))
      holders.set(scope, decision.holders)
    }
    const folded = { ...(await withoutRetired(manifest.folded)), ...moved }
    await addRows({ ...manifest, folded }, result.accepted, holders)
    return result
  }

  /** Without shards that are retired, so that there are at most as many as the stream has. */
  async function withoutRetired(folded: LinksManifest['folded']): Promise<LinksManifest['folded']> {
    if (Object.keys(folded).length < FORGET_FROM) return folded
    const names = await services.shardNames()
    return Object.fromEntries(Object.entries(folded).filter(([shard]) => names.has(shard)))
  }

  /** Adds rows that count from now on. */
  async function addRows(
    manifest: LinksManifest,
    rows: readonly LinkRow[],
    holders: ReadonlyMap<string, readonly string[]> = new Map(),
  ): Promise<LinksManifest> {
    if (rows.length === 0) return save(manifest)
    const saved = await save(await withRows(manifest, rows))
    await apply(rows, holders)
    return save({ ...saved, unapplied: null })
  }

  /** Writes the rows as a file, together with those of the newest file if that is small. */
  async function withRows(manifest: LinksManifest, added: readonly LinkRow[]): Promise<LinksManifest> {
    const { bucket, last } = manifest
    const young = youngLevel(manifest)
    const older = young === null ? null : await readLevel(bucket, young)
    const rows = older === null ? added : composeRows(older, added)
    const level = await writeLevel(bucket, last + 1, rows)
    const hasAnonymousTargets =
      manifest.hasAnonymousTargets || added.some(({ user_id }) => isAnonymous(user_id))
    const next = { ...manifest, hasAnonymousTargets }
    const moves = mayMove(next, rows)
    const replaced = older === null || young === null ? [] : [young]
    return { ...replaceLevels(next, replaced, { ...level, moves }, clock.now()), unapplied: level.number }
  }

  async function writeLevel(bucket: number, number: number, rows: readonly LinkRow[]) {
    const writer = newWriter()
    await lake.put(linksKey(bucket, { number, writer }), encodeLinks(rows))
    return { number, writer, rows: rows.length }
  }

  /** Null if the file cannot be read: it stays as it is, and its repair makes it anew. */
  async function readLevel(bucket: number, level: Level): Promise<LinkRow[] | null> {
    const key = linksKey(bucket, level)
    try {
      const bytes = await lake.get(key)
      if (bytes === null) throw new Error('The object does not exist.')
      return await decodeLinks(bytes)
    } catch (error) {
      log('LAKE_OBJECT_DAMAGED', { key, reason: String(error) })
      return null
    }
  }

  /** Writes the pointers that a fold has not written because it crashed. */
  async function finishLast(manifest: LinksManifest): Promise<LinksManifest> {
    const level = manifest.levels.find(({ number }) => number === manifest.unapplied)
    if (level === undefined) return manifest
    const rows = await readLevel(manifest.bucket, level)
    if (rows !== null) await apply(rows, new Map())
    return save({ ...manifest, unapplied: null })
  }

  async function apply(
    rows: readonly LinkRow[],
    holders: ReadonlyMap<string, readonly string[]>,
  ): Promise<void> {
    for (const [scope, ofScope] of Map.groupBy(rows, row => row.scope)) {
      await onLinked(scope, ofScope)
      await pointers.write(scope, ofScope, holders.get(scope) ?? [])
    }
  }

  async function save(manifest: LinksManifest): Promise<LinksManifest> {
    const saved = await levels.save(manifest)
    if (saved === null) throw new Error(`Another process folds the links of bucket ${manifest.bucket}`)
    return saved
  }

  return { fold, addRows, finishLast, save }
}

export type BucketFold = ReturnType<typeof createBucketFold>

/** Names a new file, so that two processes never write one key. */
export function newWriter(): string {
  return randomBytes(6).toString('hex')
}
