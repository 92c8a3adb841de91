import type { ProjectDirectory } from '#core/projects/project'
import { type Item, queryItems } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import type { IdentityWorkList, ScopeMember } from './fold/identity-work.ts'
import { partition } from './links/pointers.ts'
import { findScope, type IdentityScope, ownScope, type ScopedProject } from './scopes.ts'

const NOTES = 'scope#'

/**
 * The scope in which reads of a project resolve ids. A joined scope counts when the fold has made all its
 * links; until then the links of the project alone do.
 */
export async function openScope(
  scopes: Pick<ScopeStore, 'isReady' | 'want'>,
  projects: Pick<ProjectDirectory, 'list'>,
  project: ScopedProject,
): Promise<IdentityScope> {
  const scope = await findScope(projects, project)
  if (scope.projects.length === 1 || (await scopes.isReady(scope.key))) return scope
  await scopes.want(scope)
  return ownScope(project)
}

/** Which joined scopes have all links of their projects, and which ones are wanted. */
export function createScopeStore(
  { client, table }: StateTable,
  work: Pick<IdentityWorkList, 'has' | 'save' | 'remove'>,
) {
  /** Whether the links of the scope are complete. */
  async function isReady(key: string): Promise<boolean> {
    const Key = { pk: partition(key), sk: 'scope' }
    const Item = await readItem({ client, table }, Key)
    return Item?.ready === true
  }

  /**
   * Asks the fold for the links of a joined scope. Each project gets an item that names the scope, so that an
   * erasure finds its links even after the project has left the portfolio.
   */
  async function want({ key, bucket, projects }: IdentityScope): Promise<void> {
    if (await work.has({ kind: 'build', id: key })) return
    for (const { id } of projects) await dropOthers(id, key)
    for (const { id } of projects)
      await put({ pk: partition(id), sk: `${NOTES}${key}`, scope_key: key, bucket })
    const members = projects.map(({ id, bucket }) => ({ id, bucket }))
    await work.save({ kind: 'build', id: key, bucket, members, after: null, passes: 0 })
  }

  /** From now on reads use the scope, and the fold adds the new links of its projects. */
  async function setReady(key: string): Promise<void> {
    await put({ pk: partition(key), sk: 'scope', ready: true })
  }

  /** The joined scopes that may have links of a project. */
  async function scopesWith(projectId: string): Promise<ScopeMember[]> {
    const items = await queryItems({ client, table }, partition(projectId), NOTES, `${NOTES}~`)
    return items.map(({ scope_key, bucket }) => ({ id: String(scope_key), bucket: Number(bucket) }))
  }

  /**
   * Lets the fold remove the other joined scopes that have links of a project. They get no new links of it,
   * so they must not be used again when the project comes back.
   */
  async function dropOthers(projectId: string, currentKey: string): Promise<void> {
    for (const { id, bucket } of await scopesWith(projectId)) {
      if (id === currentKey) continue
      await remove({ pk: partition(id), sk: 'scope' })
      await work.remove({ kind: 'build', id })
      await work.save({ kind: 'drop', id, bucket })
      await remove({ pk: partition(projectId), sk: `${NOTES}${id}` })
    }
  }

  /**
   * Lets the fold remove all links of a project that is purged, and everything else that is known of its
   * users.
   */
  async function dropProject({ id, bucket }: ScopeMember): Promise<void> {
    await dropOthers(id, id)
    await work.save({ kind: 'drop', id, bucket })
  }

  async function put(Item: Item): Promise<void> {
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  async function remove(Key: { pk: string; sk: string }): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key }))
  }

  return { isReady, want, setReady, dropOthers, dropProject }
}

export type ScopeStore = ReturnType<typeof createScopeStore>
