import { randomBytes } from 'node:crypto'
import QuickLRU from 'quick-lru'
import type { Account } from '#core/accounts/caller'
import { createDeletionList } from '#core/deletion/deletion-list'
import { ApiError, unavailable } from '#core/errors'
import { gatherLookUps } from '#core/gathered-look-ups'
import { createLookupCache } from '#core/lookup-cache'
import type { Clock } from '#core/ports'
import { type ItemRead, readAllKeys } from '#core/read-items'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state-table'
import type { UsageCounters } from '#core/usage/counters'
import { PROJECT_NAME } from '#schemas/projects'
import { createProjectEntity, createTokenEntity } from './entities.ts'
import { normalizeOrigins, primaryOrigin } from './origins.ts'
import {
  bucketOf,
  type EventIdNotes,
  type LinkNotes,
  type Project,
  type ProjectDirectory,
} from './project.ts'
import { createReservations, type ProjectItem, type Reservation } from './reservations.ts'

export type ProjectStoreServices = StateTable & {
  clock: Clock
  usage: Pick<UsageCounters, 'totals'>
  /** How long ingestion uses a project without another look-up, ms. Default: TOKEN_MS. */
  tokenMs?: number | undefined
}

export type NewProject = {
  account: Pick<Account, 'id'>
  /** Of the form PROJECT_NAME. */
  name: string
  /** As the client sent it; without it: `*`. */
  allowed_origins?: string | undefined
  source_scan_id?: string | undefined
}

export type ProjectChanges = {
  name?: string | undefined
  /** As the client sent it. */
  allowed_origins?: string | undefined
  link_domains?: string[] | undefined
}

/** A text of another form is unknown without a read of the table, whose keys have a limited length. */
const PROJECT_ID = /^proj_[0-9a-f]{16}$/
const PROJECT_TOKEN = /^aat_[0-9a-f]{48}$/
/**
 * Another process may use a project for this long after a change or deletion here. Ingestion looks up no token twice in it. This
 * process uses what it has changed at once.
 */
const TOKEN_MS = 5_000
const TOKEN_CACHE = { missingMs: 1_000, maxEntries: 20_000 }
const NO_PROJECT = Promise.resolve(null)
/** A project that is created now is found at once, so that there is none is not remembered. */
const RECENT_CACHE = { foundMs: 5_000, missingMs: 0, maxEntries: 10_000 }
/** How often a change starts again after another request has changed the project first. */
const MAX_TRIES = 8
/** Names of projects that a process remembers. */
const MAX_NAMES = 10_000
/** Projects that a process remembers as senders of event_ids, and of links. */
const MAX_NOTED_PROJECTS = 10_000

/** Projects by contract 1.4. Each name and primary origin has a reservation; the project's own item decides. */
export function createProjectStore({ clock, usage, tokenMs = TOKEN_MS, ...state }: ProjectStoreServices) {
  const projects = createProjectEntity(state)
  const tokens = createTokenEntity(state)
  const reservations = createReservations(state, now)
  const deletions = createDeletionList({ ...state, clock })
  const cache = createLookupCache(clock, gatherLookUps(lookUpTokens), {
    ...TOKEN_CACHE,
    foundMs: tokenMs,
    lookUpAgain,
  })
  /** The project that last had a name in an account. Its item is read each time and decides, so this may be old. */
  const nameHolders = new QuickLRU<string, string>({ maxSize: MAX_NAMES })
  const recent = createLookupCache(clock, lookUpRecent, RECENT_CACHE)
  const eventIdSenders = new QuickLRU<string, true>({ maxSize: MAX_NOTED_PROJECTS })
  /** Whether the project has also linked anonymous ids. */
  const linkSenders = new QuickLRU<string, boolean>({ maxSize: MAX_NOTED_PROJECTS })

  function now(): string {
    return new Date(clock.now()).toISOString()
  }

  /**
   * Creates a project, or returns the account's live project of that name (`existing`). Throws MISSING_FIELDS for bad
   * origins or an unknown analysis, and DUPLICATE_ORIGIN when another project has the primary origin.
   */
  async function create(request: NewProject): Promise<{ project: Project; existing: boolean }> {
    const allowed_origins = normalizeOrigins(request.allowed_origins ?? '*')
    if (request.source_scan_id !== undefined) throw unknownAnalysis()
    const account_id = request.account.id
    const namesake = await reservations.findHolder({ account_id, kind: 'name', value: request.name })
    if (namesake !== null) return { project: toProject(namesake), existing: true }
    await requireFreeOrigin(account_id, allowed_origins)

    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const item = {
        id: `proj_${randomBytes(8).toString('hex')}`,
        account_id,
        name: request.name,
        project_token: `aat_${randomBytes(24).toString('hex')}`,
        allowed_origins,
        link_domains: [],
        created_at: now(),
        version: 1,
      }
      const [name, origin] = reservationsOf(item)
      const holder = await reservations.reserve(name)
      if (holder !== null) return { project: toProject(holder), existing: true }
      if (origin !== null && (await reservations.reserve(origin)) !== null) {
        await reservations.createTombstone(name)
        await reservations.release(name)
        throw duplicateOrigin(origin.value)
      }
      await orUnavailable(tokens.put({ project_token: item.project_token, project_id: item.id }).go())
      const project = { ...item, bucket: bucketOf(item.id) }
      // The condition fails when another request has treated this one as crashed and written a tombstone.
      if (await conditionHeld(projects.create(project).go()))
        return { project: toProject(project), existing: false }
    }
    throw unavailable(
      'Several requests create this project at the same time. Send the same request again in a second.',
      1,
    )
  }

  /**
   * Changes a live project. Throws NAME_LOCKED (it has events), NAME_EXISTS, DUPLICATE_ORIGIN, MISSING_FIELDS
   * (bad origins) or NOT_FOUND (deleted in the meantime).
   */
  async function update(project: Pick<Project, 'id'>, changes: ProjectChanges): Promise<Project> {
    const { name, link_domains } = changes
    const allowed_origins =
      changes.allowed_origins === undefined ? undefined : normalizeOrigins(changes.allowed_origins)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await readLive(project.id)
      const after = {
        ...before,
        name: name ?? before.name,
        allowed_origins: allowed_origins ?? before.allowed_origins,
        link_domains: link_domains ?? before.link_domains,
        version: before.version + 1,
      }
      await reserveValues(before, after)
      const change = projects
        .patch({ id: before.id })
        .set({ ...fieldsOf(after), version: after.version })
        .where(
          (item, { eq, notExists }) =>
            `${eq(item.version, before.version)} AND ${notExists(item.deleted_at)}`,
        )
      if (!(await conditionHeld(change.go()))) continue
      cache.forget(before.project_token)
      await releaseOldValues(before, after)
      return toProject(after)
    }
    throw unavailable(
      'Several requests change this project at the same time. Send the same request again in a second.',
      1,
    )
  }

  /** Marks a project as deleted: its token stops at once, its name and origin are free. Throws NOT_FOUND without it. */
  async function remove({ id }: Pick<Project, 'id'>): Promise<void> {
    const before = await readLive(id)
    await deletions.add('project', id)
    const deletion = projects
      .patch({ id })
      .set({ deleted_at: now() })
      .add({ version: 1 })
      .where((item, { notExists }) => notExists(item.deleted_at))
    const wasLive = await conditionHeld(deletion.go())
    cache.forget(before.project_token)
    if (!wasLive) throw notFound(id)
    for (const reservation of reservationsOf({ ...before, version: before.version + 1 })) {
      if (reservation !== null) await reservations.release(reservation)
    }
  }

  /** Returns the account's live projects, oldest first. */
  async function list(accountId: string): Promise<Project[]> {
    const ids = await reservations.listProjectIds(accountId)
    if (ids.size === 0) return []
    const items = await findAll([...ids])
    return [...items.values()]
      .filter(item => item.deleted_at === undefined)
      .map(toProject)
      .toSorted((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
  }

  /** The keys of all items of a project that this room owns, beside reservations, which `remove` releases. */
  function itemKeys({ id, project_token }: Pick<Project, 'id' | 'project_token'>): ItemKey[] {
    return [
      tokens.get({ project_token }).params<{ Key: ItemKey }>().Key,
      projects.get({ id }).params<{ Key: ItemKey }>().Key,
    ]
  }

  async function byId(id: string): Promise<Project | null> {
    const item = PROJECT_ID.test(id) ? await find(id) : null
    return item === null ? null : toProject(item)
  }

  async function resolve(accountId: string, nameOrId: string): Promise<Project | null> {
    const project = await byId(nameOrId)
    if (project?.account_id === accountId && project.deleted_at === null) return project
    if (!PROJECT_NAME.test(nameOrId)) return null
    const key = `${accountId} ${nameOrId}`
    const last = await findByLastHolder(key)
    if (last?.name === nameOrId && last.deleted_at === undefined) return toProject(last)
    const item = await reservations.findHolder({ account_id: accountId, kind: 'name', value: nameOrId })
    if (item === null) return null
    nameHolders.set(key, item.id)
    return toProject(item)
  }

  /**
   * As resolve, but the project may be 5 s old: renamed, deleted, or without the flags of its newest events. For those who read it
   * again (createProjectReader).
   */
  function resolveRecent(accountId: string, nameOrId: string): Promise<Project | null> {
    return PROJECT_NAME.test(nameOrId) ? recent.get(`${accountId} ${nameOrId}`) : NO_PROJECT
  }

  function lookUpRecent(key: string): Promise<Project | null> {
    const [accountId = '', nameOrId = ''] = key.split(' ')
    return resolve(accountId, nameOrId)
  }

  /** Reads the project together with another item (readTogether). Null for an unknown and for a deleted project. */
  function itemRead(id: string): ItemRead<Project | null> {
    return {
      Key: projects.get({ id }).params<{ Key: ItemKey }>().Key,
      parse: Item => {
        const item = Item === undefined ? null : projects.parse({ Item }).data
        return item === null || item.deleted_at !== undefined ? null : toProject(item)
      },
    }
  }

  async function findByLastHolder(key: string): Promise<ProjectItem | null> {
    const id = nameHolders.get(key)
    return id === undefined ? null : find(id)
  }

  async function lookUpTokens(sent: readonly string[]): Promise<(Project | null)[]> {
    const keys = [...new Set(sent)].map(project_token => ({ project_token }))
    const found = await readAllKeys(keys, left => tokens.get(left).go({ consistent: true, concurrency: 4 }))
    const ids = new Map(found.map(({ project_token, project_id }) => [project_token, project_id]))
    const items = await findAll([...new Set(ids.values())])
    return sent.map(token => liveProject(items.get(ids.get(token) ?? '') ?? null, token))
  }

  /** Looks projects up by their ids. A token stays with its project, so its own item need not be read again. */
  async function lookUpAgain(found: readonly Project[]): Promise<(Project | null)[]> {
    const items = await findAll(found.map(({ id }) => id))
    return found.map(({ id, project_token }) => liveProject(items.get(id) ?? null, project_token))
  }

  function byToken(token: string): Promise<Project | null> {
    return PROJECT_TOKEN.test(token) ? cache.get(token) : NO_PROJECT
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
    const item = await find(id)
    if (item === null || item.deleted_at !== undefined) throw notFound(id)
    return item
  }

  async function find(id: string): Promise<ProjectItem | null> {
    const { data } = await orUnavailable(projects.get({ id }).go({ consistent: true }))
    return data
  }

  /** Returns the items of projects by their ids, as they are now. */
  async function findAll(ids: readonly string[]): Promise<Map<string, ProjectItem>> {
    const keys = ids.map(id => ({ id }))
    const items = await readAllKeys(keys, left => projects.get(left).go({ consistent: true, concurrency: 4 }))
    return new Map(items.map(item => [item.id, item]))
  }

  async function noteEventIds(id: string): Promise<void> {
    if (eventIdSenders.has(id)) return
    // The condition fails for a project without an item, whose events nobody can read.
    await conditionHeld(projects.patch({ id }).set({ has_event_ids: true }).go())
    eventIdSenders.set(id, true)
  }

  async function noteLinks(id: string, linksAnonymousIds: boolean): Promise<void> {
    if (linkSenders.get(id) === true || linkSenders.get(id) === linksAnonymousIds) return
    const flags = { has_links: true, ...(linksAnonymousIds && { has_linked_anonymous_ids: true }) }
    await conditionHeld(projects.patch({ id }).set(flags).go())
    linkSenders.set(id, linksAnonymousIds)
  }

  const directory: ProjectDirectory = { byToken, byId, resolve, list }
  const notes: EventIdNotes & LinkNotes = { noteEventIds, noteLinks }
  const recently = { resolveRecent, forgetRecent: recent.clear, itemRead }
  return { ...directory, ...notes, ...recently, create, update, remove, itemKeys }
}

export type ProjectStore = ReturnType<typeof createProjectStore>

/** The reservations of a project. A project that allows all origins reserves none. */
function reservationsOf(item: Omit<ProjectItem, 'bucket'>): [name: Reservation, origin: Reservation | null] {
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

function toProject({ version, ...item }: ProjectItem): Project {
  const { source_scan_id = null, deleted_at = null, portfolio_id = null } = item
  const { has_event_ids = false, has_links = false, has_linked_anonymous_ids = false } = item
  const flags = { has_event_ids, has_links, has_linked_anonymous_ids }
  return { ...item, source_scan_id, deleted_at, portfolio_id, ...flags }
}

/** The project of an item, unless it was deleted or has another token. */
function liveProject(item: ProjectItem | null, token: string): Project | null {
  return item?.project_token === token && item.deleted_at === undefined ? toProject(item) : null
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function duplicateOrigin(origin: string): ApiError {
  return new ApiError(
    'DUPLICATE_ORIGIN',
    `Another project of the account has the primary origin ${origin}. Use that project or another origin.`,
  )
}

/** The service has no website analyses yet, so no id of an analysis is known. */
function unknownAnalysis(): ApiError {
  return new ApiError(
    'MISSING_FIELDS',
    'Field `source_scan_id` is not the id of a website analysis of this account. Send such an id or leave it out.',
  )
}

function notFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no project ${id}. GET /projects lists the projects.`)
}
