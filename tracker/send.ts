import type { TrackRequest } from './requests.ts'

/**
 * Sends one request so that it outlives the page: as a beacon of text/plain, which needs no preflight, else by fetch
 * without credentials. Failures are silent and nothing is sent again (contract 4.6).
 */
export function send(endpoint: string, { path, body }: TrackRequest): void {
  const address = endpoint + path
  try {
    if (navigator.sendBeacon(address, new Blob([body], { type: 'text/plain' }))) return
  } catch {
    // No beacons here, or a policy of the page forbids them.
  }
  try {
    fetch(address, { method: 'POST', body, keepalive: true, credentials: 'omit' }).catch(() => {})
  } catch {
    // No fetch either.
  }
}
