import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import type { Now } from '#core/ports'
import { createBoundedRecords } from '#core/projects/bounded-records'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { isSame, randomSecret, sha256 } from '#core/secrets/tokens'
import { createLookupCache } from '#core/state/lookup-cache'
import type { StateTable } from '#core/state/state-table'
import { MAX_SHARE_LINKS, SHARED_VIEWS, type SharedView, type ShareLink } from '#schemas/share-links'

export type ShareLinkServices = StateTable & {
  clock: Now
  accounts: Pick<AccountStore, 'byId'>
  projects: Pick<ProjectDirectory, 'byId'>
}

/** What the bearer of a link may see. */
export type Shared = { link: ShareLink; project: Project; account: Account }

/** A deleted link is dead in every process after this time, ms. */
const CACHE = { foundMs: 5_000, missingMs: 2_000, maxEntries: 10_000 }
/** `last_used_at` is written once in this time, ms: a link may have thousands of readers. */
const NOTE_MS = 3_600_000

const ALL_VIEWS = Object.keys(SHARED_VIEWS) as SharedView[]
const TOKEN = /^aal_([0-9a-f]{16})([0-9a-f]{16})[0-9a-f]{64}$/

type StoredLink = Omit<ShareLink, 'id'> & { hash: string }

export const shareLinksPartition = (projectId: string) => `sharelinks#${projectId}`

/** The places of share links. */
export function openShareLinkRecords(state: StateTable) {
  return createBoundedRecords<StoredLink>(state, {
    partitionOf: shareLinksPartition,
    prefix: 'shl',
    max: MAX_SHARE_LINKS,
  })
}

/**
 * Links that let anybody read a part of one project's dashboard (docs/api/dashboard.md). A link's token names
 * its project and itself, so that one read finds it; the state has the SHA-256 of the token only.
 */
export function createShareLinks({ clock, accounts, projects, ...state }: ShareLinkServices) {
  const links = openShareLinkRecords(state)
  const cache = createLookupCache(clock, lookUp, CACHE)

  /** Oldest first. */
  async function list(projectId: string): Promise<ShareLink[]> {
    const all = await links.list(projectId)
    return all.map(toShareLink).toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
  }

  /** Returns the link with its token, or null if the project has as many as it may have. */
  async function create(
    projectId: string,
    {
      label = null,
      views = ALL_VIEWS,
      expires_at = null,
    }: Partial<Pick<ShareLink, 'label' | 'views' | 'expires_at'>>,
  ): Promise<{ link: ShareLink; token: string } | null> {
    const secret = randomSecret()
    const stored = await links.add(projectId, {
      ...{ label, views, expires_at, created_at: clock.now(), last_used_at: null },
      hash: sha256(secret),
    })
    if (stored === null) return null
    const token = `aal_${hexOf(projectId)}${hexOf(stored.id)}${secret}`
    return { link: toShareLink(stored), token }
  }

  /** Returns false when the project has no such link. */
  async function remove(projectId: string, id: string): Promise<boolean> {
    const isRemoved = await links.remove(projectId, id)
    cache.clear()
    return isRemoved
  }

  /** What a token shows; null for a link that is unknown, deleted or expired, or whose project is gone. */
  async function byToken(token: string): Promise<Shared | null> {
    if (!TOKEN.test(token)) return null
    const shared = await cache.get(token)
    return shared === null || isOver(shared.link) ? null : shared
  }

  async function lookUp(token: string): Promise<Shared | null> {
    const [, project = '', link = ''] = TOKEN.exec(token) ?? []
    const projectId = `proj_${project}`
    const stored = await links.find(projectId, `shl_${link}`)
    if (stored === null || !isSame(stored.hash, sha256(token.slice(-64)))) return null
    const found = await projects.byId(projectId)
    const account = found?.deleted_at === null ? await accounts.byId(found.account_id) : null
    if (found === null || account === null || isOver(stored)) return null
    await noteUse(projectId, stored)
    return { link: toShareLink(stored), project: found, account }
  }

  async function noteUse(projectId: string, link: StoredLink & { id: string }): Promise<void> {
    const now = clock.now()
    if (link.last_used_at !== null && now - link.last_used_at < NOTE_MS) return
    // It is no reason to fail a request.
    await links.replace(projectId, { ...link, last_used_at: now }).catch(() => {})
  }

  function isOver({ expires_at }: Pick<ShareLink, 'expires_at'>): boolean {
    return expires_at !== null && expires_at <= clock.now()
  }

  return { list, create, remove, byToken }
}

export type ShareLinks = ReturnType<typeof createShareLinks>

function toShareLink(stored: StoredLink & { id: string }): ShareLink {
  const { id, label, views, created_at, expires_at, last_used_at } = stored
  return { id, label, views, created_at, expires_at, last_used_at }
}

/** The random part of an id such as `proj_0123456789abcdef`. */
function hexOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}
