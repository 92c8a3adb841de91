import { type Answer, type Call, call } from '#dashboard/api'
import { queryOf, questionOf } from '#dashboard/question'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Events of a page of the time line. */
export const EVENTS = 200
/** Sessions beside it, and people of the list. */
export const LENGTH = 50

export type PeopleRequests = {
  people?: Call<Answer<'POST /query'>>
  journey?: Call<Answer<'POST /journey'>>
  sessions?: Call<Answer<'GET /sessions'>>
  /** What an erasure would cover; it changes nothing. */
  ids?: Call<Answer<'DELETE /users/{id}'>>
  erasure?: Call<Answer<'GET /erasures/{id}'>>
}

/** `oldest`: the time line begins with the first event of the range. */
export function isOldestFirst(address: Pick<Address, 'own'>): boolean {
  return ownValue(address, 'from_first') === 'yes'
}

/**
 * The own values: `user` is any id of the chosen person, `erasure` the receipt of a deletion. An e-mail
 * address is never one: it would stay in the history of the browser.
 */
export function requests({ address, project }: ViewContext): PeopleRequests {
  const user = ownValue(address, 'user')
  const erasure = ownValue(address, 'erasure')
  if (user === undefined) {
    return {
      people: call('POST /query', {
        project,
        ...queryOf(address),
        metrics: ['event_count', 'session_count'],
        group_by: ['user_id'],
        limit: LENGTH,
      }),
      ...(erasure !== undefined && { erasure: call('GET /erasures/{id}', {}, { id: erasure }) }),
    }
  }
  const question = { project, ...questionOf(address), user_id: user }
  return {
    journey: call('POST /journey', {
      ...question,
      limit: EVENTS,
      // Without an order the newest events come oldest first, as the timeline shows them.
      ...(isOldestFirst(address) && { order: 'asc' }),
      before: address.own.before?.at(-1),
    }),
    sessions: call('GET /sessions', { ...question, limit: LENGTH }),
    ...(address.area === 'account' && {
      ids: call('DELETE /users/{id}', { project, user_id: user, dry_run: true }, { id: '-' }),
    }),
  }
}
