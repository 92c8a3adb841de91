import QuickLRU from 'quick-lru'
import type { Clock } from '#core/ports'
import type { Project } from './project.ts'

/** How long another process may use a project after a change or deletion here, ms. */
const PROJECT_MS = 5_000
/** How long an unknown token stays unknown, ms. */
const UNKNOWN_MS = 1_000
const MAX_TOKENS = 20_000

type CacheEntry = { expiresAt: number; project: Promise<Project | null> }

/**
 * A cache of projects by token. Ingestion needs a project tens of thousands of times a second, and the cache looks each
 * token up once in a few seconds. Requests at the same time share one look-up. Unknown tokens have a separate cache, so
 * that invented tokens do not push real ones out.
 */
export function createTokenCache(clock: Clock, lookUp: (token: string) => Promise<Project | null>) {
  const projects = new QuickLRU<string, CacheEntry>({ maxSize: MAX_TOKENS })
  const unknownTokens = new QuickLRU<string, CacheEntry>({ maxSize: MAX_TOKENS })

  function byToken(token: string): Promise<Project | null> {
    const cached = projects.get(token) ?? unknownTokens.get(token)
    const now = clock.now()
    if (cached !== undefined && cached.expiresAt > now) return cached.project
    const entry = { expiresAt: now + PROJECT_MS, project: lookUp(token) }
    projects.set(token, entry)
    entry.project.then(
      project => {
        if (project === null && drop(token, entry)) {
          unknownTokens.set(token, { expiresAt: clock.now() + UNKNOWN_MS, project: entry.project })
        }
      },
      () => drop(token, entry),
    )
    return entry.project
  }

  /** Returns false when `forget` has removed the entry already; then its result must not enter the cache again. */
  function drop(token: string, entry: CacheEntry): boolean {
    return projects.get(token) === entry && projects.delete(token)
  }

  /** Makes the next request look the token up again. */
  function forget(token: string): void {
    projects.delete(token)
    unknownTokens.delete(token)
  }

  return { byToken, forget }
}
