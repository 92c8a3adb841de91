import QuickLRU from 'quick-lru'
import type { Clock, Now } from '#core/ports'

export type LookupCacheOptions<T> = {
  /** How long a found value is used, ms: after this time a revoked credential is dead in every process. */
  foundMs: number
  /** How long "there is none" is used, ms. */
  missingMs: number
  maxEntries: number
  /**
   * Looks values that are in use up again, many with one request, before their time is over. Null: it is no
   * longer there. Without this each value is looked up by itself when its time is over.
   */
  again?: { lookUp: (values: readonly T[]) => Promise<(T | null)[]>; clock: Pick<Clock, 'deadline'> }
}

type LookUpAgain<T> = NonNullable<LookupCacheOptions<T>['again']>
type Entry<T> = { startedAt: number; found: Promise<T | null> }

/** How long values that are due wait for others, ms. */
const GATHER_MS = 500

/**
 * Looks texts up once in a few seconds: credentials, project tokens. Requests at the same time share one
 * look-up. Unknown texts have a separate cache, so that invented texts do not push real ones out.
 *
 * With `again` a value is due after half of its time. Then the next request for it still gets the old
 * value, and the look-up happens in the background together with others. When it fails, the value ends with
 * its time.
 */
export function createLookupCache<T>(
  clock: Now,
  lookUp: (text: string) => Promise<T | null>,
  { foundMs, missingMs, maxEntries, again }: LookupCacheOptions<T>,
) {
  const known = new QuickLRU<string, Entry<T>>({ maxSize: maxEntries })
  const missing = new QuickLRU<string, Entry<T>>({ maxSize: maxEntries })
  const due = new Map<string, Entry<T>>()

  function get(text: string): Promise<T | null> {
    const now = clock.now()
    const cached = known.get(text)
    if (cached !== undefined && isCurrent(cached, foundMs, now)) {
      if (again !== undefined && cached.startedAt + foundMs / 2 <= now) gather(again, text, cached)
      return cached.found
    }
    const unknown = missing.get(text)
    if (unknown !== undefined && isCurrent(unknown, missingMs, now)) return unknown.found
    const entry = { startedAt: now, found: lookUp(text) }
    known.set(text, entry)
    entry.found.then(
      value => {
        if (value === null) moveToMissing(text, entry, clock.now())
      },
      () => drop(text, entry),
    )
    return entry.found
  }

  function gather(again: LookUpAgain<T>, text: string, entry: Entry<T>): void {
    if (due.size === 0) again.clock.deadline(GATHER_MS).addEventListener('abort', () => refreshDue(again))
    due.set(text, entry)
  }

  async function refreshDue(again: LookUpAgain<T>): Promise<void> {
    const entries = [...due]
    due.clear()
    const startedAt = clock.now()
    try {
      const values = await Promise.all(entries.map(([, { found }]) => found as Promise<T>))
      const found = await again.lookUp(values)
      for (const [i, [text, entry]] of entries.entries()) {
        const value = found[i] ?? null
        if (value === null) moveToMissing(text, entry, startedAt)
        else if (known.get(text) === entry) known.set(text, { startedAt, found: Promise.resolve(value) })
      }
    } catch {
      // The values that are known stay until they expire. The next request for one of them then gets the
      // failure.
    }
  }

  function moveToMissing(text: string, entry: Entry<T>, startedAt: number): void {
    if (drop(text, entry)) missing.set(text, { startedAt, found: Promise.resolve(null) })
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

/**
 * An entry of a later time than now is too old: the clock was set back, and the entry could keep a revoked
 * credential valid.
 */
function isCurrent({ startedAt }: { startedAt: number }, lengthMs: number, now: number): boolean {
  return startedAt <= now && now < startedAt + lengthMs
}
