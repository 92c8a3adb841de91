import { unavailable } from '#core/errors'
import type { Clock } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { createProjectEntity, createReservationEntity, type ReservationKind } from './entities.ts'
import type { ProjectItem, ProjectItems } from './items.ts'
import { primaryOrigin } from './origins.ts'

/**
 * A name or origin that no other project of the account may use. `version`: of the project, when it took the
 * value.
 */
export type Reservation = {
  account_id: string
  kind: ReservationKind
  value: string
  project_id: string
  version: number
}

type ReservationKey = Pick<Reservation, 'account_id' | 'kind' | 'value'>

/** How long another request may take to write its project's item, before it counts as crashed. */
const GRACE_TRIES = 6
const GRACE_PAUSE_MS = 20
const MAX_TRIES = 40

/**
 * Makes names and primary origins unique within an account, without transactions. A project writes its
 * reservation before its own item. The reservation counts only while that item is live and has the same name
 * or origin. A reservation may stop counting: its process crashed between the two writes, or its project was
 * deleted. Then another project may take it over, but must fence the old holder first. A holder without an
 * item gets the item of a deleted project, so that it can never be created. A holder with another name or
 * origin gets a higher version, so that an update under way fails.
 */
export function createReservations(
  state: StateTable,
  { find: findProject }: Pick<ProjectItems, 'find'>,
  clock: Clock,
) {
  const reservations = createReservationEntity(state)
  const projects = createProjectEntity(state)

  /** Returns the live project that has the name or origin, or null. */
  async function findHolder(key: ReservationKey): Promise<ProjectItem | null> {
    const reservation = await findReservation(key)
    const project = reservation === null ? null : await findProject(reservation.project_id)
    return project !== null && hasValue(project, key.kind, key.value) ? project : null
  }

  /** Reserves a value for a project. Returns null on success, else the live project that has the value. */
  async function reserve(request: Reservation): Promise<ProjectItem | null> {
    let pauses = 0
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (await conditionHeld(reservations.create(request).go())) return null
      const current = await findReservation(request)
      if (current === null) continue
      if (current.project_id !== request.project_id) {
        const project = await findProject(current.project_id)
        if (project !== null && hasValue(project, request.kind, request.value)) return project
        if (project === null && pauses < GRACE_TRIES) {
          pauses += 1
          await clock.sleep(GRACE_PAUSE_MS)
          continue
        }
        if (!(await fence(current, project))) continue
      }
      if (await takeOver(current, request)) return null
    }
    throw unavailable(
      `Several requests want this project ${request.kind} at the same time. Send the same request again in a second.`,
      1,
    )
  }

  /**
   * Deletes the reservation, unless another project has it or the same project has renewed it since that
   * version.
   */
  async function release({ project_id, version, ...key }: Reservation): Promise<void> {
    const deletion = reservations
      .delete(key)
      .where((item, { eq, lte }) => `${eq(item.project_id, project_id)} AND ${lte(item.version, version)}`)
    await conditionHeld(deletion.go())
  }

  /**
   * Makes sure that the id can never become a live project. Returns false when the id has an item already.
   */
  function createDeleted({
    account_id,
    project_id,
  }: Pick<Reservation, 'account_id' | 'project_id'>): Promise<boolean> {
    const now = new Date(clock.now()).toISOString()
    const item = {
      id: project_id,
      account_id,
      name: '',
      project_token: '',
      allowed_origins: '*',
      link_domains: [],
      bucket: 0,
      created_at: now,
      deleted_at: now,
      version: 1,
    }
    return conditionHeld(projects.create(item).go())
  }

  /**
   * Returns the ids of all projects with a reservation of a name; some may be deleted or were never created.
   */
  async function listProjectIds(accountId: string): Promise<Set<string>> {
    const { data } = await orUnavailable(
      reservations.query.main({ account_id: accountId, kind: 'name' }).go({ consistent: true, pages: 'all' }),
    )
    return new Set(data.map(reservation => reservation.project_id))
  }

  async function fence(reservation: Reservation, holder: ProjectItem | null): Promise<boolean> {
    if (holder === null) return createDeleted(reservation)
    if (holder.deleted_at !== undefined) return true
    const change = projects
      .patch({ id: holder.id })
      .add({ version: 1 })
      .where((item, { eq }) => eq(item.version, holder.version))
    return conditionHeld(change.go())
  }

  function takeOver(current: Reservation, { project_id, version, ...key }: Reservation): Promise<boolean> {
    const change = reservations
      .patch(key)
      .set({ project_id, version })
      .where(
        (item, { eq }) =>
          `${eq(item.project_id, current.project_id)} AND ${eq(item.version, current.version)}`,
      )
    return conditionHeld(change.go())
  }

  async function findReservation({ account_id, kind, value }: ReservationKey): Promise<Reservation | null> {
    const { data } = await orUnavailable(
      reservations.get({ account_id, kind, value }).go({ consistent: true }),
    )
    return data
  }

  return { findHolder, reserve, release, createDeleted, listProjectIds }
}

export type Reservations = ReturnType<typeof createReservations>

/** Returns whether the project is live and has this name or primary origin. */
function hasValue(project: ProjectItem, kind: ReservationKind, value: string): boolean {
  const current = kind === 'name' ? project.name : primaryOrigin(project.allowed_origins)
  return project.deleted_at === undefined && current === value
}
