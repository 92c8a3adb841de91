import type { Clock, Lake } from '#core/ports'
import type { LinkNotes, ProjectDirectory } from '#core/projects/project'
import { bucketOf } from '#core/projects/project'
import { queryItems } from '#core/query-all'
import { orUnavailable, type StateTable } from '#core/state-table'
import { createErasedUsers } from './erased-users.ts'
import { createLinkStore, partition } from './link-store.ts'
import { type Link, resolveLinks } from './links.ts'
import { createProfileStore, type Profile, type ProfileUpdate } from './profile-store.ts'
import { createResolvedLinks, type ResolvedLinks } from './resolved-links.ts'
import { findScope, type IdentityScope, ownScope, type ScopedProject } from './scopes.ts'

export type IdentityServices = StateTable & {
  lake: Pick<Lake, 'put' | 'get' | 'list' | 'delete'>
  projects: Pick<ProjectDirectory, 'byId' | 'list'> & LinkNotes
  clock: Clock
}

/** What was removed of a person. */
export type ErasedIdentity = { links: number; profiles: number; emails: number }

/**
 * Who is who: links of ids, traits and the index of e-mail addresses (docs/api/identity.md, docs/api/events.md,
 * docs/api/portfolios.md). The lake consumer writes them from identify records, and reads resolve ids by them.
 */
export function createIdentityStore({ lake, projects, clock, ...state }: IdentityServices) {
  const links = createLinkStore(state)
  const profiles = createProfileStore(state)
  const erasedUsers = createErasedUsers(state)
  const resolved = createResolvedLinks({ ...state, store: links, lake, clock })

  /**
   * Adds the links and profiles of a project's identify requests. Doing it twice, or in another order, changes nothing. Those of an
   * erased person stay erased, because a claim may be replayed after the erasure.
   */
  async function add(
    projectId: string,
    requested: readonly Link[],
    updates: readonly ProfileUpdate[],
  ): Promise<void> {
    const { isErasedLink, isErasedProfile } = await erasedUsers.read(projectId)
    const candidates = requested.filter(link => !isErasedLink(link))
    const saved = updates.filter(update => !isErasedProfile(update))
    for (const update of saved) await profiles.save(projectId, update)
    for (const link of candidates) await links.add(projectId, link)
    const added = await removeErasedMeanwhile(projectId, candidates, saved)
    if (added.length === 0) return
    await projects.noteLinks(projectId, added.some(linksAnonymousIds))
    // Only after the links are stored: a scope that is found later was made from them.
    const project = await projects.byId(projectId)
    if (project === null) return
    const own = ownScope(project)
    const joined = await findScope(projects, project)
    await resolved.apply(own, added)
    if (joined.key !== own.key) await applyJoined(joined, added)
  }

  /**
   * Removes what an erasure at the same time did not see. The erasure is noted before it lists what there is, so either the erasure
   * finds what was added, or the notes are there now. A read may have written removed links into a file, so the files are deleted.
   * Returns the links that stay.
   */
  async function removeErasedMeanwhile(
    projectId: string,
    added: readonly Link[],
    saved: readonly ProfileUpdate[],
  ): Promise<Link[]> {
    const { isErasedLink, isErasedProfile } = await erasedUsers.read(projectId)
    const erased = added.filter(isErasedLink)
    for (const link of erased) await links.remove(projectId, link)
    for (const { user_id } of saved.filter(isErasedProfile)) await profiles.remove(projectId, user_id)
    const project = erased.length === 0 ? null : await projects.byId(projectId)
    if (project !== null) await resetLinks(projectId, project.bucket)
    return added.filter(link => !erased.includes(link))
  }

  async function applyJoined(scope: IdentityScope, added: readonly Link[]): Promise<void> {
    await noteScope(scope)
    await resolved.apply(scope, added)
  }

  /** The scope in which reads of a project resolve ids. */
  function scopeOf(project: ScopedProject): Promise<IdentityScope> {
    return findScope(projects, project)
  }

  /** The files with the resolved links of a scope; null if no ids are linked, which costs nothing. */
  async function openLinks(scope: IdentityScope): Promise<ResolvedLinks | null> {
    if (!scope.projects.some(({ has_links }) => has_links)) return null
    if (scope.projects.length > 1) await noteScope(scope)
    const opened = await resolved.open(scope)
    return opened.files.length === 0 ? null : opened
  }

  /** All ids that resolve to the same person as `id` in the scope, `id` and the final id among them. */
  async function personIds(scope: IdentityScope, id: string): Promise<string[]> {
    const finals = resolveLinks(await resolved.readComponent(scope, id))
    const final = finals.get(id) ?? id
    const ids = [...finals].filter(([, other]) => other === final).map(([previous]) => previous)
    return [...new Set([...ids, final, id])]
  }

  /**
   * Deletes the links, traits and e-mail index entries of these ids in all projects of the scope. The files in the lake that name
   * them are deleted at once, those of earlier scopes of the projects too. Requests that arrived until then (Unix ms) stay erased when they
   * are processed later. Doing it twice changes nothing.
   */
  async function erasePerson(
    scope: IdentityScope,
    ids: readonly string[],
    until: number = clock.now(),
  ): Promise<ErasedIdentity> {
    const erased: ErasedIdentity = { links: 0, profiles: 0, emails: 0 }
    await Promise.all(scope.projects.map(project => erasedUsers.bury(project.id, ids, until)))
    for (const project of scope.projects) {
      for (const id of ids) {
        for (const link of await links.linksOf(project.id, id)) {
          await links.remove(project.id, link)
          erased.links += 1
        }
        const removed = await profiles.remove(project.id, id)
        erased.profiles += Number(removed.traits)
        erased.emails += Number(removed.email)
      }
    }
    for (const project of scope.projects) await resetLinks(project.id, project.bucket)
    return erased
  }

  /** Deletes all files with resolved links of a project. The next read writes them anew. Also repairs a damaged one. */
  async function resetLinks(projectId: string, bucket: number): Promise<void> {
    await resolved.reset({ key: projectId, bucket })
    const items = await queryItems(state, partition(projectId), SCOPES, `${SCOPES}~`)
    for (const { scope_key, bucket } of items) {
      await resolved.reset({ key: String(scope_key), bucket: Number(bucket) })
    }
  }

  /** Notes beside each project of a joined scope that files of the scope may hold its links. */
  async function noteScope({ key, bucket, projects: members }: IdentityScope): Promise<void> {
    for (const { id } of members) {
      const Item = { pk: partition(id), sk: `${SCOPES}${key}`, scope_key: key, bucket }
      await orUnavailable(state.client.put({ TableName: state.table, Item }))
    }
  }

  /** Writes the links file anew that a read has found damaged or missing. Returns false if the key is not of a known scope. */
  async function repairScope(scopeKey: string): Promise<boolean> {
    const [projectId = ''] = /^proj_[0-9a-f]+$/.exec(scopeKey) ?? []
    const portfolioId = /^(pf_[0-9a-f]+)_/.exec(scopeKey)?.[1]
    const bucket =
      portfolioId === undefined ? (await projects.byId(projectId))?.bucket : bucketOf(portfolioId)
    if (bucket === undefined) return false
    await resolved.reset({ key: scopeKey, bucket })
    return true
  }

  /** The ids of the users with an e-mail address, by the project's hash of it (email-hash.ts). */
  function findByEmail(projectId: string, emailHash: string): Promise<string[]> {
    return profiles.findByEmail(projectId, emailHash)
  }

  /** The newest traits that a project knows of a person, or null. */
  function readProfile(projectId: string, ids: readonly string[]): Promise<Profile | null> {
    return profiles.readProfile(projectId, ids)
  }

  return {
    add,
    scopeOf,
    openLinks,
    finalId: resolved.finalId,
    personIds,
    findByEmail,
    readProfile,
    erasePerson,
    resetLinks,
    repairScope,
  }
}

export type IdentityStore = ReturnType<typeof createIdentityStore>

const SCOPES = 'scope#'

/** The tracker's call on the arrival from another domain links two of its own ids (docs/api/portfolios.md). */
function linksAnonymousIds({ previous_id, user_id }: Link): boolean {
  return previous_id.startsWith('anon_') && user_id.startsWith('anon_')
}
