import { randomBytes } from 'node:crypto'
import type { Account } from '#core/accounts/account'
import { ApiError, unavailable } from '#core/errors'
import { NO_LIMIT } from '#core/plans/profile'
import type { Now } from '#core/ports'
import { bucketOf } from '#core/state/bucket-of'
import { createDeletionList } from '#core/state/deletion-list'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import type { UsageCounters } from '#core/usage/counters'
import { createProjectEntity, createTokenEntity } from './entities.ts'
import { type ProjectItem, type ProjectItems, toProject } from './items.ts'
import { normalizeOrigins, primaryOrigin } from './origins.ts'
import type { ProjectPlaces } from './places.ts'
import type { Project } from './project.ts'
import { isProjectOf } from './project-host.ts'
import type { Reservation, Reservations } from './reservations.ts'

/** The website analyses that projects are made from (core/scans/scan-store.ts). */
export type SourceScans = {
  /** The analysis of an account; null if there is none, or the id has another form. */
  find(key: ScanKey): Promise<SourceScan | null>
  /** Notes the project that was made from the analysis. */
  link(key: ScanKey, projectId: string): Promise<void>
}
type ScanKey = { account_id: string; id: string }
type SourceScan = ScanKey & { hostname: string }

export type NewProject = {
  account: Pick<Account, 'id'>
  /** Of the form PROJECT_NAME. */
  name: string
  /** As the client sent it; without it: `*`. */
  allowed_origins?: string | undefined
  source_scan_id?: string | undefined
  /** IANA name; empty or absent: none. */
  timezone?: string | undefined
  /** How many live projects the account may have. Default: NO_LIMIT, which costs no request. */
  max_projects?: number | undefined
}

export type ProjectChanges = {
  name?: string | undefined
  /** Empty: none any more. */
  display_name?: string | undefined
  /** As the client sent it. */
  allowed_origins?: string | undefined
  link_domains?: string[] | undefined
  /** IANA name; empty: none any more. */
  timezone?: string | undefined
  /** 0: as the plan, from now on. */
  retention_days?: number | undefined
}

export type ProjectWriterServices = StateTable & {
  clock: Now
  usage: Pick<UsageCounters, 'totals'>
  items: Pick<ProjectItems, 'find'>
  reservations: Reservations
  places: ProjectPlaces
  scans: SourceScans
  /** Is called after a change of the project with this token. */
  onChanged: (projectToken: string) => void
}

/** How often a change starts again after another request has changed the project first. */
const MAX_TRIES = 8

/**
 * Creates, changes and deletes projects. Each name and primary origin has a reservation; the project's own
 * item decides.
 */
export function createProjectWriter({
  clock,
  usage,
  items,
  reservations,
  places,
  scans,
  onChanged,
  ...state
}: ProjectWriterServices) {
  const projects = createProjectEntity(state)
  const tokens = createTokenEntity(state)
  const deletions = createDeletionList({ ...state, clock })

  function now(): string {
    return new Date(clock.now()).toISOString()
  }

  /**
   * Creates a project, or returns the account's live project of that name (`existing`). Throws MISSING_FIELDS
   * for bad origins or an unknown analysis, PRO_REQUIRED for a project over `max_projects`, and
   * DUPLICATE_ORIGIN when another project has the primary origin.
   */
  async function create(request: NewProject): Promise<{ project: Project; existing: boolean }> {
    const allowed_origins = normalizeOrigins(request.allowed_origins ?? '*')
    const account_id = request.account.id
    const max = request.max_projects ?? NO_LIMIT
    const scan = await findSource(request, allowed_origins)
    const namesake = await findNamesake(request)
    if (namesake !== null) return namesake
    if (max !== NO_LIMIT && (await places.areTaken(account_id, max))) return refuse(request, max)
    await requireFreeOrigin(account_id, allowed_origins)

    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const item = {
        id: `proj_${randomBytes(8).toString('hex')}`,
        account_id,
        name: request.name,
        project_token: `aat_${randomBytes(24).toString('hex')}`,
        allowed_origins,
        ...(scan && { source_scan_id: scan.id }),
        ...(request.timezone && { timezone: request.timezone }),
        link_domains: [],
        created_at: now(),
        version: 1,
      }
      const [name, origin] = reservationsOf(item)
      const holder = await reservations.reserve(name)
      if (holder !== null) return { project: toProject(holder), existing: true }
      if (origin !== null && (await reservations.reserve(origin)) !== null) {
        await reservations.createDeleted(name)
        await reservations.release(name)
        throw duplicateOrigin(origin.value)
      }
      if (max !== NO_LIMIT && !(await places.take(account_id, item.id, max))) {
        if (origin !== null) await reservations.release(origin)
        await reservations.release(name)
        return refuse(request, max)
      }
      await orUnavailable(tokens.put({ project_token: item.project_token, project_id: item.id }).go())
      const project = { ...item, bucket: bucketOf(item.id) }
      // The condition fails when another request has treated this one as crashed and written a deleted
      // project.
      if (!(await conditionHeld(projects.create(project).go()))) continue
      if (scan !== null) await scans.link(scan, project.id)
      return { project: toProject(project), existing: false }
    }
    throw unavailable(
      'Several requests create this project at the same time. Send the same request again in a second.',
      1,
    )
  }

  async function findNamesake({ account, name }: NewProject) {
    const namesake = await reservations.findHolder({ account_id: account.id, kind: 'name', value: name })
    return namesake === null ? null : { project: toProject(namesake), existing: true }
  }

  /**
   * Throws PRO_REQUIRED. If another request has created a project of this name in the meantime, returns that.
   */
  async function refuse(request: NewProject, max: number) {
    const namesake = await findNamesake(request)
    if (namesake !== null) return namesake
    throw new ApiError(
      'PRO_REQUIRED',
      `The free plan includes ${max} projects. Delete one, or upgrade to Pro: GET /account/usage says how.`,
    )
  }

  /**
   * Changes a live project. Throws NAME_LOCKED (it has events), NAME_EXISTS, DUPLICATE_ORIGIN, MISSING_FIELDS
   * (bad origins) or NOT_FOUND (deleted in the meantime).
   */
  async function update(project: Pick<Project, 'id'>, changes: ProjectChanges): Promise<Project> {
    const { name, display_name, link_domains, timezone, retention_days } = changes
    const allowed_origins =
      changes.allowed_origins === undefined ? undefined : normalizeOrigins(changes.allowed_origins)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await readLive(project.id)
      const after = {
        ...before,
        name: name ?? before.name,
        display_name: (display_name ?? before.display_name) || undefined,
        allowed_origins: allowed_origins ?? before.allowed_origins,
        link_domains: link_domains ?? before.link_domains,
        timezone: (timezone ?? before.timezone) || undefined,
        retention_days: (retention_days ?? before.retention_days) || undefined,
        version: before.version + 1,
      }
      await reserveValues(before, after)
      const change = projects
        .patch({ id: before.id })
        .set({ ...fieldsOf(after), version: after.version })
        .remove(OPTIONAL_FIELDS.filter(field => after[field] === undefined))
        .where(
          (item, { eq, notExists }) =>
            `${eq(item.version, before.version)} AND ${notExists(item.deleted_at)}`,
        )
      if (!(await conditionHeld(change.go()))) continue
      onChanged(before.project_token)
      await releaseOldValues(before, after)
      return toProject(after)
    }
    throw unavailable(
      'Several requests change this project at the same time. Send the same request again in a second.',
      1,
    )
  }

  /**
   * Marks a project as deleted: its token stops at once, its name and origin are free. Throws NOT_FOUND
   * without it.
   */
  async function remove({ id }: Pick<Project, 'id'>): Promise<void> {
    const before = await readLive(id)
    await deletions.add('project', id)
    const deletion = projects
      .patch({ id })
      .set({ deleted_at: now() })
      .add({ version: 1 })
      .where((item, { notExists }) => notExists(item.deleted_at))
    const wasLive = await conditionHeld(deletion.go())
    onChanged(before.project_token)
    if (!wasLive) throw notFound(id)
    for (const reservation of reservationsOf({ ...before, version: before.version + 1 })) {
      if (reservation !== null) await reservations.release(reservation)
    }
  }

  /**
   * The analysis that the project is made from. Throws MISSING_FIELDS if it is not one of the account for its
   * host.
   */
  async function findSource(request: NewProject, allowedOrigins: string): Promise<SourceScan | null> {
    const { source_scan_id: id, account } = request
    if (id === undefined) return null
    const scan = await scans.find({ account_id: account.id, id })
    if (scan === null) throw unknownAnalysis()
    const origin = primaryOrigin(allowedOrigins)
    if (origin === null || !isProjectOf({ allowed_origins: origin }, scan.hostname))
      throw otherHost(scan.hostname)
    return scan
  }

  async function requireFreeOrigin(account_id: string, allowedOrigins: string): Promise<void> {
    const value = primaryOrigin(allowedOrigins)
    if (value === null) return
    if ((await reservations.findHolder({ account_id, kind: 'origin', value })) !== null)
      throw duplicateOrigin(value)
  }

  /** Reserves the name and the primary origin that the project gets new. */
  async function reserveValues(before: ProjectItem, after: ProjectItem): Promise<void> {
    const [name, origin] = reservationsOf(after)
    if (after.name !== before.name) {
      const [totals] = await usage.totals([before.id])
      if (totals !== undefined && totals.events > 0) throw new ApiError('NAME_LOCKED')
      if ((await reservations.reserve(name)) !== null) throw new ApiError('NAME_EXISTS')
    }
    if (origin === null || origin.value === primaryOrigin(before.allowed_origins)) return
    // The reservation of the name stays and does not count. Another change of this project may need it now.
    if ((await reservations.reserve(origin)) !== null) throw duplicateOrigin(origin.value)
  }

  async function releaseOldValues(before: ProjectItem, after: ProjectItem): Promise<void> {
    const [oldName, oldOrigin] = reservationsOf(before)
    const [, origin] = reservationsOf(after)
    if (after.name !== before.name) await reservations.release(oldName)
    if (oldOrigin !== null && oldOrigin.value !== origin?.value) await reservations.release(oldOrigin)
  }

  async function readLive(id: string): Promise<ProjectItem> {
    const item = await items.find(id)
    if (item === null || item.deleted_at !== undefined) throw notFound(id)
    return item
  }

  return { create, update, remove }
}

/** The reservations of a project. A project that allows all origins reserves none. */
function reservationsOf(item: Omit<ProjectItem, 'bucket'>): [name: Reservation, origin: Reservation | null] {
  const common = { account_id: item.account_id, project_id: item.id, version: item.version }
  const origin = primaryOrigin(item.allowed_origins)
  return [
    { ...common, kind: 'name', value: item.name },
    origin === null ? null : { ...common, kind: 'origin', value: origin },
  ]
}

/** Fields that an item lacks while nothing was chosen. */
const OPTIONAL_FIELDS = ['display_name', 'timezone', 'retention_days'] as const

/** What a request can change, without what the project has no more. */
function fieldsOf(item: ProjectItem) {
  const { name, display_name, allowed_origins, link_domains, timezone, retention_days } = item
  return {
    name,
    allowed_origins,
    link_domains,
    ...(display_name !== undefined && { display_name }),
    ...(timezone !== undefined && { timezone }),
    ...(retention_days !== undefined && { retention_days }),
  }
}

function duplicateOrigin(origin: string): ApiError {
  return new ApiError(
    'DUPLICATE_ORIGIN',
    `Another project of the account has the primary origin ${origin}. Use that project or another origin.`,
  )
}

function unknownAnalysis(): ApiError {
  return new ApiError(
    'MISSING_FIELDS',
    'Field `source_scan_id` is not the id of a website analysis of this account. Send such an id or leave it out.',
  )
}

function otherHost(hostname: string): ApiError {
  return new ApiError(
    'MISSING_FIELDS',
    `The website analysis \`source_scan_id\` is of ${hostname}, which is not the host of the first of \`allowed_origins\`. Send \`https://${hostname}\` as the first origin, or leave the analysis out.`,
  )
}

function notFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no project ${id}. GET /projects lists the projects.`)
}
