import { randomId, storedId } from './identity.ts'
import { read, write } from './storage.ts'

const TIMEOUT_MS = 30 * 60_000
const DAY_MS = 86_400_000

/** Returns a positive number from the storage, or 0 for anything else. */
function storedNumber(name: string): number {
  const value = Number(read(name))
  return value > 0 ? value : 0
}

/**
 * Continues the session of the tab, or starts a new one after 30 minutes without an event (contract 4.5). A new session
 * raises the user's count. Call it once for each event. `now` is Unix ms. Returns the session's id and the properties that
 * describe it.
 */
export function touchSession(now: number) {
  const firstVisit = storedNumber('fv') || now
  let id = storedId('sid')
  let session_count = storedNumber('sc')
  if (!id || !session_count || now - storedNumber('last_activity') >= TIMEOUT_MS) {
    id = randomId('sess_')
    session_count++
    write('sid', id)
    write('sc', session_count)
    write('fv', firstVisit)
  }
  write('last_activity', now)
  const days_since_first_visit = Math.max(0, Math.floor((now - firstVisit) / DAY_MS))
  return { id, properties: { session_count, days_since_first_visit } }
}
