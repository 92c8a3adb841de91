import { type Answer, type Call, call } from '#dashboard/api'
import { zoneOf } from '#dashboard/range'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Dates of the pictures of exposures, with today. */
export const EXPOSURE_DAYS = 90
/**
 * Rows of it: the read takes no more. 90 dates have at most 720, of four variants with and without `forced`.
 */
const EXPOSURE_ROWS = 1_000

export type ExperimentsRequests = {
  list: Call<Answer<'GET /experiments'>>
  one?: Call<Answer<'GET /experiments/{id}'>>
  exposures?: Call<Answer<'POST /query'>>
  events?: Call<Answer<'GET /properties'>>
}

/**
 * The own values: `experiment` is the id of the open one, and `of` its name, because exposures are found by
 * the name. `new` opens the form.
 */
export function requests({ address, project }: ViewContext): ExperimentsRequests {
  const id = ownValue(address, 'experiment')
  const name = ownValue(address, 'of')
  const tz = zoneOf(address)
  return {
    list: call('GET /experiments', { project }),
    ...(id !== undefined && { one: call('GET /experiments/{id}', {}, { id }) }),
    ...(id !== undefined &&
      name !== undefined && {
        exposures: call('POST /query', {
          ...{ project, tz, count_mode: 'raw', date_from: `${EXPOSURE_DAYS - 1}d`, limit: EXPOSURE_ROWS },
          filters: [
            { field: 'event', op: 'eq', value: '$experiment_exposure' },
            { field: 'properties.experiment', op: 'eq', value: name },
          ],
          metrics: ['event_count'],
          group_by: ['date', 'properties.variant', 'properties.forced'],
          order_by: 'date',
        }),
      }),
    ...(ownValue(address, 'new') !== undefined && {
      events: call('GET /properties', { project, tz, since: `${EXPOSURE_DAYS - 1}d` }),
    }),
  }
}

/** The address of one experiment. */
export function withExperiment<A extends Address>(address: A, { id, name }: { id: string; name: string }): A {
  return withOwn({ ...address, own: {} }, { experiment: [id], of: [name] })
}

/** The address of the form with a suggestion in it. */
export function withSuggestion(
  address: Address,
  { name, goal, variants }: { name: string; goal: string; variants: readonly string[] },
): Address {
  const own = { new: ['1'], name: [name], goal: [goal], variant: [...variants] }
  return withOwn({ ...address, view: 'experiments', own: {} }, own)
}
