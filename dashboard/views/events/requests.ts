import { type Answer, type Call, call } from '#dashboard/api'
import { queryOf, questionOf } from '#dashboard/question'
import { ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { bareKey, fieldOfKey } from '#schemas/property-names'

/** Event names, and values of a property. */
export const LENGTH = 50
/** Rows of the courses of all names together: the read takes no more. */
const COURSE_ROWS = 1_000
/** Events that are shown whole. */
const SAMPLES = 3

type Query = Call<Answer<'POST /query'>>

export type EventsRequests = {
  names: Query
  courses: Query
  project?: Call<Answer<'GET /projects/{id}'>>
  received?: Call<Answer<'GET /properties/received'>>
  values?: Query
  samples?: Call<Answer<'GET /events'>>
}

/** The own values: `event` is the open one, `prop` the property whose values are listed. */
export function requests({ address, project }: ViewContext): EventsRequests {
  const event = ownValue(address, 'event')
  // A share link shows no project record and no single events.
  const isShared = address.area === 'share'
  const property = ownValue(address, 'prop')
  const common = { project, ...queryOf(address), metrics: ['event_count', 'unique_users'] }
  return {
    names: call('POST /query', { ...common, group_by: ['event'], limit: LENGTH }),
    courses: call('POST /query', {
      ...common,
      metrics: ['event_count'],
      group_by: ['event', 'date'],
      order_by: 'date',
      limit: COURSE_ROWS,
    }),
    ...(!isShared && { project: call('GET /projects/{id}', {}, { id: project }) }),
    ...(event !== undefined && {
      received: call('GET /properties/received', { project, ...questionOf(address) }),
    }),
    ...(event !== undefined &&
      !isShared && {
        samples: call('GET /events', { project, event, ...questionOf(address), limit: SAMPLES }),
      }),
    ...(event !== undefined &&
      property !== undefined && {
        values: call('POST /query', {
          ...common,
          filters: [...common.filters, { field: 'event', op: 'eq', value: event }],
          group_by: [fieldOfKey(bareKey(property))],
          limit: LENGTH,
        }),
      }),
  }
}
