import QuickLRU from 'quick-lru'
import type { LiveEvent } from './chunk.ts'

/** What identifies an event for createSeenEvents. */
type Identified = Pick<LiveEvent, 'id' | 'event_id' | 'credentialed'>

/**
 * Remembers events, so that a reader takes each one once. A retried batch of the stream holds events that
 * were written before; they have the same id. A client that retries sends the same `event_id`. A copy of it
 * with a credential is taken also after one without (U63). `maxEvents`: how many are remembered.
 */
export function createSeenEvents(maxEvents: number) {
  const ids = new QuickLRU<string, true>({ maxSize: maxEvents })
  /** By event_id: whether an event with a credential had it. */
  const eventIds = new QuickLRU<string, boolean>({ maxSize: maxEvents })

  /** Returns whether the event is to be taken, and remembers it. */
  function isNew({ id, event_id, credentialed }: Identified): boolean {
    const seen = event_id === null ? undefined : eventIds.get(event_id)
    if (ids.has(id) || seen === true || (seen === false && !credentialed)) return false
    ids.set(id, true)
    if (event_id !== null) eventIds.set(event_id, credentialed)
    return true
  }

  /** Whether an event without a credential and with the same event_id was taken. */
  function isReplacing({ event_id, credentialed }: Identified): boolean {
    return credentialed && event_id !== null && eventIds.get(event_id) === false
  }

  return { isNew, isReplacing }
}
