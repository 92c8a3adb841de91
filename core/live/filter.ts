import { parseFilterPairs } from '#schemas/live'
import { bareKey, textFieldOf } from '#schemas/property-names'
import type { LiveEvent } from './chunk.ts'

/**
 * What a stream sends: events of these names (all if empty), whose properties, or own fields, have these
 * values (U90).
 */
export type StreamFilter = { events: string[]; pairs: [name: string, value: string][] }

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
export function passesFilter({ events, pairs }: StreamFilter, event: LiveEvent): boolean {
  if (events.length > 0 && !events.includes(event.event)) return false
  return pairs.every(([name, value]) => {
    const actual = valueNamed(name, event)
    return ['string', 'number', 'boolean'].includes(typeof actual) && String(actual) === value
  })
}

function valueNamed(name: string, event: LiveEvent): unknown {
  const field = textFieldOf(name)
  if (field !== undefined) return event[field]
  const { properties } = event
  // A property may have a dot in its name.
  const key = properties !== null && Object.hasOwn(properties, name) ? name : bareKey(name)
  return properties !== null && Object.hasOwn(properties, key) ? properties[key] : null
}
