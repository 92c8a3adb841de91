import { type Answer, type Call, call } from '#dashboard/api'
import { isNamed, type NamedTab } from '#dashboard/named-sources'
import { compareOf, datedOf, queryOf, questionOf } from '#dashboard/question'
import { datesOf, intervalOf, zoneOf } from '#dashboard/range'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { bareKey, fieldOfKey } from '#schemas/property-names'
import { CURRENCY, SUM } from './sums.ts'

/** The event that usually carries money, in its properties `value` and `currency`. */
export const USUAL_EVENT = 'purchase'
/** Rows of an answer: no read gives more. */
const MAX_ROWS = 1_000
/** Sources that are asked for. They come by sessions, and one with few sessions may have brought much. */
const MAX_SOURCES = 200

/** The event whose values are added: the own value `event`. */
export function moneyEvent(address: Pick<Address, 'own'>): string {
  return ownValue(address, 'event') ?? USUAL_EVENT
}

/** What sums are told apart by: the own value `by`, one of the lists of GET /sources. */
export function openTab(address: Pick<Address, 'own'>): NamedTab {
  const asked = ownValue(address, 'by') ?? ''
  return isNamed(asked) ? asked : 'source'
}

export type RevenueRequests = {
  totals: Call<Answer<'POST /query'>>
  course: Call<Answer<'POST /query'>>
  sources: Call<Answer<'GET /sources'>>
  names: Call<Answer<'GET /properties'>>
  /** Properties of the newest events: those of the chosen one can tell sums apart. */
  received: Call<Answer<'GET /properties/received'>>
}

/** Each sum is by currency, so that no two currencies are ever added. */
export function requests({ address, project }: ViewContext): RevenueRequests {
  const time = intervalOfSums(address) === 'hour' ? ['date', 'hour'] : ['date']
  return {
    totals: call('POST /query', { ...sumsBy(address, project, []), compare: compareOf(address) }),
    // The newest come first, so that a limit cuts the oldest.
    course: call('POST /query', { ...sumsBy(address, project, time), order_by: 'date', order: 'desc' }),
    sources: call('GET /sources', {
      project,
      ...questionOf(address),
      by: openTab(address),
      goal: moneyEvent(address),
      limit: MAX_SOURCES,
    }),
    names: call('GET /properties', { project, ...datedOf(address) }),
    received: call('GET /properties/received', { project, ...questionOf(address) }),
  }
}

/** Sums by the values of a property, such as the product that was sold. */
export function askValues({ address, project }: ViewContext, key: string): Call<Answer<'POST /query'>> {
  return call('POST /query', sumsBy(address, project, [fieldOfKey(bareKey(key))]))
}

function sumsBy(address: Address, project: string, groups: readonly string[]) {
  const query = queryOf(address)
  return {
    project,
    ...query,
    filters: [...query.filters, { field: 'event', op: 'eq' as const, value: moneyEvent(address) }],
    metrics: [SUM, 'event_count'],
    group_by: [...groups, CURRENCY],
    limit: MAX_ROWS,
  }
}

/** POST /query groups by hour and by date. */
export function intervalOfSums(address: Address): 'hour' | 'day' {
  return intervalOf(datesOf(address.range, zoneOf(address))) === 'hour' ? 'hour' : 'day'
}
