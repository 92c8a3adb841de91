import type { Erasures } from '#core/erasure/erasures'
import { findPerson } from '#core/erasure/find-person'
import { ApiError } from '#core/errors'
import type { IdentityStore } from '#core/identity/identity-store'
import type { IdentityScope } from '#core/identity/scopes'
import type { ReportServices } from '#core/reports/run'
import { quoted } from '#core/text/clean-text'
import { routes } from '#schemas/routes'
import type { accountChain } from '../chain/account-chain.ts'

export type ErasePersonServices = ReportServices & {
  erasures: Pick<Erasures, 'erasePerson' | 'noteIdentity'>
  identity: Pick<IdentityStore, 'scopeOf' | 'personIds' | 'readProfile' | 'erasePerson'>
}

/**
 * DELETE /users/{id} (contract 1.13): hides the project's events of all ids of a person at once, lets the lake remove them, and
 * deletes the person's links, traits and e-mail index entries; in a joined identity scope those of all projects (U55). The events
 * come first: without the links, a second try would not know the other ids.
 */
export function erasePersonEndpoint(services: ErasePersonServices, chain: ReturnType<typeof accountChain>) {
  const { erasures, identity } = services

  /** A user may have traits only: a server identifies users who send no events. */
  async function hasProfile({ projects }: IdentityScope, userIds: readonly string[]): Promise<boolean> {
    const profiles = await Promise.all(projects.map(({ id }) => identity.readProfile(id, userIds)))
    return profiles.some(profile => profile !== null)
  }

  return chain(routes.erasePerson)(async ({ project, request, signal }) => {
    const userId = request.params.id ?? ''
    const scope = await identity.scopeOf(project)
    const userIds = await identity.personIds(scope, userId)
    const members = [project, ...scope.projects.filter(({ id }) => id !== project.id)] as const
    const [own, ...others] = await Promise.all(
      members.map(async member => ({
        project: member,
        ...(await findPerson(services, member, userIds, signal)),
      })),
    )
    const parts = [own as NonNullable<typeof own>, ...others] as const
    const events = parts.reduce((sum, each) => sum + each.events, 0)
    const isKnown = events > 0 || userIds.length > 1 || (await hasProfile(scope, userIds))
    if (!isKnown) {
      throw new ApiError(
        'NOT_FOUND',
        `The project does not know the user ${quoted(userId)}. Events and traits are known some seconds after they were sent.`,
      )
    }
    const erasure_id = await erasures.erasePerson(parts, userIds)
    const { links, profiles } = await identity.erasePerson(scope, userIds)
    await erasures.noteIdentity(erasure_id, { links, profiles })
    return { status: 202, body: { ok: true as const, erasure_id, status: 'pending' as const } }
  })
}
