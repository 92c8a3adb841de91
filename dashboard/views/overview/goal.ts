import { type Address, ownValue } from '#dashboard/url'

/** The event that the lists of the overview are asked about; undefined without one, and for a share link. */
export function openGoal(address: Pick<Address, 'own' | 'area'>): string | undefined {
  // POST /query tells a link no rate, because one may be about one person.
  return address.area === 'share' ? undefined : ownValue(address, 'goal')
}

/**
 * The metric of POST /query: of the visitors of a row, the part that did the goal at any time of the dates
 * (U93).
 */
export function goalRate(goal: string): string {
  return `rate(${JSON.stringify({ person: { field: 'event', op: 'eq', value: goal } })})`
}
