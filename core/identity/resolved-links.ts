import { randomBytes } from 'node:crypto'
import { unavailable } from '#core/errors'
import { linksKey, linksPrefix } from '#core/lake/keys'
import { encodeRows } from '#core/lake/parquet'
import { shortKey } from '#core/lake/rows'
import type { Clock, Lake } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import { DAY_MS } from '#core/time'
import { createComponents } from './components.ts'
import { type LinkStore, partition } from './link-store.ts'
import { type Link, resolveLinks } from './links.ts'
import { readFinalIds } from './links-file.ts'
import type { IdentityScope } from './scopes.ts'

/** The files in the lake with the resolved links of a scope, for one read. */
export type ResolvedLinks = { bucket: number; files: readonly string[] }

type LinksFile = { key: string; rows: number }

/** The item of a scope. `files`: oldest first; null: they must be written anew from the links in the state table. */
type LinksHead = {
  version: number
  files: readonly LinksFile[] | null
  /** Files that are no longer read; they stay for a day for reads that have an older head. */
  retired: readonly { key: string; at: number }[]
}

export type ResolvedLinksServices = StateTable & {
  store: LinkStore
  lake: Pick<Lake, 'put' | 'get' | 'list' | 'delete'>
  clock: Clock
}

/** A file this many times as large as what is added stays as it is, so that each row is rewritten about log4 times. */
const GROWTH = 4
/** A file with more rows stays as it is: the process that adds links has little memory. */
const LARGE_FILE_ROWS = 200_000
const MAX_TRIES = 10

/**
 * The resolved links of identity scopes, as files of the lake that reports join. They follow from the links in the state table, so
 * whoever needs them may write them. A change is one conditional write of the scope's item, so a read sees one version.
 */
export function createResolvedLinks({ store, lake, clock, client, table }: ResolvedLinksServices) {
  const components = createComponents(store)

  /** The files for a read. Writes them first if that has not been done since the scope changed its members. */
  async function open(scope: IdentityScope): Promise<ResolvedLinks> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const head = await readHead(scope)
      if (head?.files != null) return { bucket: scope.bucket, files: head.files.map(({ key }) => key) }
      await build(scope, head)
    }
    throw tooManyChanges()
  }

  /** Resolves ids again after links were added to the state table. Doing it twice changes nothing. */
  async function apply(scope: IdentityScope, links: readonly Link[]): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const head = await readHead(scope)
      const isSaved =
        head?.files == null
          ? await build(scope, head)
          : await addFile(scope, { ...head, files: head.files }, await components.resolveAround(scope, links))
      if (isSaved) return
    }
    throw tooManyChanges()
  }

  /** Deletes the files of a scope. They are written anew from the links that are in the state table then. */
  async function reset({ key, bucket }: Pick<IdentityScope, 'key' | 'bucket'>): Promise<void> {
    for (let isReset = false; !isReset; ) {
      const head = await readHead({ key })
      isReset = await saveHead({ key }, head, { files: null, retired: [] })
    }
    const objects = await lake.list(linksPrefix(bucket, key))
    await lake.delete(objects.map(object => object.key))
  }

  /** Writes all links of the scope as one file. Returns false if the head has changed since. */
  async function build(scope: IdentityScope, head: LinksHead | null): Promise<boolean> {
    const links = (await Promise.all(scope.projects.map(({ id }) => store.listLinks(id)))).flat()
    const finals = resolveLinks(links)
    return addFile(
      scope,
      { version: head?.version ?? 0, files: [], retired: head?.retired ?? [] },
      finals,
      head,
    )
  }

  /** Adds a file with the final ids, and merges smaller files into it. Returns false if the head has changed since. */
  async function addFile(
    scope: IdentityScope,
    { version, files, retired }: LinksHead & { files: readonly LinksFile[] },
    finals: ReadonlyMap<string, string>,
    saved: LinksHead | null = { version, files, retired },
  ): Promise<boolean> {
    const kept = [...files]
    let merged = finals
    for (let last = kept.at(-1); last !== undefined && isSmall(last, merged.size); last = kept.at(-1)) {
      const bytes = await lake.get(last.key)
      if (bytes === null) return reset(scope).then(() => false)
      merged = new Map([...(await readFinalIds(bytes)), ...merged])
      kept.pop()
    }
    // An id that resolves to itself is only needed to replace what an older file says.
    const rows = [...merged].filter(([id, final]) => kept.length > 0 || id !== final)
    const now = clock.now()
    const expired = retired.filter(({ at }) => at < now - DAY_MS)
    const added = rows.length === 0 ? [] : [await writeFile(scope, version + 1, rows)]
    const next = {
      files: [...kept, ...added],
      retired: [
        ...retired.filter(({ at }) => at >= now - DAY_MS),
        ...files.slice(kept.length).map(({ key }) => ({ key, at: now })),
      ],
    }
    const isSaved = await saveHead(scope, saved, next)
    await lake.delete((isSaved ? expired : added).map(({ key }) => key))
    return isSaved
  }

  async function writeFile(
    scope: IdentityScope,
    version: number,
    rows: [string, string][],
  ): Promise<LinksFile> {
    const key = linksKey(scope.bucket, scope.key, version, randomBytes(6).toString('hex'))
    const bytes = encodeRows(
      'links',
      rows
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([previous_id, linked_id]) => ({
          previous_id,
          linked_id,
          previous_key: shortKey(previous_id),
          linked_key: shortKey(linked_id),
          version,
        })),
    )
    await lake.put(key, bytes)
    return { key, rows: rows.length }
  }

  async function readHead({ key }: Pick<IdentityScope, 'key'>): Promise<LinksHead | null> {
    const { Item } = await orUnavailable(
      client.get({ TableName: table, Key: headKey(key), ConsistentRead: true }),
    )
    return Item === undefined ? null : { version: Number(Item.version), ...JSON.parse(String(Item.files)) }
  }

  /** Saves the head if it is still the one before. */
  function saveHead(
    { key }: Pick<IdentityScope, 'key'>,
    before: LinksHead | null,
    next: Omit<LinksHead, 'version'>,
  ): Promise<boolean> {
    const version = before?.version ?? 0
    return conditionHeld(
      client.put({
        TableName: table,
        Item: { ...headKey(key), version: version + 1, files: JSON.stringify(next) },
        ConditionExpression: before === null ? 'attribute_not_exists(pk)' : 'version = :version',
        ...(before !== null && { ExpressionAttributeValues: { ':version': version } }),
      }),
    )
  }

  return { open, apply, reset, readComponent: components.readComponent, finalId: components.finalId }
}

function headKey(scopeKey: string) {
  return { pk: partition(scopeKey), sk: 'resolved' }
}

function isSmall({ rows }: LinksFile, addedRows: number): boolean {
  return rows <= LARGE_FILE_ROWS && rows < addedRows * GROWTH
}

function tooManyChanges() {
  return unavailable('The links of users change too often now. Send the same request again in a second.', 1)
}
