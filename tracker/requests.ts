import { byteLength } from './clean.ts'
import type { Item } from './queue.ts'

export type TrackRequest = { path: '/track' | '/track/batch'; body: string }

/** Items of one request (spec, Limits). */
const BATCH_ITEMS = 100
/** Encoded size of one request: what a browser carries for a page that goes away. */
const REQUEST_BYTES = 64 * 1024

/**
 * Makes requests of items, in their order: one item for /track, more for /track/batch. A batch that is too big is
 * halved; an item that is too big by itself is dropped (contract 4.6).
 */
export function toRequests(items: Item[]): TrackRequest[] {
  const requests: TrackRequest[] = []
  for (let at = 0; at < items.length; at += BATCH_ITEMS) {
    requests.push(...halved(items.slice(at, at + BATCH_ITEMS)))
  }
  return requests
}

function halved(items: Item[]): TrackRequest[] {
  const request = encode(items)
  if (byteLength(request.body) <= REQUEST_BYTES) return [request]
  if (items.length === 1) return []
  const half = items.length >> 1
  return [...halved(items.slice(0, half)), ...halved(items.slice(half))]
}

function encode(items: Item[]): TrackRequest {
  return items.length === 1
    ? { path: '/track', body: JSON.stringify(items[0]) }
    : { path: '/track/batch', body: JSON.stringify({ events: items }) }
}
