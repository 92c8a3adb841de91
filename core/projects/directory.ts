import QuickLRU from 'quick-lru'
import type { Clock } from '#core/ports'
import { gatherLookUps } from '#core/state/gathered-look-ups'
import { createLookupCache } from '#core/state/lookup-cache'
import { readAllKeys } from '#core/state/read-items'
import type { StateTable } from '#core/state/state-table'
import { compareText } from '#core/text/compare-text'
import { PROJECT_NAME } from '#schemas/projects'
import { createTokenEntity } from './entities.ts'
import { type ProjectItem, type ProjectItems, toProject } from './items.ts'
import type { Project, ProjectDirectory } from './project.ts'
import type { Reservations } from './reservations.ts'

export type ProjectDirectoryServices = StateTable & {
  clock: Clock
  items: Pick<ProjectItems, 'find' | 'findAll'>
  reservations: Pick<Reservations, 'findHolder' | 'listProjectIds'>
  /** How long ingestion uses a project without another look-up, ms. Default: TOKEN_MS. */
  tokenMs?: number | undefined
}

/** A text of another form is unknown without a read of the table, whose keys have a limited length. */
const PROJECT_ID = /^proj_[0-9a-f]{16}$/
const PROJECT_TOKEN = /^aat_[0-9a-f]{48}$/
/**
 * Another process may use a project for this long after a change or deletion here. Ingestion looks up no
 * token twice in it. This process uses what it has changed at once.
 */
const TOKEN_MS = 5_000
const TOKEN_CACHE = { missingMs: 1_000, maxEntries: 20_000 }
const NO_PROJECT = Promise.resolve(null)
/** A project that is created now is found at once, so that there is none is not remembered. */
const RECENT_CACHE = { foundMs: 5_000, missingMs: 0, maxEntries: 10_000 }
/** Names of projects that a process remembers. */
const MAX_NAMES = 10_000

/** Finds projects by token, id and name, and lists them. */
export function createProjectDirectory({
  clock,
  items,
  reservations,
  tokenMs = TOKEN_MS,
  ...state
}: ProjectDirectoryServices) {
  const tokens = createTokenEntity(state)
  const cache = createLookupCache(clock, gatherLookUps(lookUpTokens), {
    ...TOKEN_CACHE,
    foundMs: tokenMs,
    again: { lookUp: lookUpAgain, clock },
  })
  /**
   * The project that last had a name in an account. Its item is read each time and decides, so this may be
   * old.
   */
  const nameHolders = new QuickLRU<string, string>({ maxSize: MAX_NAMES })
  const recent = createLookupCache(clock, lookUpRecent, RECENT_CACHE)

  function byToken(token: string): Promise<Project | null> {
    return PROJECT_TOKEN.test(token) ? cache.get(token) : NO_PROJECT
  }

  async function lookUpTokens(sent: readonly string[]): Promise<(Project | null)[]> {
    const keys = [...new Set(sent)].map(project_token => ({ project_token }))
    const found = await readAllKeys(keys, left => tokens.get(left).go({ consistent: true, concurrency: 4 }))
    const ids = new Map(found.map(({ project_token, project_id }) => [project_token, project_id]))
    const current = await items.findAll([...new Set(ids.values())])
    return sent.map(token => liveProject(current.get(ids.get(token) ?? '') ?? null, token))
  }

  /**
   * Looks projects up by their ids. A token stays with its project, so its own item need not be read again.
   */
  async function lookUpAgain(found: readonly Project[]): Promise<(Project | null)[]> {
    const current = await items.findAll(found.map(({ id }) => id))
    return found.map(({ id, project_token }) => liveProject(current.get(id) ?? null, project_token))
  }

  async function byId(id: string): Promise<Project | null> {
    const item = PROJECT_ID.test(id) ? await items.find(id) : null
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
   * As resolve, but the project may be 5 s old: renamed, deleted, or without the flags of its newest events.
   * For those who read it again (createProjectReader).
   */
  function resolveRecent(accountId: string, nameOrId: string): Promise<Project | null> {
    return PROJECT_NAME.test(nameOrId) ? recent.get(`${accountId} ${nameOrId}`) : NO_PROJECT
  }

  function lookUpRecent(key: string): Promise<Project | null> {
    const [accountId = '', nameOrId = ''] = key.split(' ')
    return resolve(accountId, nameOrId)
  }

  async function findByLastHolder(key: string): Promise<ProjectItem | null> {
    const id = nameHolders.get(key)
    return id === undefined ? null : items.find(id)
  }

  /** Returns the account's live projects, oldest first. */
  async function list(accountId: string): Promise<Project[]> {
    const ids = await reservations.listProjectIds(accountId)
    if (ids.size === 0) return []
    const current = await items.findAll([...ids])
    return [...current.values()]
      .filter(item => item.deleted_at === undefined)
      .map(toProject)
      .toSorted((a, b) => compareText(a.created_at, b.created_at) || compareText(a.id, b.id))
  }

  const directory: ProjectDirectory = { byToken, byId, resolve, list }
  return { ...directory, resolveRecent, forgetRecent: recent.clear, forgetToken: cache.forget }
}

/** The project of an item, unless it was deleted or has another token. */
function liveProject(item: ProjectItem | null, token: string): Project | null {
  return item?.project_token === token && item.deleted_at === undefined ? toProject(item) : null
}
