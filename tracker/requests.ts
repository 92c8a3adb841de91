import { byteLength } from './clean.ts'
import type { QueuedEvent } from './queued-event.ts'

export type TrackRequest = { path: string; body: string }

/** Maximum number of events in a request (docs/api/limits.md#bounds-of-requests). */
const BATCH_EVENTS = 100
/** Maximum size of a request: the limit of browsers for a page that closes. */
const REQUEST_BYTES = 64 * 1024

/**
 * Converts events to requests, in their order: one event goes to /track, several go to /track/batch. A batch
 * that is too big is halved. A single event that is too big is dropped (docs/api/tracker.md).
 */
export function toRequests(events: QueuedEvent[]): TrackRequest[] {
  const count = events.length
  if (!count) return []
  const [path, content] = count > 1 ? ['/track/batch', { events }] : ['/track', events[0]]
  const body = JSON.stringify(content)
  const isLong = count > BATCH_EVENTS
  if (!isLong && byteLength(body) <= REQUEST_BYTES) return [{ path, body }]
  const half = isLong ? BATCH_EVENTS : count >> 1
  return half ? [...toRequests(events.slice(0, half)), ...toRequests(events.slice(half))] : []
}
