import { createHash, randomBytes } from 'node:crypto'
import QuickLRU from 'quick-lru'
import type { Account } from '#core/accounts/caller'
import { ApiError, unavailable } from '#core/errors'
import type { Clock } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import type { UsageCounters } from '#core/usage/counters'
import { BUCKETS } from '#schemas/columns'
import { PROJECT_NAME } from '#schemas/projects'
import { projectEntity, tokenEntity } from './entities.ts'
import { normalizeOrigins, primaryOrigin } from './origins.ts'
import type { EventIdNotes, Project, ProjectDirectory } from './project.ts'
import { createReservations, type ProjectItem, type Reservation } from './reservations.ts'
import { createTokenCache } from './token-cache.ts'

export type ProjectStoreServices = StateTable & { clock: Clock; usage: Pick<UsageCounters, 'totals'> }

export type NewProject = {
  account: Pick<Account, 'id'>
  /** Of the form PROJECT_NAME. */
  name: string
  /** As sent; absent: `*`. */
  allowed_origins?: string | undefined
  source_scan_id?: string | undefined
}

export type ProjectChanges = {
  name?: string | undefined
  /** As sent. */
  allowed_origins?: string | undefined
  link_domains?: string[] | undefined
}

/** Other formed texts are unknown without asking the table, whose keys are bounded. */
const PROJECT_ID = /^proj_[0-9a-f]{16}$/
const PROJECT_TOKEN = /^aat_[0-9a-f]{48}$/
const UNKNOWN = Promise.resolve(null)
/** How often a change is begun anew that another request has overtaken. */
const MAX_TRIES = 8
/** Projects of which a process remembers that they send event_ids. */
const REMEMBERED = 10_000

/** Projects by contract 1.4. Every name and origin is held by a claim (claims.ts); the project's own item decides. */
export function createProjectStore({ clock, usage, ...state }: ProjectStoreServices) {
  const projects = projectEntity(state)
  const tokens = tokenEntity(state)
  const claims = createReservations(state, now)
  const cache = createTokenCache(clock, lookUpToken)
  const noted = new QuickLRU<string, true>({ maxSize: REMEMBERED })

  function now(): string {
    return new Date(clock.now()).toISOString()
  }

  /**
   * A new project, or the account's live one of that name (`existing`). Throws MISSING_FIELDS when the origins cannot
   * be read or the analysis is unknown, DUPLICATE_ORIGIN when another project has the primary origin.
   */
  async function create(wanted: NewProject): Promise<{ project: Project; existing: boolean }> {
    const allowed_origins = normalizeOrigins(wanted.allowed_origins ?? '*')
    if (wanted.source_scan_id !== undefined) throw unknownAnalysis()
    const account_id = wanted.account.id
    const named = await claims.holder({ account_id, kind: 'name', value: wanted.name })
    if (named !== null) return { project: projectOf(named), existing: true }
    await refuseTakenOrigin(account_id, allowed_origins)

    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const item = {
        id: `proj_${randomBytes(8).toString('hex')}`,
        account_id,
        name: wanted.name,
        project_token: `aat_${randomBytes(24).toString('hex')}`,
        allowed_origins,
        link_domains: [],
        created_at: now(),
        version: 1,
      }
      const [name, origin] = claimsOf(item)
      const holder = await claims.take(name)
      if (holder !== null) return { project: projectOf(holder), existing: true }
      if (origin !== null && (await claims.take(origin)) !== null) {
        await claims.createTombstone(name)
        await claims.release(name)
        throw duplicateOrigin(origin.value)
      }
      await orUnavailable(tokens.put({ project_token: item.project_token, project_id: item.id }).go())
      const made = { ...item, bucket: bucketOf(item.id) }
      // It does not hold when another request, which wanted the same, took this one for crashed.
      if (await conditionHeld(projects.create(made).go()))
        return { project: projectOf(made), existing: false }
    }
    throw unavailable('the project is wanted by several requests at once', 1)
  }

  /**
   * Changes a live project. Throws NAME_LOCKED (it has events), NAME_EXISTS, DUPLICATE_ORIGIN, MISSING_FIELDS
   * (unreadable origins) or NOT_FOUND (deleted meanwhile).
   */
  async function update(project: Pick<Project, 'id'>, changes: ProjectChanges): Promise<Project> {
    const { name, link_domains } = changes
    const allowed_origins =
      changes.allowed_origins === undefined ? undefined : normalizeOrigins(changes.allowed_origins)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await live(project.id)
      const after = {
        ...before,
        name: name ?? before.name,
        allowed_origins: allowed_origins ?? before.allowed_origins,
        link_domains: link_domains ?? before.link_domains,
        version: before.version + 1,
      }
      await takeClaims(before, after)
      const unchanged = projects
        .patch({ id: before.id })
        .set({ ...fieldsOf(after), version: after.version })
        .where(
          (item, { eq, notExists }) =>
            `${eq(item.version, before.version)} AND ${notExists(item.deleted_at)}`,
        )
      if (!(await conditionHeld(unchanged.go()))) continue
      cache.forget(before.project_token)
      await releaseClaims(before, after)
      return projectOf(after)
    }
    throw unavailable('the project is being changed by several requests at once', 1)
  }

  /** Deletes softly: the token is dead at once, name and origin are free. Throws NOT_FOUND when it is deleted already. */
  async function remove({ id }: Pick<Project, 'id'>): Promise<void> {
    const before = await live(id)
    const alive = projects
      .patch({ id })
      .set({ deleted_at: now() })
      .add({ version: 1 })
      .where((item, { notExists }) => notExists(item.deleted_at))
    const deleted = await conditionHeld(alive.go())
    cache.forget(before.project_token)
    if (!deleted) throw notFound(id)
    for (const claim of claimsOf({ ...before, version: before.version + 1 })) {
      if (claim !== null) await claims.release(claim)
    }
  }

  /** The account's live projects, oldest first. */
  async function list(accountId: string): Promise<Project[]> {
    const ids = await claims.reservingProjects(accountId)
    if (ids.size === 0) return []
    const { data } = await orUnavailable(
      projects.get([...ids].map(id => ({ id }))).go({ consistent: true, concurrency: 4 }),
    )
    return data
      .filter(item => item.deleted_at === undefined)
      .map(projectOf)
      .toSorted((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
  }

  async function byId(id: string): Promise<Project | null> {
    const item = PROJECT_ID.test(id) ? await find(id) : null
    return item === null ? null : projectOf(item)
  }

  async function resolve(accountId: string, nameOrId: string): Promise<Project | null> {
    const identified = await byId(nameOrId)
    if (identified?.account_id === accountId && identified.deleted_at === null) return identified
    if (!PROJECT_NAME.test(nameOrId)) return null
    const named = await claims.holder({ account_id: accountId, kind: 'name', value: nameOrId })
    return named === null ? null : projectOf(named)
  }

  async function lookUpToken(token: string): Promise<Project | null> {
    const { data: lead } = await orUnavailable(tokens.get({ project_token: token }).go({ consistent: true }))
    const item = lead === null ? null : await find(lead.project_id)
    return item?.project_token === token && item.deleted_at === undefined ? projectOf(item) : null
  }

  function byToken(token: string): Promise<Project | null> {
    return PROJECT_TOKEN.test(token) ? cache.byToken(token) : UNKNOWN
  }

  async function refuseTakenOrigin(account_id: string, allowedOrigins: string): Promise<void> {
    const value = primaryOrigin(allowedOrigins)
    if (value === null) return
    if ((await claims.holder({ account_id, kind: 'origin', value })) !== null) throw duplicateOrigin(value)
  }

  async function takeClaims(before: ProjectItem, after: ProjectItem): Promise<void> {
    const [name, origin] = claimsOf(after)
    if (after.name !== before.name) {
      if ((await usage.totals(before.id)).events > 0) throw new ApiError('NAME_LOCKED')
      if ((await claims.take(name)) !== null) throw new ApiError('NAME_EXISTS')
    }
    if (origin === null || origin.value === primaryOrigin(before.allowed_origins)) return
    // The claim of the name stays, and does not count: another change of this project may be about to use it.
    if ((await claims.take(origin)) !== null) throw duplicateOrigin(origin.value)
  }

  async function releaseClaims(before: ProjectItem, after: ProjectItem): Promise<void> {
    const [oldName, oldOrigin] = claimsOf(before)
    const [, origin] = claimsOf(after)
    if (after.name !== before.name) await claims.release(oldName)
    if (oldOrigin !== null && oldOrigin.value !== origin?.value) await claims.release(oldOrigin)
  }

  async function live(id: string): Promise<ProjectItem> {
    const item = await find(id)
    if (item === null || item.deleted_at !== undefined) throw notFound(id)
    return item
  }

  async function find(id: string): Promise<ProjectItem | null> {
    const { data } = await orUnavailable(projects.get({ id }).go({ consistent: true }))
    return data
  }

  async function noteEventIds(id: string): Promise<void> {
    if (noted.has(id)) return
    // Where there is no such project any more, there is nothing to read either.
    await conditionHeld(projects.patch({ id }).set({ has_event_ids: true }).go())
    noted.set(id, true)
  }

  const directory: ProjectDirectory & EventIdNotes = { byToken, byId, resolve, noteEventIds }
  return { ...directory, create, update, remove, list }
}

export type ProjectStore = ReturnType<typeof createProjectStore>

/** What a project claims for itself; the origin only where it has a primary one. */
function claimsOf(item: Omit<ProjectItem, 'bucket'>): [name: Reservation, origin: Reservation | null] {
  const common = { account_id: item.account_id, project_id: item.id, version: item.version }
  const origin = primaryOrigin(item.allowed_origins)
  return [
    { ...common, kind: 'name', value: item.name },
    origin === null ? null : { ...common, kind: 'origin', value: origin },
  ]
}

function fieldsOf({ name, allowed_origins, link_domains }: ProjectItem) {
  return { name, allowed_origins, link_domains }
}

function projectOf({ version, ...item }: ProjectItem): Project {
  const { source_scan_id = null, deleted_at = null, has_event_ids = false } = item
  return { ...item, source_scan_id, deleted_at, has_event_ids }
}

/** Well mixed, so that projects spread evenly over the buckets; the id alone decides, for ever. */
function bucketOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % BUCKETS
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function duplicateOrigin(origin: string): ApiError {
  return new ApiError('DUPLICATE_ORIGIN', `another project of the account has the primary origin ${origin}`)
}

/** Analyses come with another issue; until there are any, none is the account's. */
function unknownAnalysis(): ApiError {
  return new ApiError('MISSING_FIELDS', 'source_scan_id takes the id of a website analysis of this account')
}

function notFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `there is no project ${id}`)
}
