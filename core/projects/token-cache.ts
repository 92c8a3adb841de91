import QuickLRU from 'quick-lru'
import type { Clock } from '#core/ports'
import type { Project } from './project.ts'

/** How long another machine may go on using a project that was changed or deleted here, ms. */
const FOUND_MS = 5_000
/** How long a token that was unknown stays so, ms. */
const UNKNOWN_MS = 1_000
const MAX_TOKENS = 20_000

type Cached = { until: number; found: Promise<Project | null> }

/**
 * Projects by token, looked up once in a few seconds: ingestion asks tens of thousands of times a second. Requests
 * that come while the look-up is under way share it. Unknown tokens have a cache of their own, so that made-up ones do
 * not push the real ones out.
 */
export function createTokenCache(clock: Clock, lookUp: (token: string) => Promise<Project | null>) {
  const known = new QuickLRU<string, Cached>({ maxSize: MAX_TOKENS })
  const unknown = new QuickLRU<string, Cached>({ maxSize: MAX_TOKENS })

  function byToken(token: string): Promise<Project | null> {
    const cached = known.get(token) ?? unknown.get(token)
    const now = clock.now()
    if (cached !== undefined && cached.until > now) return cached.found
    const entry = { until: now + FOUND_MS, found: lookUp(token) }
    known.set(token, entry)
    entry.found.then(
      project => {
        if (project === null && drop(token, entry)) {
          unknown.set(token, { until: clock.now() + UNKNOWN_MS, found: entry.found })
        }
      },
      () => drop(token, entry),
    )
    return entry.found
  }

  /** False when the entry is no longer there: what was forgotten while it was looked up must not come back. */
  function drop(token: string, entry: Cached): boolean {
    return known.get(token) === entry && known.delete(token)
  }

  /** The next request looks it up anew. */
  function forget(token: string): void {
    known.delete(token)
    unknown.delete(token)
  }

  return { byToken, forget }
}
