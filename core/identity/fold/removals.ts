import type { LinkFiles } from '#core/identity/links/link-files'
import type { RemovedIds } from '#core/identity/links/links-engine'
import { type Pointers, partition } from '#core/identity/links/pointers'
import { isProject } from '#core/identity/scopes'
import type { TraitsStore } from '#core/identity/traits/traits-store'
import type { Lake } from '#core/ports'
import { queryPages } from '#core/query-all'
import type { StateTable } from '#core/state-table'
import { writeItems } from '#core/write-items'
import type { IdentityWork, IdentityWorkList } from './identity-work.ts'

/** What was removed of a person. */
export type RemovedIdentity = { links: number; profiles: number; emails: number }

export type RemovalServices = StateTable & {
  lake: Pick<Lake, 'get' | 'delete'>
  linkFiles: Pick<LinkFiles, 'remove'>
  pointers: Pick<Pointers, 'read' | 'remove'>
  traits: Pick<TraitsStore, 'remove'>
  work: IdentityWorkList
  /** Called when all of a person is removed; `id` is that of the erasure. */
  onRemoved?: ((id: string, removed: RemovedIdentity) => Promise<void>) | undefined
}

type Removal = Extract<IdentityWork, { kind: 'remove' }> & { ids: ReadonlySet<string> }

/** Ids whose items are read and deleted at once. */
const IDS_AT_ONCE = 1_000

/**
 * Removes erased persons and dropped scopes: their rows in the links files, then pointers, traits and addresses. All removals that wait are done
 * together, so that a file is written once. Every step may run again.
 */
export function createRemovals(services: RemovalServices) {
  const { lake, linkFiles, pointers, traits, work, onRemoved, client, table } = services

  /** Does what waits, and returns whether there was anything. */
  async function run(extendLease: () => Promise<void>): Promise<boolean> {
    const waiting = await work.list()
    const drops = waiting.filter(each => each.kind === 'drop')
    const removals: Removal[] = []
    for (const each of waiting) {
      if (each.kind !== 'remove') continue
      const bytes = await lake.get(each.ids_key)
      const ids: string[] = bytes === null ? [] : JSON.parse(Buffer.from(bytes).toString())
      removals.push({ ...each, ids: new Set(ids) })
    }
    if (drops.length === 0 && removals.length === 0) return false
    for (const bucket of bucketsOf(removals, drops)) {
      const persons = removals.flatMap(({ scopes, ids, until }): RemovedIds[] =>
        scopes.filter(scope => scope.bucket === bucket).map(({ id }) => ({ scope: id, ids, until })),
      )
      const dropped = drops.filter(each => each.bucket === bucket).map(({ id }) => id)
      await linkFiles.remove(bucket, persons, dropped)
      await extendLease()
    }
    for (const removal of removals) {
      await removePerson(removal)
      await extendLease()
    }
    for (const drop of drops) {
      await deletePartition(drop.id)
      await work.remove(drop)
    }
    return true
  }

  async function removePerson(removal: Removal): Promise<void> {
    const removed: RemovedIdentity = { links: 0, profiles: 0, emails: 0 }
    const ids = [...removal.ids]
    for (const { id: scope } of removal.scopes) {
      for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
        const some = ids.slice(at, at + IDS_AT_ONCE)
        if (isProject(scope)) {
          const known = await pointers.read(scope, some)
          removed.links += [...known.values()].filter(({ to }) => to !== null).length
          const counts = await traits.remove(scope, some, removal.until)
          removed.profiles += counts.profiles
          removed.emails += counts.emails
        }
        await pointers.remove(scope, some)
      }
    }
    await onRemoved?.(removal.id, removed)
    await lake.delete([removal.ids_key])
    await work.remove(removal)
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

  return { run }
}

function bucketsOf(
  removals: readonly Pick<Removal, 'scopes'>[],
  drops: readonly { bucket: number }[],
): Set<number> {
  return new Set([
    ...removals.flatMap(({ scopes }) => scopes.map(({ bucket }) => bucket)),
    ...drops.map(({ bucket }) => bucket),
  ])
}
