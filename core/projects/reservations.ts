import { setTimeout as pause } from 'node:timers/promises'
import type { EntityItem } from 'electrodb'
import { unavailable } from '#core/errors'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import { projectEntity, type ReservationKind, reservationEntity } from './entities.ts'
import { primaryOrigin } from './origins.ts'

/** A project as its item has it. */
export type ProjectItem = EntityItem<ReturnType<typeof projectEntity>>

/** What a project wants to be the only one of its account to have, from the given version of it on. */
export type Reservation = {
  account_id: string
  kind: ReservationKind
  value: string
  project_id: string
  version: number
}

/** Another request that is making its project has this long to get there, before it counts as crashed. */
const GRACE_TRIES = 6
const GRACE_PAUSE_MS = 20
const MAX_TRIES = 40

/**
 * Names and primary origins that are unique within an account, without transactions. A claim is written before the
 * project that wants it; it counts only while that project's item is alive and says the same. One that does not
 * count (a crash between the two writes, a deleted project) is taken over by who wants it next, but only after its
 * holder has been fenced: a project that is not there yet gets an item that is born deleted, so that it can no longer be
 * made; of one that has another name or origin the version is raised, so that an update under way fails.
 */
export function createReservations(state: StateTable, now: () => string) {
  const claims = reservationEntity(state)
  const projects = projectEntity(state)

  /** The live project that has the name or origin, or null. */
  async function holder({ account_id, kind, value }: Pick<Reservation, 'account_id' | 'kind' | 'value'>) {
    const claim = await find({ account_id, kind, value })
    const project = claim === null ? null : await projectOf(claim.project_id)
    return project !== null && has(project, kind, value) ? project : null
  }

  /** Makes the claim the wanting project's. Returns null when it is, else the live project that has it. */
  async function take(wanted: Reservation): Promise<ProjectItem | null> {
    let waited = 0
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await conditionHeld(claims.create(wanted).go())) return null
      const claim = await find(wanted)
      if (claim === null) continue
      if (claim.project_id !== wanted.project_id) {
        const project = await projectOf(claim.project_id)
        if (project !== null && has(project, wanted.kind, wanted.value)) return project
        if (project === null && waited < GRACE_TRIES) {
          waited += 1
          await pause(GRACE_PAUSE_MS)
          continue
        }
        if (!(await fence(claim, project))) continue
      }
      if (await takeOver(claim, wanted)) return null
    }
    throw unavailable(`the ${wanted.kind} is wanted by several requests at once`, 1)
  }

  /** Gives the claim up, unless it is another project's, or the same one has claimed it anew since that version. */
  async function release({ project_id, version, ...key }: Reservation): Promise<void> {
    const mine = claims
      .delete(key)
      .where((item, { eq, lte }) => `${eq(item.project_id, project_id)} AND ${lte(item.version, version)}`)
    await conditionHeld(mine.go())
  }

  /** Makes sure that the id can never become a live project. Returns false when it already is one, or was. */
  function createTombstone({
    account_id,
    project_id,
  }: Pick<Reservation, 'account_id' | 'project_id'>): Promise<boolean> {
    const item = {
      id: project_id,
      account_id,
      name: '',
      project_token: '',
      allowed_origins: '*',
      link_domains: [],
      bucket: 0,
      created_at: now(),
      deleted_at: now(),
      version: 1,
    }
    return conditionHeld(projects.create(item).go())
  }

  /** The projects that have, or had, or wanted a name in the account. */
  async function reservingProjects(accountId: string): Promise<Set<string>> {
    const { data } = await orUnavailable(
      claims.query.main({ account_id: accountId, kind: 'name' }).go({ consistent: true, pages: 'all' }),
    )
    return new Set(data.map(claim => claim.project_id))
  }

  async function fence(claim: Reservation, project: ProjectItem | null): Promise<boolean> {
    if (project === null) return createTombstone(claim)
    if (project.deleted_at !== undefined) return true
    const unchanged = projects
      .patch({ id: project.id })
      .add({ version: 1 })
      .where((item, { eq }) => eq(item.version, project.version))
    return conditionHeld(unchanged.go())
  }

  function takeOver(claim: Reservation, { project_id, version, ...key }: Reservation): Promise<boolean> {
    const unchanged = claims
      .patch(key)
      .set({ project_id, version })
      .where(
        (item, { eq }) => `${eq(item.project_id, claim.project_id)} AND ${eq(item.version, claim.version)}`,
      )
    return conditionHeld(unchanged.go())
  }

  async function find(key: Pick<Reservation, 'account_id' | 'kind' | 'value'>): Promise<Reservation | null> {
    const { account_id, kind, value } = key
    const { data } = await orUnavailable(claims.get({ account_id, kind, value }).go({ consistent: true }))
    return data
  }

  async function projectOf(id: string): Promise<ProjectItem | null> {
    const { data } = await orUnavailable(projects.get({ id }).go({ consistent: true }))
    return data
  }

  return { holder, take, release, createTombstone, reservingProjects }
}

export type Reservations = ReturnType<typeof createReservations>

function has(project: ProjectItem, kind: ReservationKind, value: string): boolean {
  const own = kind === 'name' ? project.name : primaryOrigin(project.allowed_origins)
  return project.deleted_at === undefined && own === value
}
