import { attempt } from './api.ts'
import { byteLength } from './clean.ts'
import { IS_FULL } from './parts.ts'
import type { QueuedEvent } from './queued-event.ts'
import { endpoint, isPrintOnly } from './settings.ts'

/**
 * Maximum size of a request: the limit of browsers for all beacons and keepalive fetches of a page together.
 */
const REQUEST_BYTES = 64 * 1024

/** How long a request counts as being on its way. A beacon does not tell when it has arrived. */
const BUSY_MS = 5000

/** Size of the requests of the last seconds. */
let busyBytes = 0

/** Prints a value for the developer. */
export function print(what: string, value: unknown): void {
  console.log('[aa-dev]', what, value)
}

/**
 * Sends a body so that it survives the end of the page. It uses a beacon of text/plain, which needs no
 * preflight request, or else fetch without credentials. Failures are silent, and nothing is sent again
 * (docs/api/tracker.md). Above the browser's limit, together with the requests just before, fetch runs
 * without `keepalive`: the browser would refuse it with `keepalive`, and without it the request arrives if
 * the page stays open (T1).
 */
export function post(path: string, body: string): void {
  const address = endpoint + path
  if (IS_FULL) {
    const bytes = byteLength(body)
    busyBytes += bytes
    setTimeout(() => {
      busyBytes -= bytes
    }, BUSY_MS)
  }
  if (isPrintOnly()) print(path, body)
  // Without a beacon (false or nothing) the browser has none, refuses this one, or a policy of the page
  // forbids them. The small script then loses the event.
  else if (!attempt(() => navigator.sendBeacon(address, body)) && IS_FULL)
    attempt(() =>
      fetch(address, {
        method: 'POST',
        body,
        keepalive: busyBytes <= REQUEST_BYTES,
        credentials: 'omit',
      }).catch(() => {}),
    )
}

/**
 * Sends events in their order: one goes to /track, several go to /track/batch. A batch that is too big is
 * halved. A single event that is too big is dropped (docs/api/tracker.md).
 */
export function sendEvents(events: QueuedEvent[]): void {
  const half = events.length >> 1
  const items = events.map(event => JSON.stringify(event))
  const body = half ? `{"events":[${items}]}` : items[0]!
  if (byteLength(body) <= REQUEST_BYTES) post(half ? '/track/batch' : '/track', body)
  else if (half) {
    sendEvents(events.slice(0, half))
    sendEvents(events.slice(half))
  }
}
