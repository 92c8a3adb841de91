import { ApiError } from '#core/errors'
import type { IdentityStore } from '#core/identity/identity-store'
import { findPersonIds } from '#core/identity/links/person-ids'
import type { IdentityScope } from '#core/identity/scopes'
import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { Replays } from '#core/replays/open-replays'
import type { ReportServices } from '#core/reports/run/run'
import { quoted } from '#core/text/clean-text'
import { UNCONFIRMED_IDS } from '#schemas/erasures'
import { findPerson } from './find-person.ts'
import type { OpenedErasures } from './open-erasures.ts'

export type RequestErasureServices = ReportServices & {
  erasures: Pick<OpenedErasures, 'erasePerson' | 'isUnfinished'>
  replays: Pick<Replays, 'ofPerson'>
  identity: Pick<
    IdentityStore,
    'wantedScope' | 'scopeOf' | 'openLinks' | 'finalId' | 'readTraits' | 'removePerson'
  >
}

export type ErasureRequest = {
  /** Any id of the person. */
  userId: string
  /** The number of the person's ids, where they are more than UNCONFIRMED_IDS. */
  confirm?: number | undefined
  /** Erases nothing. */
  isDryRun: boolean
}

/**
 * Hides the events of all ids of a person at once, lets the lake remove them, and deletes links, traits,
 * e-mail index entries and replays; in a joined identity scope those of all projects (U55). Returns the ids,
 * the events that reads returned of them, and the id of the erasure; null after a dry run. Throws NOT_FOUND
 * for a person whom no project of the scope knows, and CONFIRMATION_REQUIRED.
 */
export async function requestErasure(
  services: RequestErasureServices,
  project: Project,
  { userId, confirm, isDryRun }: ErasureRequest,
  signal: AbortSignal | undefined,
): Promise<{ userIds: readonly string[]; events: number; erasureId: string | null }> {
  const { erasures, identity, replays } = services
  const rows = (statement: SqlQuery) => services.engine.rows(statement, { signal })
  const { scope, ids: userIds } = await findPersonIds({ identity, rows }, project, userId)
  if (!isDryRun) checkConfirmation(userIds, confirm)
  const others = scope.projects.filter(({ id }) => id !== project.id)
  const members = [project, ...others] as const
  const partOf = async (member: (typeof members)[number]) => ({
    project: member,
    ...(await findPerson(services, member, userIds, signal)),
    replays: (await replays.ofPerson.find(member, userIds)).length,
  })
  const [own, ...rest] = await Promise.all([partOf(project), ...others.map(partOf)])
  const parts = [own, ...rest] as const
  const events = parts.reduce((sum, part) => sum + part.events, 0)
  const isKnown =
    events > 0 ||
    parts.some(part => part.replays > 0) ||
    userIds.length > 1 ||
    (await hasTraits(identity, scope, userIds)) ||
    (await erasures.isUnfinished(project, userId))
  if (!isKnown) {
    throw new ApiError(
      'NOT_FOUND',
      `The project does not know the user ${quoted(userId)}. Check the id: events, replays and traits are known some seconds after they were sent.`,
    )
  }
  if (isDryRun) return { userIds, events, erasureId: null }
  const erasureId = await erasures.erasePerson(parts, userIds, async (id, until) => {
    // Once more: one that began since the search is the person's, too.
    const begun = await Promise.all(members.map(member => replays.ofPerson.find(member, userIds)))
    await replays.ofPerson.remove(begun.flat())
    await identity.removePerson(scope, userIds, { id, until })
  })
  return { userIds, events, erasureId }
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

/** A user may have traits only: a server identifies users who send no events. */
async function hasTraits(
  identity: Pick<IdentityStore, 'readTraits'>,
  { projects }: IdentityScope,
  userIds: readonly string[],
): Promise<boolean> {
  const traits = await Promise.all(projects.map(({ id }) => identity.readTraits(id, userIds)))
  return traits.some(found => found !== null)
}
