import type { Item } from '#core/state/query-all'
import type { EventTimes } from './counters.ts'

/** The times of the events of both. */
export function joinTimes(one: EventTimes, other: EventTimes | null): EventTimes
export function joinTimes(one: EventTimes | null, other: EventTimes | null): EventTimes | null
export function joinTimes(one: EventTimes | null, other: EventTimes | null): EventTimes | null {
  if (one === null || other === null) return one ?? other
  return { first: Math.min(one.first, other.first), last: Math.max(one.last, other.last) }
}

/** The times of the events of all counts; null without any. */
export function joinAllTimes(counts: readonly { times: EventTimes | null }[]): EventTimes | null {
  return counts.reduce<EventTimes | null>((times, count) => joinTimes(times, count.times), null)
}

/**
 * The times of events by their timestamps; null without events. It runs for every event, so it makes no
 * objects.
 */
export function timesOf(events: readonly { timestamp: number }[]): EventTimes | null {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { timestamp } of events) {
    if (timestamp < first) first = timestamp
    if (timestamp > last) last = timestamp
  }
  return events.length === 0 ? null : { first, last }
}

/**
 * The times of a project whose item for all time is `item`, and of these events. Null: without events, and
 * for a project whose first events were counted without times, so that its first one is not known.
 */
export function timesWith(item: Item, times: EventTimes | null): EventTimes | null {
  if (item.first_at === undefined) return Number(item.events ?? 0) > 0 ? null : times
  return joinTimes({ first: Number(item.first_at), last: Number(item.last_at) }, times)
}
