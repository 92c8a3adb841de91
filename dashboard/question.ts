import type { AskedCondition } from '#schemas/conditions'
import { comparedDates, datesOf, sinceOf, zoneOf } from './range.ts'
import { type Address, type Filter, isNamedCondition, printDates, SESSION_FIELDS } from './url.ts'

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
  const wider = address.filters.filter(each => !isOfEvent(each))
  const ofEvents = address.filters.filter(isOfEvent)
  return {
    ...{ tz, count_mode: 'raw' as const, date_from: since, ...(until !== undefined && { date_to: until }) },
    ...(wider.length > 0 && { where: conditionOf({ area: address.area, filters: wider }) }),
    filters: ofEvents,
  }
}

/**
 * The filters as a condition; undefined without one, and for a share link, which takes none. `named`: the
 * condition of a segment.
 */
export function conditionOf(
  address: Pick<Address, 'area' | 'filters'>,
  named: (segment: string) => AskedCondition = segment => ({ segment }),
): AskedCondition | undefined {
  if (!hasConditions(address)) return undefined
  const [first, ...others] = address.filters.map(each => partOf(each, named))
  return first === undefined || others.length === 0 ? first : { and: [first, ...others] }
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

/** Whether a filter compares a field of the event itself, as the filters of POST /query do. */
export function isOfEvent({ field, of }: Pick<Filter, 'field' | 'of'>): boolean {
  return of === undefined && !isNamedCondition(field) && !SESSION_FIELDS.includes(field)
}

function partOf(
  { field, op, value, of }: Filter,
  named: (segment: string) => AskedCondition,
): AskedCondition {
  if (isNamedCondition(field)) {
    const condition = field === 'did' ? { did: { event: value } } : named(value)
    return op === 'neq' ? { not: condition } : condition
  }
  const leaf = { field, op, value }
  if (of === 'session') return { session: leaf }
  return of === 'person' ? { person: leaf } : leaf
}
