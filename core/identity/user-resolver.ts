import { forEachConcurrent } from '#core/async/concurrency'
import type { Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import { createLookupCache } from '#core/state/lookup-cache'
import type { StateTable } from '#core/state/state-table'
import { createErasedUsers } from './erased-users.ts'
import { createIdentityWork } from './fold/identity-work.ts'
import { createPointers } from './links/pointers.ts'
import { createScopeStore, openScope } from './scope-store.ts'

/** Queries of the state table that run at the same time. */
const CONCURRENT_QUERIES = 32
/** Users whose final ids are remembered, and as many without a link. */
const MAX_USERS = 20_000
/** How long a final id is used, ms. It only changes when the person gets another id, or is erased. */
const LINKED_MS = 10_000
/** How long "no link" is used, ms. A new link shows in live reads after this time at the latest. */
const UNLINKED_MS = 2_000
const MAX_PROJECTS = 1_000

/**
 * How long the list of the last erasures is used, ms: an erased person leaves live reads of other processes
 * after this time.
 */
const ERASED_MS = 1_000

type UserEvent = { user_id: string | null; received_at: number }

/** Replaces the ids of users by their final ids, and leaves out the events of erased persons. */
export type UserResolver = {
  resolveUsers<T extends UserEvent>(projectId: string, events: readonly T[]): Promise<readonly T[]>
}

/**
 * Resolves the ids of events that are not in the lake: those of the live buffer (U48). Reports join the links
 * files instead (core/lake/read/user-links.ts). A project without links costs one cached look-up, and one
 * short query of erasures in a second.
 */
export function createUserResolver({
  projects,
  clock,
  bufferMs,
  ...state
}: StateTable & {
  projects: Pick<ProjectDirectory, 'byId' | 'list'>
  clock: Now
  /** Age of the oldest events that are resolved, ms. */
  bufferMs: number
}): UserResolver {
  const erasedUsers = createErasedUsers(state)
  const pointers = createPointers(state)
  const scopeStore = createScopeStore(state, createIdentityWork(state))
  const scopes = createLookupCache(clock, readLinkedScope, {
    foundMs: LINKED_MS,
    missingMs: UNLINKED_MS,
    maxEntries: MAX_PROJECTS,
  })
  const finals = createLookupCache(clock, readFinalLink, {
    foundMs: LINKED_MS,
    missingMs: UNLINKED_MS,
    maxEntries: MAX_USERS,
  })
  // The project's events that were erased since the oldest of them arrived.
  const erasures = createLookupCache(
    clock,
    projectId => erasedUsers.read(projectId, clock.now() - bufferMs - ERASED_MS),
    { foundMs: ERASED_MS, missingMs: ERASED_MS, maxEntries: MAX_PROJECTS },
  )

  /** The scope of a project, or null if it has no links. */
  async function readLinkedScope(projectId: string) {
    const project = await projects.byId(projectId)
    if (project === null) return null
    const scope = await openScope(scopeStore, projects, project)
    return scope.projects.some(({ has_links }) => has_links) ? scope : null
  }

  /** The final id of a user and when it was linked, or null if it is the id itself. `key`: see `keyOf`. */
  async function readFinalLink(key: string): Promise<{ final: string; at: number } | null> {
    const [projectId, id] = splitKey(key)
    const scope = await scopes.get(projectId)
    if (scope === null) return null
    const link = await pointers.finalLink(scope.key, id)
    return link.final === id ? null : link
  }

  /** Returns the events that are not erased, with their final ids, in the same order. */
  async function resolveUsers<T extends UserEvent>(
    projectId: string,
    arrived: readonly T[],
  ): Promise<readonly T[]> {
    if (arrived.length === 0) return arrived
    const erased = await erasures.get(projectId)
    const events = arrived.filter(event => erased?.isErasedEvent(event) !== true)
    if ((await scopes.get(projectId)) === null) return events
    const resolved = new Map<string | null, string>()
    const ids = new Set(events.flatMap(({ user_id }) => user_id ?? []))
    await forEachConcurrent([...ids], CONCURRENT_QUERIES, async id => {
      const link = await finals.get(keyOf(projectId, id))
      // The fold removes the link of an erased person some seconds later, and a later event is of a new
      // person.
      if (link !== null && link.at > (erased?.untilOf(id) ?? -1)) resolved.set(id, link.final)
    })
    return events.map(event => ({ ...event, user_id: resolved.get(event.user_id) ?? event.user_id }))
  }

  return { resolveUsers }
}

/** Project ids have no blank. */
function keyOf(projectId: string, id: string): string {
  return `${projectId} ${id}`
}

function splitKey(key: string): [projectId: string, id: string] {
  const at = key.indexOf(' ')
  return [key.slice(0, at), key.slice(at + 1)]
}
