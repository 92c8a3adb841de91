import { randomBytes } from 'node:crypto'
import { removalKey } from '#core/lake/model/keys'
import type { Lake, Now } from '#core/ports'
import type { ErasedUserStore } from './erased-users.ts'
import type { ErasureFeed } from './erasure-feed.ts'
import type { IdentityWorkList } from './fold/identity-work.ts'
import type { ScopeStore } from './scope-store.ts'
import type { IdentityScope } from './scopes.ts'

export type PersonRemovalServices = {
  erasedUsers: Pick<ErasedUserStore, 'note'>
  erasureFeed: Pick<ErasureFeed, 'add'>
  scopes: Pick<ScopeStore, 'dropOthers'>
  work: Pick<IdentityWorkList, 'save'>
  lake: Pick<Lake, 'put'>
  clock: Now
}

export type PersonRemoval = ReturnType<typeof createPersonRemoval>

/** Removes what identify requests have told of persons. */
export function createPersonRemoval({
  erasedUsers,
  erasureFeed,
  scopes,
  work,
  lake,
  clock,
}: PersonRemovalServices) {
  /**
   * Lets the fold delete the links, traits and e-mail index entries of these ids in all projects of the
   * scope. Requests that arrived until then (Unix ms) stay erased when they are processed later. `finals`:
   * those of the ids that lead to no other. `id` names the erasure. Doing it twice changes nothing.
   */
  return async function removePerson(
    scope: IdentityScope,
    ids: readonly string[],
    {
      id = randomBytes(8).toString('hex'),
      until = clock.now(),
      finals,
    }: { id?: string; until?: number; finals?: readonly string[] } = {},
  ): Promise<void> {
    await Promise.all(
      scope.projects.flatMap(project => [
        erasedUsers.note(project.id, ids, until, finals),
        erasureFeed.add(project.id, ids, until),
      ]),
    )
    const own = scope.projects.map(({ id, bucket }) => ({ id, bucket }))
    const joined = scope.projects.length > 1 ? [{ id: scope.key, bucket: scope.bucket }] : []
    for (const { id } of own) await scopes.dropOthers(id, scope.key)
    const ids_key = removalKey(id)
    await lake.put(ids_key, Buffer.from(JSON.stringify(ids)))
    await work.save({ kind: 'remove', id, scopes: [...own, ...joined], ids_key, until })
  }
}
