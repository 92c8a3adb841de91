import { type Answer, type Call, call } from '#dashboard/api'
import { zoneOf } from '#dashboard/range'
import { ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { cohortsOf, isGone, periodOfCohorts, placeOf } from './cohorts.ts'

export type RetentionAsks = {
  events: Call<Answer<'GET /properties'>>
  retention: Call<Answer<'GET /retention'>>
  people?: Call<Answer<'GET /retention'>>
}

/** The range of GET /retention is its cohorts, so the view does without the range of the toolbar. */
export function asks({ address, project }: ViewContext): RetentionAsks {
  const tz = zoneOf(address)
  const [event, back] = [ownValue(address, 'event'), ownValue(address, 'back')]
  const values = {
    ...{ project, tz, period: periodOfCohorts(address), cohorts: cohortsOf(address) },
    ...(event && { event }),
    ...(back && { returning_event: back }),
  }
  const place = placeOf(address)
  return {
    events: call('GET /properties', { project, since: '89d', tz }),
    retention: call('GET /retention', values),
    ...(place !== null &&
      address.area !== 'share' && {
        people: call('GET /retention', {
          ...values,
          people_of_cohort: place.date,
          people_of_offset: place.offset,
          ...(isGone(address) && { people_dropped: true }),
        }),
      }),
  }
}
