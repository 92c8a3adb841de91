import type { EmailHasher } from '#core/ingest/email-hash'
import { normalizeEmail } from '#core/ingest/email-hash'
import type { OpenLinks } from '#core/lake/model/open-links'
import type { OpenTraits } from '#core/lake/model/open-traits'
import type { QueryEngine } from '#core/ports'
import type { IdentityStore } from './identity-store.ts'
import { personIds } from './links/person-ids.ts'
import type { ScopedProject } from './scopes.ts'
import type { UserTraits } from './traits/traits-store.ts'

/** What a read knows about the users of a project. All statements of a report see the same links. */
export type IdentityView = {
  /** Where the linked ids are; null if there are none. */
  links: OpenLinks | null
  /** Some links are lost and are being made again, so some persons are read in parts. */
  isPartial: boolean
  /** The projects whose users are known together; null if that is the project alone. */
  joinedProjects: readonly ScopedProject[] | null
  /**
   * The ids under which events of a person are read: the final id, and `id` itself, which may have been
   * linked a moment ago. The first one is the final id.
   */
  idsOf(id: string): Promise<[final: string, ...others: string[]]>
  /** The final ids of the persons that have an e-mail address. */
  findByEmail(email: string): Promise<string[]>
  /** The traits that a project has of all its users, for conditions. */
  openTraits(project: { id: string; bucket: number }): Promise<OpenTraits>
  /** The newest traits that a project has of a person, or null. */
  readTraits(projectId: string, finalId: string): Promise<UserTraits | null>
}

/** For a read that knows no links: every id stands for itself. */
export const NO_IDENTITY: IdentityView = {
  links: null,
  isPartial: false,
  joinedProjects: null,
  idsOf: async id => [id],
  findByEmail: async () => [],
  openTraits: async () => ({ files: [] }),
  readTraits: async () => null,
}

export type IdentityViewServices = {
  identity: Pick<IdentityStore, 'scopeOf' | 'openLinks' | 'openTraits' | 'openPeople'>
  emails: EmailHasher
  engine: Pick<QueryEngine, 'rows'>
}

/** Ids of a person whose traits a look-up in a joined scope tries. */
const MAX_TRAITS_IDS = 100

/** Opens the identities of a project for one read. */
export async function openIdentity(
  { identity, emails, engine }: IdentityViewServices,
  project: ScopedProject,
): Promise<IdentityView> {
  const scope = await identity.scopeOf(project)
  const opened = await identity.openLinks(scope)
  const links = opened !== null && opened.files.length > 0 ? opened : null
  const people = identity.openPeople()

  async function findFinal(id: string): Promise<string> {
    return opened === null ? id : people.finalId(scope, id)
  }

  return {
    links,
    isPartial: opened?.isPartial === true,
    joinedProjects: scope.projects.length > 1 ? scope.projects : null,
    async idsOf(id) {
      const final = await findFinal(id)
      return final === id ? [final] : [final, id]
    },
    async findByEmail(email) {
      const normalized = normalizeEmail(email)
      const found = await Promise.all(
        scope.projects.map(async ({ id }) => people.findByEmail(id, await emails.hash(id, normalized))),
      )
      return [...new Set(await Promise.all(found.flat().map(findFinal)))].toSorted()
    },
    openTraits: identity.openTraits,
    async readTraits(projectId, finalId) {
      const traits = await people.readTraits(projectId, [finalId])
      // The fold keeps traits at the final ids of each project alone. In a joined scope another id of the
      // person may have it.
      if (traits !== null || links === null || scope.projects.length === 1) return traits
      const ids = await personIds(query => engine.rows(query), links, finalId, MAX_TRAITS_IDS)
      return people.readTraits(projectId, ids)
    },
  }
}
