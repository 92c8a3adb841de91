import { randomId, storedId } from './identity.ts'
import type { Store } from './storage.ts'

export type Session = {
  id: string
  /** Number of sessions of this user, including this one. */
  count: number
  daysSinceFirstVisit: number
}

const TIMEOUT_MS = 30 * 60_000
const DAY_MS = 86_400_000

/** Returns a whole number from the storage, or null for anything else. */
function storedNumber(store: Store, name: string): number | null {
  const value = Number(store.get(name) || Number.NaN)
  return Number.isSafeInteger(value) && value >= 0 ? value : null
}

/**
 * Continues the session of the tab, or starts a new one after 30 minutes without an event (contract 4.5). A new session
 * raises the user's count. Call it once for each event. `now` is Unix ms.
 */
export function touchSession(local: Store, tab: Store, now: number): Session {
  const lastActivity = storedNumber(tab, 'last_activity')
  let id = storedId(tab, 'sid')
  let count = storedNumber(local, 'sc') ?? 0
  if (!id || lastActivity === null || now - lastActivity >= TIMEOUT_MS || count === 0) {
    id = randomId('sess')
    count += 1
    tab.set('sid', id)
    local.set('sc', String(count))
  }
  tab.set('last_activity', String(now))

  let firstVisit = storedNumber(local, 'fv')
  if (firstVisit === null) {
    firstVisit = now
    local.set('fv', String(now))
  }
  return { id, count, daysSinceFirstVisit: Math.max(0, Math.floor((now - firstVisit) / DAY_MS)) }
}
