import { type Answer, type Call, call } from '#dashboard/api'
import { sinceOf, zoneOf } from '#dashboard/range'
import { type Address, type Filter, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { oneSpelling } from '#schemas/property-names'
import { countByOf, peopleOf, stepsOf, windowOf } from './steps.ts'

const BREAKDOWN_VALUES = 10
const BREAKDOWN = /^(?:properties\.)?\w{1,128}$/

export type FunnelAsks = {
  events: Call<Answer<'GET /properties'>>
  funnel?: Call<Answer<'POST /funnel'>>
  people?: Call<Answer<'POST /funnel'>>
}

/** The filters of all views that a step can have: POST /funnel knows properties and the country. */
export function sharedFilters({ filters }: Pick<Address, 'filters'>): {
  known: { property: string; op: Filter['op']; value: string }[]
  unknown: Filter[]
} {
  const isKnown = ({ field }: Filter) => field === 'country' || field.startsWith('properties.')
  return {
    known: filters
      .filter(isKnown)
      .map(({ field, op, value }) => ({ property: oneSpelling(field), op, value })),
    unknown: filters.filter(filter => !isKnown(filter)),
  }
}

/** The property of the breakdown; undefined without one. */
export function breakdownOf(address: Pick<Address, 'own'>): string | undefined {
  const asked = ownValue(address, 'breakdown')
  return asked !== undefined && BREAKDOWN.test(asked) ? asked : undefined
}

/** The filters of all views hold for the event of every step. */
export function asks({ address, project }: ViewContext): FunnelAsks {
  const dated = { project, since: sinceOf(address), tz: zoneOf(address) }
  const steps = stepsOf(address)
  const events = call('GET /properties', dated)
  if (steps.length < 2) return { events }
  const shared = sharedFilters(address).known
  const values = {
    ...dated,
    steps: steps.map(({ event, filters }) => {
      const all = [...filters, ...shared]
      return all.length === 0 ? { event } : { event, filters: all }
    }),
    conversion_window_hours: windowOf(address),
    count_by: countByOf(address),
  }
  const breakdown = breakdownOf(address)
  const people = peopleOf(address, steps.length)
  return {
    events,
    funnel: call('POST /funnel', {
      ...values,
      ...(breakdown !== undefined && { breakdown, breakdown_limit: BREAKDOWN_VALUES }),
    }),
    ...(people !== null &&
      address.area !== 'share' && {
        people: call('POST /funnel', {
          ...values,
          people_of_step: people.step,
          ...(people.isLost && { people_dropped: true }),
        }),
      }),
  }
}
