import { findPerson } from '#core/erasure/find-person'
import type { OpenedErasures } from '#core/erasure/open-erasures'
import { ApiError } from '#core/errors'
import type { IdentityStore } from '#core/identity/identity-store'
import { findPersonIds } from '#core/identity/links/person-ids'
import type { IdentityScope } from '#core/identity/scopes'
import type { SqlQuery } from '#core/ports'
import type { Replays } from '#core/replays/open-replays'
import type { ReportServices } from '#core/reports/run/run'
import { quoted } from '#core/text/clean-text'
import type { accountChain } from '#lambdas/chain/account-chain'
import { LISTED_IDS, UNCONFIRMED_IDS } from '#schemas/erasures'
import { routes } from '#schemas/routes'

export type ErasePersonServices = ReportServices & {
  erasures: Pick<OpenedErasures, 'erasePerson' | 'isUnfinished'>
  replays: Pick<Replays, 'ofPerson'>
  identity: Pick<
    IdentityStore,
    'wantedScope' | 'scopeOf' | 'openLinks' | 'finalId' | 'readTraits' | 'removePerson'
  >
}

/**
 * DELETE /users/{id} (docs/api/erasure.md): hides the project's events of all ids of a person at once, lets
 * the lake remove them, and lets the fold delete the person's links, traits and e-mail index entries; in a
 * joined identity scope those of all projects (U55).
 */
export function erasePersonEndpoint(services: ErasePersonServices, chain: ReturnType<typeof accountChain>) {
  const { erasures, identity, replays } = services

  /** A user may have traits only: a server identifies users who send no events. */
  async function hasTraits({ projects }: IdentityScope, userIds: readonly string[]): Promise<boolean> {
    const traits = await Promise.all(projects.map(({ id }) => identity.readTraits(id, userIds)))
    return traits.some(found => found !== null)
  }

  return chain(routes.erasePerson)(async ({ project, request, query, body, signal }) => {
    const userId = body.user_id ?? query.user_id ?? request.params.id ?? ''
    const rows = (statement: SqlQuery) => services.engine.rows(statement, { signal })
    const { scope, ids: userIds } = await findPersonIds({ identity, rows }, project, userId)
    if (!query.dry_run) checkConfirmation(userIds, query.confirm)
    const members = [project, ...scope.projects.filter(({ id }) => id !== project.id)] as const
    const [own, ...others] = await Promise.all(
      members.map(async member => ({
        project: member,
        ...(await findPerson(services, member, userIds, signal)),
        replays: await replays.ofPerson.find(member, userIds),
      })),
    )
    const found = [own as NonNullable<typeof own>, ...others]
    const [first, ...rest] = found.map(each => ({ ...each, replays: each.replays.length }))
    const parts = [first as NonNullable<typeof first>, ...rest] as const
    const events = parts.reduce((sum, each) => sum + each.events, 0)
    const hasReplays = parts.some(each => each.replays > 0)
    const isKnown =
      events > 0 ||
      hasReplays ||
      userIds.length > 1 ||
      (await hasTraits(scope, userIds)) ||
      (await erasures.isUnfinished(project, userId))
    if (!isKnown) {
      throw new ApiError(
        'NOT_FOUND',
        `The project does not know the user ${quoted(userId)}. Check the id: events, replays and traits are known some seconds after they were sent.`,
      )
    }
    if (query.dry_run) return { status: 200, body: toDryRun(userIds, events) }
    const erasure_id = await erasures.erasePerson(parts, userIds, async (id, until) => {
      // Once more: one that began since the search is the person's, too.
      const begun = await Promise.all(members.map(member => replays.ofPerson.find(member, userIds)))
      await replays.ofPerson.remove(begun.flat())
      await identity.removePerson(scope, userIds, { id, until })
    })
    return { status: 202, body: { ok: true as const, erasure_id, status: 'pending' as const } }
  })
}

/** Links may join many ids by mistake. So an erasure of many ids needs their number (U59). */
function checkConfirmation(userIds: readonly string[], confirm: number | undefined): void {
  const { length: ids } = userIds
  if (ids <= UNCONFIRMED_IDS || confirm === ids) return
  throw new ApiError(
    'CONFIRMATION_REQUIRED',
    `The person has ${ids} ids. Send \`confirm=${ids}\` to erase all of them. \`dry_run=true\` lists them.`,
    { fields: { ids, first_ids: userIds.slice(0, UNCONFIRMED_IDS) } },
  )
}

function toDryRun(userIds: readonly string[], events: number) {
  const ids = userIds.slice(0, LISTED_IDS)
  const count = userIds.length
  return {
    dry_run: true as const,
    ids,
    count,
    ...(count > ids.length && { truncated: true as const }),
    events,
  }
}
