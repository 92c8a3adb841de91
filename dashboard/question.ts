import type { Condition } from '#schemas/conditions'
import { comparedDates, datesOf, sinceOf, zoneOf } from './range.ts'
import { type Address, type Filter, printDates, SESSION_FIELDS } from './url.ts'

/** What an address asks of a read: its dates, its zone and its filters. Every view asks with these alone. */

/** The range and the zone, as every dated read takes them. Without `until` it ends now. */
export function datedOf(address: Address) {
  const tz = zoneOf(address)
  const dates = datesOf(address.range, tz)
  return { since: sinceOf(address.range, dates.from), until: dates.isOpen ? undefined : dates.to, tz }
}

/** The parameter `compare` of a read that has totals; undefined without a comparison. */
export function compareOf(address: Address): string | undefined {
  const { comparison, range } = address
  if (comparison === 'previous' || comparison === 'year') return comparison
  const dates = comparedDates(datesOf(range, zoneOf(address)), comparison)
  return dates === null ? undefined : printDates(dates)
}

/** The range, the zone and the filters, as every dated read takes them. */
export function questionOf(address: Address) {
  return { ...datedOf(address), where: conditionOf(address) }
}

/** The same for POST /query, whose filters a share link may have too. */
export function queryOf(address: Address) {
  const { since, until, tz } = datedOf(address)
  const ofSessions = address.filters.filter(({ field }) => SESSION_FIELDS.includes(field))
  const ofEvents = address.filters.filter(({ field }) => !SESSION_FIELDS.includes(field))
  return {
    ...{ tz, count_mode: 'raw' as const, date_from: since, ...(until !== undefined && { date_to: until }) },
    ...(ofSessions.length > 0 && { where: conditionOf({ area: address.area, filters: ofSessions }) }),
    filters: ofEvents,
  }
}

/** The filters as a condition; undefined without one, and for a share link, which takes none. */
export function conditionOf(address: Pick<Address, 'area' | 'filters'>): Condition | undefined {
  const [first, ...others] = address.filters
  if (first === undefined || !hasConditions(address)) return undefined
  return others.length === 0 ? leafOf(first) : { and: address.filters.map(leafOf) }
}

/** Whether every read takes the filters of the address. A share link filters POST /query alone (U104). */
export function hasConditions({ area }: Pick<Address, 'area'>): boolean {
  return area !== 'share'
}

/** What a panel says in its head where the filters of a share link do not hold for it. */
export function unfilteredNote(address: Pick<Address, 'area' | 'filters'>): string | undefined {
  return address.filters.length === 0 || hasConditions(address)
    ? undefined
    : 'Not filtered: a share link shows this list as a whole, so that it tells nothing about few people.'
}

function leafOf({ field, op, value }: Filter): Condition {
  return { field, op, value }
}
