import QuickLRU from 'quick-lru'
import type { Clock } from '#core/ports'

export type LookupCacheOptions = {
  /** How long a found value is used, ms: after this time a revoked credential is dead in every process. */
  foundMs: number
  /** How long "there is none" is used, ms. */
  missingMs: number
  maxEntries: number
}

type Entry<T> = { until: number; found: Promise<T | null> }

/**
 * Looks texts up once in a few seconds: credentials, project tokens. Requests at the same time share one look-up. Unknown
 * texts have a separate cache, so that invented texts do not push real ones out.
 */
export function createLookupCache<T>(
  clock: Clock,
  lookUp: (text: string) => Promise<T | null>,
  { foundMs, missingMs, maxEntries }: LookupCacheOptions,
) {
  const known = new QuickLRU<string, Entry<T>>({ maxSize: maxEntries })
  const missing = new QuickLRU<string, Entry<T>>({ maxSize: maxEntries })

  function get(text: string): Promise<T | null> {
    const cached = known.get(text) ?? missing.get(text)
    const now = clock.now()
    if (cached !== undefined && cached.until > now) return cached.found
    const entry = { until: now + foundMs, found: lookUp(text) }
    known.set(text, entry)
    entry.found.then(
      value => {
        if (value === null && drop(text, entry)) {
          missing.set(text, { until: clock.now() + missingMs, found: entry.found })
        }
      },
      () => drop(text, entry),
    )
    return entry.found
  }

  /** False when the entry is no longer there: what was forgotten during its look-up must not come back. */
  function drop(text: string, entry: Entry<T>): boolean {
    return known.get(text) === entry && known.delete(text)
  }

  /** The next caller looks this text up again: after a change in this process. */
  function forget(text: string): void {
    known.delete(text)
    missing.delete(text)
  }

  /** The next caller looks everything up again. */
  function clear(): void {
    known.clear()
    missing.clear()
  }

  return { get, forget, clear }
}

export type LookupCache<T> = ReturnType<typeof createLookupCache<T>>
