import type { ErasedUserStore } from './erased-users.ts'
import type { IdentityWorkList } from './fold/identity-work.ts'
import type { Pointers } from './links/pointers.ts'
import type { IdentityScope } from './scopes.ts'
import type { TraitsStore } from './traits/traits-store.ts'

export type KnownPeopleServices = {
  pointers: Pick<Pointers, 'finalId'>
  traits: Pick<TraitsStore, 'findByEmail' | 'readTraits'>
  work: Pick<IdentityWorkList, 'list'>
  erasedUsers: Pick<ErasedUserStore, 'read'>
}

export type KnownPeople = ReturnType<typeof openKnownPeople>

/**
 * What the look-ups of one read learn of persons. The fold removes what is erased up to a minute after the
 * response of the erasure, so what still waits for it is left out here.
 */
export function openKnownPeople({ pointers, traits, work, erasedUsers }: KnownPeopleServices) {
  let waiting: Promise<ReadonlyMap<string, number>> | undefined

  /** When the oldest erasure of each project was asked for that the fold has not begun, Unix ms. */
  async function readWaiting(): Promise<ReadonlyMap<string, number>> {
    const oldest = new Map<string, number>()
    for (const each of await work.list()) {
      if (each.kind !== 'remove' || each.removed !== undefined) continue
      for (const { id } of each.scopes)
        oldest.set(id, Math.min(each.until, oldest.get(id) ?? Number.POSITIVE_INFINITY))
    }
    return oldest
  }

  /**
   * What the project's waiting erasures cover. It is read before the state is: an erasure that the fold ends
   * between both has removed what the state would show.
   */
  async function erasedIn(projectId: string): Promise<(ids: readonly string[]) => Promise<UntilOf>> {
    waiting ??= readWaiting()
    const since = (await waiting).get(projectId)
    if (since === undefined) return async () => () => NOT_ERASED
    return async ids => (await erasedUsers.read(projectId, since, ids)).untilOf
  }

  /**
   * The id that stands for a person: the one that reads show for all of the person's ids. An id whose person
   * is being erased stands for itself.
   */
  async function finalId({ key, projects }: Pick<IdentityScope, 'key' | 'projects'>, id: string) {
    const erased = await Promise.all(projects.map(each => erasedIn(each.id)))
    const final = await pointers.finalId(key, id)
    const untils = await Promise.all(erased.map(read => read([id, final])))
    return untils.some(untilOf => Math.max(untilOf(id), untilOf(final)) > NOT_ERASED) ? id : final
  }

  /** The ids of the users that have an e-mail address, by its hash. */
  async function findByEmail(projectId: string, emailHash: string): Promise<string[]> {
    return traits.findByEmail(projectId, emailHash, await erasedIn(projectId))
  }

  /** The newest traits of one of these users, or null. */
  async function readTraits(projectId: string, ids: readonly string[]) {
    return traits.readTraits(projectId, ids, await erasedIn(projectId))
  }

  return { finalId, findByEmail, readTraits }
}

/** Until when what an id has sent is erased, Unix ms; -1: it is not. */
export type UntilOf = (id: string) => number

const NOT_ERASED = -1
