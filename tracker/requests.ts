import { byteLength } from './clean.ts'
import type { QueuedEvent } from './queue.ts'

export type TrackRequest = { path: '/track' | '/track/batch' | '/identify'; body: string }

/** Maximum number of events in a request (spec, Limits). */
const BATCH_EVENTS = 100
/** Maximum size of a request: the limit of browsers for a page that closes. */
const REQUEST_BYTES = 64 * 1024

/**
 * Converts events to requests, in their order: one event goes to /track, several go to /track/batch. A batch that is too big
 * is halved. A single event that is too big is dropped (contract 4.6).
 */
export function toRequests(events: QueuedEvent[]): TrackRequest[] {
  const count = events.length
  let half = BATCH_EVENTS
  if (count <= BATCH_EVENTS) {
    const request = encode(events)
    if (byteLength(request.body) <= REQUEST_BYTES) return count ? [request] : []
    if (count === 1) return []
    half = count >> 1
  }
  return [...toRequests(events.slice(0, half)), ...toRequests(events.slice(half))]
}

function encode(events: QueuedEvent[]): TrackRequest {
  return events[1]
    ? { path: '/track/batch', body: JSON.stringify({ events }) }
    : { path: '/track', body: JSON.stringify(events[0] ?? null) }
}
