import { byteLength } from './clean.ts'
import type { TrackRequest } from './requests.ts'

/** The limit of browsers for all beacons and keepalive fetches of a page together. */
const KEEPALIVE_BYTES = 64 * 1024

/**
 * Sends the requests of one flush so that they survive the end of the page. It uses beacons of text/plain, which need no
 * preflight request, or else fetch without credentials. Failures are silent, and nothing is sent again (contract 4.6).
 * Above the browser's limit, fetch runs without `keepalive`: the browser would refuse it with `keepalive`, and without it
 * the request arrives if the page stays open.
 */
export function send(endpoint: string, requests: TrackRequest[]): void {
  let totalBytes = 0
  for (const { path, body } of requests) {
    totalBytes += byteLength(body)
    if (!sendBeacon(endpoint + path, body)) post(endpoint + path, body, totalBytes <= KEEPALIVE_BYTES)
  }
}

function sendBeacon(address: string, body: string): boolean {
  try {
    return navigator.sendBeacon(address, new Blob([body], { type: 'text/plain' }))
  } catch {
    // The browser has no beacons, or a policy of the page forbids them.
    return false
  }
}

function post(address: string, body: string, keepalive: boolean): void {
  try {
    fetch(address, { method: 'POST', body, keepalive, credentials: 'omit' }).catch(() => {})
  } catch {
    // The browser has no fetch, or a policy of the page forbids it.
  }
}
