import { slices } from '#core/async/slices'
import type { LinkFiles } from '#core/identity/links/link-files'
import type { RemovedIds } from '#core/identity/links/links-engine'
import { type Pointers, partition } from '#core/identity/links/pointers'
import { isProject } from '#core/identity/scopes'
import type { TraitsFiles } from '#core/identity/traits/traits-files'
import type { TraitsStore } from '#core/identity/traits/traits-store'
import type { Lake, Log, Now } from '#core/ports'
import { queryPages } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { writeItems } from '#core/state/write-items'
import type { IdentityWork, IdentityWorkList, RemovedIdentity } from './identity-work.ts'

export type RemovalServices = StateTable & {
  lake: Pick<Lake, 'get' | 'delete'>
  linkFiles: Pick<LinkFiles, 'remove' | 'settle'>
  pointers: Pick<Pointers, 'read' | 'remove'>
  traits: Pick<TraitsStore, 'remove'>
  traitsFiles: Pick<TraitsFiles, 'rewrite' | 'drop'>
  work: IdentityWorkList
  /** Called when all of a person is removed; `id` is that of the erasure. */
  clock: Now
  log: Log
  onRemoved?: ((id: string, removed: RemovedIdentity) => Promise<void>) | undefined
}

type WaitingRemoval = Extract<IdentityWork, { kind: 'remove' }>
type Removal = WaitingRemoval & { ids: ReadonlySet<string> }
type Drop = Extract<IdentityWork, { kind: 'drop' }>
type RemovalRun = { hasRemoved: boolean; failed: ReadonlySet<number> }

/** Ids whose items are read and deleted at once. */
const IDS_AT_ONCE = 1_000

/**
 * Ids of persons whose rows are removed from the links files at once, so that memory stays bounded; of one
 * person, all.
 */
const IDS_A_REWRITE = 100_000
/**
 * The pause after a rewrite of links files is this many times as long as the rewrite: at most a tenth of the
 * time is spent on it.
 */
const PAUSE_FACTOR = 10
const MAX_PAUSE_MS = 15 * 60_000
const PAUSE_KEY = { pk: 'identity-fold', sk: 'removals' }

/**
 * Removes erased persons and dropped scopes: pointers and traits at once, and then their rows in the links
 * files and in those of traits. These are written anew for all removals that wait together, and not again
 * before a pause, because one erasure may cost a rewrite of millions of links. Until then the first later
 * events of an erased id may show the person's final id. Each step may be repeated.
 */
export function createRemovals(services: RemovalServices) {
  const { lake, linkFiles, pointers, traits, traitsFiles, work, onRemoved, clock, log, client, table } =
    services

  /**
   * Does what is due, and returns whether the state has lost something. `isForced`: the links files do not
   * wait for the end of the pause. A bucket that fails is logged and returned. What waits for it is tried
   * again by the next run, and the other buckets go on.
   */
  async function run(extendLease: () => Promise<void>, isForced = false): Promise<RemovalRun> {
    const waiting = await work.list()
    const drops = waiting.filter(each => each.kind === 'drop')
    const removals = waiting.filter(each => each.kind === 'remove')
    const failed = new Set<number>()
    if (drops.length === 0 && removals.length === 0) return { hasRemoved: false, failed }
    const fresh = removals.filter(({ removed }) => removed === undefined)
    for (const removal of fresh) {
      const removed = await removeFromState(removal, failed)
      if (removed !== null) await work.save({ ...removal, removed })
      await extendLease()
    }
    const isDue = isForced || clock.now() >= (await pausedUntil())
    if (!isDue) return { hasRemoved: fresh.length > 0, failed }
    const startedAt = clock.now()
    await rewriteFiles(drops, failed, extendLease)
    const endedAt = clock.now()
    await pauseUntil(endedAt + Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (endedAt - startedAt)))
    return { hasRemoved: true, failed }
  }

  /** `until` of the oldest erasure whose links are not removed yet, Unix ms; Infinity without one. */
  async function oldestUntil(): Promise<number> {
    const untils = (await work.list()).map(each => (each.kind === 'remove' ? each.until : null))
    return Math.min(Number.POSITIVE_INFINITY, ...untils.filter(until => until !== null))
  }

  /** Returns whether the work for the bucket is done. */
  async function tryBucket(failed: Set<number>, bucket: number, run: () => Promise<void>): Promise<boolean> {
    if (failed.has(bucket)) return false
    try {
      await run()
      return true
    } catch (error) {
      log('JOB_FAILED', { job: 'remove-identities', bucket, error: String(error) })
      failed.add(bucket)
      return false
    }
  }

  /** Removes the rows of all that wait, and ends their work. */
  async function rewriteFiles(
    drops: readonly Drop[],
    failed: Set<number>,
    extendLease: () => Promise<void>,
  ): Promise<void> {
    const removals: Removal[] = []
    let ids = 0
    for (const each of await work.list()) {
      if (each.kind !== 'remove' || each.removed === undefined || ids >= IDS_A_REWRITE) continue
      const removal = { ...each, ids: await readIds(each) }
      removals.push(removal)
      ids += removal.ids.size
    }
    for (const bucket of bucketsOf(removals, drops)) {
      const persons = removals.flatMap(({ scopes, ids, until }): RemovedIds[] =>
        scopes.filter(scope => scope.bucket === bucket).map(({ id }) => ({ scope: id, ids, until })),
      )
      const dropped = drops.filter(each => each.bucket === bucket).map(({ id }) => id)
      await tryBucket(failed, bucket, async () => {
        await linkFiles.remove(bucket, persons, dropped)
        const projects = new Set(persons.map(({ scope }) => scope).filter(isProject))
        for (const id of projects) await traitsFiles.rewrite({ id, bucket })
      })
      await extendLease()
    }
    for (const removal of removals.filter(({ scopes }) => !scopes.some(({ bucket }) => failed.has(bucket)))) {
      // A fold that was killed may have brought some back. No newer link of these ids has been folded.
      for (const { id } of removal.scopes) await removePointers(id, [...removal.ids])
      await onRemoved?.(removal.id, removal.removed ?? { links: 0, profiles: 0, emails: 0 })
      await lake.delete([removal.ids_key])
      await work.remove(removal)
    }
    for (const drop of drops.filter(({ bucket }) => !failed.has(bucket))) {
      if (isProject(drop.id)) await traitsFiles.drop(drop)
      await deletePartition(drop.id)
      await work.remove(drop)
    }
  }

  async function readIds({ ids_key }: WaitingRemoval): Promise<ReadonlySet<string>> {
    const bytes = await lake.get(ids_key)
    return new Set(bytes === null ? [] : (JSON.parse(Buffer.from(bytes).toString()) as string[]))
  }

  /**
   * Removes pointers, traits and addresses of a person, and counts them. Null: the links of one of the
   * buckets are not settled, so nothing was removed.
   */
  async function removeFromState(
    removal: WaitingRemoval,
    failed: Set<number>,
  ): Promise<RemovedIdentity | null> {
    for (const { bucket } of removal.scopes)
      if (!(await tryBucket(failed, bucket, () => linkFiles.settle(bucket)))) return null
    const removed: RemovedIdentity = { links: 0, profiles: 0, emails: 0 }
    const ids = [...(await readIds(removal))]
    for (const { id: scope } of removal.scopes) {
      for (const some of slices(ids, IDS_AT_ONCE)) {
        if (!isProject(scope)) continue
        const known = await pointers.read(scope, some)
        removed.links += [...known.values()].filter(({ to }) => to !== null).length
        const counts = await traits.remove(scope, some, removal.until)
        removed.profiles += counts.profiles
        removed.emails += counts.emails
      }
      await removePointers(scope, ids)
    }
    return removed
  }

  async function removePointers(scope: string, ids: readonly string[]): Promise<void> {
    for (const some of slices(ids, IDS_AT_ONCE)) await pointers.remove(scope, some)
  }

  async function pausedUntil(): Promise<number> {
    const Item = await readItem({ client, table }, PAUSE_KEY)
    return Number(Item?.until ?? 0)
  }

  async function pauseUntil(until: number): Promise<void> {
    await orUnavailable(client.put({ TableName: table, Item: { ...PAUSE_KEY, until } }))
  }

  /** Deletes all items of a scope, page by page. */
  async function deletePartition(scope: string): Promise<void> {
    const query = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition(scope) },
      ProjectionExpression: 'pk, sk',
    }
    for await (const items of queryPages({ client, table }, query)) {
      await writeItems(
        { client, table },
        items.map(Key => ({ DeleteRequest: { Key } })),
      )
    }
  }

  return { run, oldestUntil }
}

export type Removals = ReturnType<typeof createRemovals>

function bucketsOf(
  removals: readonly Pick<Removal, 'scopes'>[],
  drops: readonly { bucket: number }[],
): Set<number> {
  return new Set([
    ...removals.flatMap(({ scopes }) => scopes.map(({ bucket }) => bucket)),
    ...drops.map(({ bucket }) => bucket),
  ])
}
