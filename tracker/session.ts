import { randomId, storedId } from './identity.ts'
import type { Store } from './storage.ts'

export type Session = {
  id: string
  /** Sessions of this visitor so far, this one included. */
  count: number
  daysSinceFirstVisit: number
}

const TIMEOUT_MS = 30 * 60_000
const DAY_MS = 86_400_000

/** A whole number from a storage; anything else counts as absent. */
function storedNumber(store: Store, name: string): number | null {
  const value = Number(store.get(name) || Number.NaN)
  return Number.isSafeInteger(value) && value >= 0 ? value : null
}

/**
 * Takes part in a session: the tab's, unless 30 minutes went by without an event (contract 4.5), else a new one, which
 * raises the visitor's count. Call once for each event; `now` is Unix ms.
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
