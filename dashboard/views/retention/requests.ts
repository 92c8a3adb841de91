import { type Answer, type Call, call } from '#dashboard/api'
import { datedOf, questionOf } from '#dashboard/question'
import { ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { cohortsOf, isGone, periodOfCohorts, placeOf } from './cohorts.ts'

export type RetentionRequests = {
  events: Call<Answer<'GET /properties'>>
  retention: Call<Answer<'GET /retention'>>
  people?: Call<Answer<'GET /retention'>>
}

/** Without `since` the first cohort is a whole one. */
export function requests({ address, project }: ViewContext): RetentionRequests {
  const { since: _, ...question } = questionOf(address)
  const [event, back] = [ownValue(address, 'event'), ownValue(address, 'back')]
  const values = {
    ...{ project, ...question, period: periodOfCohorts(address), cohorts: cohortsOf(address).count },
    ...(event && { event }),
    ...(back && { returning_event: back }),
  }
  const place = placeOf(address)
  return {
    events: call('GET /properties', { project, ...datedOf(address) }),
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
