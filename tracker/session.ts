import { randomId } from './identity.ts'
import { read, write } from './storage.ts'

const TIMEOUT_MS = 30 * 60_000
const DAY_MS = 86_400_000

/** Returns a positive number from the storage, or 0 for anything else. */
function storedNumber(name: string): number {
  return +read(name)! || 0
}

/**
 * Continues the session of the tab, or starts a new one after 30 minutes without an event
 * (docs/api/tracker.md). A new session raises the user's count. Call it once for each event. `now` is Unix
 * ms. Returns the session's id and the properties that describe it.
 */
export function touchSession(now: number) {
  // A clock that was ahead at the first visit must not stop the count of days.
  const firstVisit = Math.min(storedNumber('fv') || now, now)
  let session_count = storedNumber('sc')
  if (!(read('sid') && session_count && now - storedNumber('last_activity') < TIMEOUT_MS)) {
    session_count++
    write('sid', randomId('sess_'))
    write('sc', session_count)
    write('fv', firstVisit)
  }
  write('last_activity', now)
  return { session_count, days_since_first_visit: ((now - firstVisit) / DAY_MS) | 0 }
}
