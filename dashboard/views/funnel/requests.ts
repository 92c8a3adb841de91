import { type Answer, type Call, call } from '#dashboard/api'
import { datedOf, questionOf } from '#dashboard/question'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { keyOf } from '#schemas/property-names'
import { countByOf, peopleOf, stepsOf, windowOf } from './steps.ts'

const BREAKDOWN_VALUES = 10

export type FunnelRequests = {
  events: Call<Answer<'GET /properties'>>
  /** The page has asked for them already. */
  views?: Call<Answer<'GET /projects/{id}/views'>>
  funnel?: Call<Answer<'POST /funnel'>>
  people?: Call<Answer<'POST /funnel'>>
}

/** The property of the breakdown; undefined without one. */
export function breakdownOf(address: Pick<Address, 'own'>): string | undefined {
  const asked = ownValue(address, 'breakdown')
  return asked !== undefined && keyOf(asked) !== undefined ? asked : undefined
}

/** The filters choose whole people, or sessions: those with an event that passes. */
export function requests({ address, project }: ViewContext): FunnelRequests {
  const steps = stepsOf(address)
  const common = {
    events: call('GET /properties', { project, ...datedOf(address) }),
    ...(address.area === 'account' && { views: call('GET /projects/{id}/views', {}, { id: project }) }),
  }
  if (steps.length < 2) return common
  const values = {
    project,
    ...questionOf(address),
    steps: steps.map(({ event, filters }) => (filters.length === 0 ? { event } : { event, filters })),
    conversion_window_hours: windowOf(address),
    count_by: countByOf(address),
  }
  const breakdown = breakdownOf(address)
  const people = peopleOf(address, steps.length)
  return {
    ...common,
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
