import { parseFilterPairs } from '#schemas/live'
import type { LiveEvent } from './chunk.ts'

/** What a stream sends: events of these names (all if empty), whose properties have these values. */
export type StreamFilter = { events: string[]; pairs: [key: string, value: string][] }

/** Reads the checked parameters `events` and `filter` of GET /stream. */
export function toStreamFilter({
  events = '',
  filter = '',
}: {
  events?: string | undefined
  filter?: string | undefined
}): StreamFilter {
  return { events: events.split(',').filter(name => name !== ''), pairs: parseFilterPairs(filter) ?? [] }
}

/**
 * Whether an event passes: its name is one of the names, and all pairs hold. Numbers and booleans compare by
 * their text (U49).
 */
export function passesFilter({ events, pairs }: StreamFilter, { event, properties }: LiveEvent): boolean {
  if (events.length > 0 && !events.includes(event)) return false
  return pairs.every(([key, value]) => {
    const property = properties !== null && Object.hasOwn(properties, key) ? properties[key] : null
    return ['string', 'number', 'boolean'].includes(typeof property) && String(property) === value
  })
}
