import type { ErasedUserStore } from '#core/identity/erased-users'
import type { LinkFiles } from '#core/identity/links/link-files'
import type { Pointers } from '#core/identity/links/pointers'
import type { PersonRemoval } from '#core/identity/person-removal'
import type { ScopeStore } from '#core/identity/scope-store'
import { bucketsOf, findScope, type IdentityScope, ownScope } from '#core/identity/scopes'
import type { IdentityRow } from '#core/lake/consume/identity-row'
import type { Now } from '#core/ports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import type { Removals } from './removals.ts'

export type LateErasureServices = {
  erasedUsers: ErasedUserStore
  pointers: Pick<Pointers, 'follow' | 'finalId'>
  linkFiles: Pick<LinkFiles, 'idsOf'>
  projects: Pick<ProjectDirectory, 'list'>
  scopes: Pick<ScopeStore, 'isReady'>
  removePerson: PersonRemoval
  /** Erases the events of ids that arrived until then, Unix ms. */
  eraseEvents(project: Pick<Project, 'id' | 'bucket'>, ids: readonly string[], until: number): Promise<void>
  removals: Pick<Removals, 'run' | 'oldestUntil'>
  clock: Now
}

/** The clocks of two machines may differ by so much, ms. */
const CLOCKS_APART_MS = 60_000

/** An id that turns out to be one of an erased person. */
type End = { id: string; until: number }

/** Erasures that come between an identify request and its fold. */
export function createLateErasures(services: LateErasureServices) {
  const { erasedUsers, pointers, linkFiles, projects, scopes, removals, removePerson, eraseEvents } = services
  const { clock } = services

  /**
   * Erasures that reach to this time (Unix ms) or further may have links that are not removed yet. Read once
   * for a slice, because it lists the waiting erasures of all projects; those that come later reach further.
   */
  async function readWaitingSince(): Promise<number> {
    const now = clock.now()
    return Math.min(await removals.oldestUntil(), now - CLOCKS_APART_MS)
  }

  /**
   * Leaves out what erased persons have sent before their erasure. Only the erasures since the oldest row are
   * read. A link that is left out was on its way when one of its ends was erased: the person of the other end
   * is the same one, and is erased too, with all ids. `waitingSince`: readWaitingSince, before the rows.
   */
  async function withoutErased<Row extends IdentityRow>(
    project: Project,
    rows: readonly Row[],
    waitingSince: number,
  ): Promise<Row[]> {
    const oldest = rows.reduce((least, { at }) => Math.min(least, at), waitingSince)
    const named = new Set(rows.flatMap(({ previous_id, user_id }) => [previous_id ?? user_id, user_id]))
    for (let isFirst = true; ; isFirst = false) {
      const { untilOf, wasLinked, isErasedTraits } = await erasedUsers.read(project.id, oldest, named)
      const ends = await unlinkedEnds(project.id, otherEnds(rows, untilOf, wasLinked))
      for (const [until, group] of Map.groupBy(ends, each => each.until)) {
        await eraseAll(
          project,
          group.map(({ id }) => id),
          until,
        )
      }
      if (ends.length > 0) continue
      const left = rows.filter(
        ({ previous_id, user_id, at }) =>
          !isErasedTraits({ user_id, at }) && (previous_id === null || at > untilOf(previous_id)),
      )
      const isWaiting = (id: string | null) => id !== null && untilOf(id) >= waitingSince
      const isNamed = left.some(({ previous_id, user_id }) => isWaiting(previous_id) || isWaiting(user_id))
      // A later link of an erased id is one of a new person, and an id has one row in all files. The lease is
      // extended after the slice.
      if (!isFirst || isNamed) await removeNow(project)
      return left
    }
  }

  async function removeNow(project: Project): Promise<void> {
    const { failed } = await removals.run(async () => {}, true)
    const bucket = bucketsOf(project).find(each => failed.has(each))
    if (bucket !== undefined) throw new Error(`Erased links are still in the files of bucket ${bucket}`)
  }

  /**
   * Leaves out devices that are linked already: they keep their link, so they are not of the erased person.
   */
  async function unlinkedEnds(scope: string, ends: readonly (End & { isDevice: boolean })[]): Promise<End[]> {
    const known = await pointers.follow(
      scope,
      ends.flatMap(({ id, isDevice }) => (isDevice ? [id] : [])),
    )
    return ends.filter(({ id, isDevice }) => !isDevice || (known.get(id)?.to ?? null) === null)
  }

  /** Erases the persons of these ids in all projects that share them. */
  async function eraseAll(project: Project, ends: readonly string[], until: number): Promise<void> {
    const scope = await scopeOf(project)
    const finals: string[] = []
    for (const id of new Set(ends)) finals.push(await pointers.finalId(scope.key, id))
    const ids = new Set([...ends, ...finals, ...(await linkFiles.idsOf(scope, finals))])
    for (const member of scope.projects) await eraseEvents(member, [...ids], until)
    await removePerson(scope, [...ids], { until, finals })
  }

  async function scopeOf(project: Project): Promise<IdentityScope> {
    const scope = await findScope(projects, project)
    return scope.projects.length === 1 || (await scopes.isReady(scope.key)) ? scope : ownScope(project)
  }

  return { withoutErased, readWaitingSince }
}

/**
 * The ends of links that were on their way when the other end was erased. `isDevice`: the link would lead it
 * to the erased one.
 */
function otherEnds(
  rows: readonly IdentityRow[],
  untilOf: (id: string) => number,
  wasLinked: (id: string) => boolean,
): (End & { isDevice: boolean })[] {
  return rows.flatMap(({ previous_id, user_id, at }) => {
    if (previous_id === null) return []
    const [previous, user] = [untilOf(previous_id), untilOf(user_id)]
    const until = Math.max(previous, user)
    if (at > until || at <= Math.min(previous, user)) return []
    const isDevice = at > previous
    // The first link of an id stays, so this one would have been refused.
    if (!isDevice && wasLinked(previous_id)) return []
    return [{ id: isDevice ? previous_id : user_id, until, isDevice }]
  })
}
