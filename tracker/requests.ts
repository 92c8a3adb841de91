import { byteLength } from './clean.ts'
import type { QueuedEvent } from './queue.ts'

export type TrackRequest = { path: '/track' | '/track/batch'; body: string }

/** Maximum number of events in a request (spec, Limits). */
const BATCH_EVENTS = 100
/** Maximum size of a request: the limit of browsers for a page that closes. */
const REQUEST_BYTES = 64 * 1024

/**
 * Converts events to requests, in their order: one event goes to /track, several go to /track/batch. A batch that is too big
 * is halved. A single event that is too big is dropped (contract 4.6).
 */
export function toRequests(events: QueuedEvent[]): TrackRequest[] {
  const requests: TrackRequest[] = []
  for (let start = 0; start < events.length; start += BATCH_EVENTS) {
    requests.push(...splitToFit(events.slice(start, start + BATCH_EVENTS)))
  }
  return requests
}

function splitToFit(events: QueuedEvent[]): TrackRequest[] {
  const request = encode(events)
  if (byteLength(request.body) <= REQUEST_BYTES) return [request]
  if (events.length === 1) return []
  const half = events.length >> 1
  return [...splitToFit(events.slice(0, half)), ...splitToFit(events.slice(half))]
}

function encode(events: QueuedEvent[]): TrackRequest {
  return events.length === 1
    ? { path: '/track', body: JSON.stringify(events[0]) }
    : { path: '/track/batch', body: JSON.stringify({ events }) }
}
