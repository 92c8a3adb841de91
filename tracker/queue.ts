import { listen } from './api.ts'
import { bare } from './clean.ts'
import { settle } from './later.ts'
import { pageTime } from './page-time.ts'
import { IS_FULL } from './parts.ts'
import type { QueuedEvent } from './queued-event.ts'
import { post, print, sendEvents } from './send.ts'
import { isPrintOnly } from './settings.ts'
import { isHeld } from './storage.ts'

const FLUSH_AFTER_MS = 5000
/** Maximum number of events that wait for consent, because memory must not grow without limit. */
const MAX_EVENTS = IS_FULL ? 1000 : 50
/** Maximum number of events in a request (docs/api/limits.md#bounds-of-requests). */
const BATCH_EVENTS = 100

/** Each gives the event with its age at the time of the call. */
let events: (() => QueuedEvent)[] = []
/** Bodies for POST /identify. The same body waits only once. */
export const identifies = new Set<string>()
let timer: ReturnType<typeof setTimeout> | 0 = 0

/**
 * Sends the event with others, 5 s after the first of them. On a developer's machine it is printed instead.
 * `since` is the `pageTime` when it happened.
 */
export function enqueue(event: QueuedEvent, since: number): void {
  if (IS_FULL && isPrintOnly()) print(event.event, event)
  else if (events.length < MAX_EVENTS) events.push(() => bare({ ...event, age: (pageTime() - since) >>> 0 }))
  timer ||= setTimeout(flush, FLUSH_AFTER_MS)
}

/** Sends everything that waits, unless it waits for consent, or for the network. */
export function flush(): void {
  settle()
  clearTimeout(timer)
  timer = 0
  if (isHeld() || (IS_FULL && navigator.onLine === false)) return
  if (IS_FULL) while (events[0]) sendEvents(events.splice(0, BATCH_EVENTS).map(withAge => withAge()))
  else for (const withAge of events) post('/track', JSON.stringify(withAge()))
  for (const body of identifies) post('/identify', body)
  clear()
}

/** What waits for the network is sent when it is back. */
export function watchNetwork(): void {
  listen('online', flush)
}

/** Drops everything that waits. */
export function clear(): void {
  settle()
  events = []
  identifies.clear()
}
