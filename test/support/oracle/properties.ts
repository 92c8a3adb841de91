import {
  byCodePoint,
  byPosition,
  countUsers,
  eventsOf,
  firstDate,
  isInRange,
  localTime,
  type OracleRequest,
  periodOf,
} from './common.ts'
import type { SentEvent } from './sent-event.ts'
import { textOf } from './text-of.ts'

/** The key that a name of a property means (U87). */
export function keyNamed(name: string): string {
  return name.startsWith('properties[')
    ? JSON.parse(name.slice('properties['.length, -1))
    : name.replace(/^properties\./, '')
}

/** How the lists of keys name one (U87). */
function listedName(key: string): string {
  return /^\w{1,128}$/.test(key) ? key : `properties[${JSON.stringify(key)}]`
}

/**
 * The value of a property as text (U33); null for null and absent values. `country` is the event's country.
 */
export function propertyText(event: SentEvent, name: string): string | null {
  if (name === 'country') return event.country
  const { properties } = event
  const property = keyNamed(name)
  const value = properties !== null && Object.hasOwn(properties, property) ? properties[property] : null
  return textOf(value)
}

export function oracleBreakdown(
  events: readonly SentEvent[],
  request: OracleRequest,
  { property, event, limit }: { property: string; event?: string; limit: number },
) {
  const own = eventsOf(events, request)
    .filter(each => isInRange(each.timestamp, request))
    .filter(each => event === undefined || each.event === event)
  const values = [...Map.groupBy(own, each => propertyText(each, property))]
    .flatMap(([value, of]) => (value === null ? [] : [{ value, of }]))
    .map(({ value, of }) => ({ value, count: of.length, unique_users: countUsers(of) }))
    .toSorted((a, b) => b.count - a.count || byCodePoint(a.value, b.value))
  return {
    project: request.project,
    period: periodOf(request),
    property,
    event: event ?? null,
    values: values.slice(0, limit),
    total_events: own.length,
    total_with_property: own.filter(each => propertyText(each, property) !== null).length,
    ...(values.length > limit && { truncated: true, total_rows: values.length }),
  }
}

/** The newest events of the range. */
function newest(events: readonly SentEvent[], request: OracleRequest, count: number): SentEvent[] {
  return eventsOf(events, request)
    .filter(event => isInRange(event.timestamp, request))
    .toSorted(byPosition)
    .slice(-count)
}

export function oracleProperties(events: readonly SentEvent[], request: OracleRequest) {
  const own = newest(events, request, Number.POSITIVE_INFINITY)
  const keys = newest(events, request, 5_000).flatMap(event => Object.keys(event.properties ?? {}))
  return {
    project: request.project,
    period: periodOf(request),
    events: [...Map.groupBy(own, event => event.event)]
      .map(([event, of]) => {
        const dates = of.map(each => localTime(each.timestamp, request.tz).date).toSorted()
        return {
          event,
          count: of.length,
          unique_users: countUsers(of),
          first_seen: dates[0],
          last_seen: dates.at(-1),
        }
      })
      .toSorted((a, b) => b.count - a.count || byCodePoint(a.event, b.event)),
    property_keys: [...new Set(keys)].toSorted(byCodePoint).map(listedName),
    ...(own.length > 5_000 && { truncated: true }),
  }
}

export function oracleReceivedProperties(
  events: readonly SentEvent[],
  request: OracleRequest,
  sample: number,
) {
  const own = newest(events, request, sample)
  const isCut = newest(events, request, sample + 1).length > sample
  const pairs = own.flatMap(({ event, properties }) =>
    Object.keys(properties ?? {}).map(key => JSON.stringify([key, event])),
  )
  return {
    project: request.project,
    period: periodOf(request),
    sample_size: own.length,
    since: firstDate(request),
    properties: [...new Set(pairs)]
      .map((pair): [string, string] => JSON.parse(pair))
      .toSorted(([a, ofA], [b, ofB]) => byCodePoint(a, b) || byCodePoint(ofA, ofB))
      .map(([key, event]) => ({ key: listedName(key), event })),
    ...(isCut && { truncated: true }),
  }
}
