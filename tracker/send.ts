import { attempt } from './api.ts'
import { byteLength } from './clean.ts'
import type { TrackRequest } from './requests.ts'
import { endpoint, isLocalHost, isOn } from './settings.ts'

/** The limit of browsers for all beacons and keepalive fetches of a page together. */
const KEEPALIVE_BYTES = 64 * 1024

/**
 * Returns whether events are printed and not sent: on a developer's machine, unless `data-localhost` is set.
 */
export function isPrintOnly(): boolean {
  return isLocalHost(location.hostname) && !isOn('localhost')
}

/** How long a request counts as being on its way. A beacon does not tell when it has arrived. */
const BUSY_MS = 5000

/** Size of the requests of the last seconds. */
let busyBytes = 0

/** Prints values for the developer. */
export function print(...values: unknown[]): void {
  console.log('[aa-dev]', ...values)
}

/**
 * Sends the requests of one flush so that they survive the end of the page. It uses beacons of text/plain,
 * which need no preflight request, or else fetch without credentials. Failures are silent, and nothing is
 * sent again (docs/api/tracker.md). Above the browser's limit, together with the requests just before, fetch
 * runs without `keepalive`: the browser would refuse it with `keepalive`, and without it the request arrives
 * if the page stays open (T1).
 */
export function send(requests: TrackRequest[]): void {
  for (const { path, body } of requests) {
    const address = endpoint + path
    const bytes = byteLength(body)
    busyBytes += bytes
    setTimeout(() => {
      busyBytes -= bytes
    }, BUSY_MS)
    // Without a beacon (null or false) the browser has none, refuses this one, or a policy of the page
    // forbids them.
    const sendBeacon = () => navigator.sendBeacon(address, new Blob([body], { type: 'text/plain' }))
    const post = () =>
      fetch(address, {
        method: 'POST',
        body,
        keepalive: busyBytes <= KEEPALIVE_BYTES,
        credentials: 'omit',
      }).catch(() => {})
    if (isPrintOnly()) print(path, body)
    else if (!attempt(sendBeacon)) attempt(post)
  }
}
