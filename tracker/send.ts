import { byteLength } from './clean.ts'
import type { TrackRequest } from './requests.ts'

/** A browser carries so much in all for a page that goes away, beacons and kept-alive fetches together. */
const CARRIED_BYTES = 64 * 1024

/**
 * Sends the requests of one flush so that they outlive the page: as beacons of text/plain, which need no preflight,
 * else by fetch without credentials. Failures are silent and nothing is sent again (contract 4.6). What exceeds the
 * browser's bound goes without `keepalive`: with it, it would be refused at once, without it, it arrives if the page
 * stays.
 */
export function send(endpoint: string, requests: TrackRequest[]): void {
  let carried = 0
  for (const { path, body } of requests) {
    carried += byteLength(body)
    if (!sendBeacon(endpoint + path, body)) post(endpoint + path, body, carried <= CARRIED_BYTES)
  }
}

function sendBeacon(address: string, body: string): boolean {
  try {
    return navigator.sendBeacon(address, new Blob([body], { type: 'text/plain' }))
  } catch {
    // No beacons here, or a policy of the page forbids them.
    return false
  }
}

function post(address: string, body: string, keepalive: boolean): void {
  try {
    fetch(address, { method: 'POST', body, keepalive, credentials: 'omit' }).catch(() => {})
  } catch {
    // No fetch either.
  }
}
