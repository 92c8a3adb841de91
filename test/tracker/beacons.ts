import { afterEach, beforeEach, vi } from 'vitest'
import type { QueuedEvent } from '#tracker/queued-event'

/** A request that a module of the tracker sends in Node, and what is in it: names of events, or an id. */
export type Beacon = { path: string; body: string; events: string[] }

/** Collects the beacons of each test, with timers that the test moves. */
export function useBeacons() {
  const beacons: Beacon[] = []
  beforeEach(() => {
    vi.useFakeTimers()
    beacons.length = 0
    vi.stubGlobal('location', { hostname: 'shop.test' })
    vi.stubGlobal('navigator', {
      sendBeacon(address: string, text: string) {
        const body: Partial<QueuedEvent> & { events?: QueuedEvent[] } = JSON.parse(text)
        const events = (body.events ?? [body]).map(({ event, user_id }) => event ?? user_id ?? '')
        beacons.push({ path: new URL(address).pathname, body: text, events })
        return true
      },
    })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  return beacons
}
