import QuickLRU from 'quick-lru'
import type { LiveEvent } from './chunk.ts'

/**
 * Remembers events, so that a reader takes each one once. A retried batch of the stream holds events that were written
 * before; they have the same id. A client that retries sends the same `event_id`. `maxEvents`: how many are remembered.
 */
export function createSeenEvents(maxEvents: number) {
  const ids = new QuickLRU<string, true>({ maxSize: maxEvents })
  const eventIds = new QuickLRU<string, true>({ maxSize: maxEvents })

  /** Returns whether the event is new, and remembers it. */
  function isNew({ id, event_id }: Pick<LiveEvent, 'id' | 'event_id'>): boolean {
    if (ids.has(id) || (event_id !== null && eventIds.has(event_id))) return false
    ids.set(id, true)
    if (event_id !== null) eventIds.set(event_id, true)
    return true
  }

  return { isNew }
}
