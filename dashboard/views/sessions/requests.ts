import { type Answer, type Call, call } from '#dashboard/api'
import { datedOf, questionOf } from '#dashboard/question'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Sessions of a page of the list. */
export const LENGTH = 50
/** Events of a session that are shown; a session has rarely more than some tens. */
export const MAX_EVENTS = 500

/** Which sessions are listed, by the own value `only`: the title, and what it asks of GET /sessions. */
export const KINDS = {
  all: { title: 'All', query: {} },
  engaged: { title: 'With interaction', query: { is_bounce: 0 } },
  bounces: { title: 'Without interaction', query: { is_bounce: 1 } },
  replays: { title: 'With a replay', query: { has_replay: true } },
} as const
export type Kind = keyof typeof KINDS

export function kindOf(address: Pick<Address, 'own'>): Kind {
  const asked = ownValue(address, 'only')
  return asked !== undefined && Object.hasOwn(KINDS, asked) ? (asked as Kind) : 'all'
}

export type SessionsRequests = {
  list: Call<Answer<'GET /sessions'>>
  events?: Call<Answer<'GET /events'>>
  replays?: Call<Answer<'GET /replays'>>
}

/** The own values: `session` is the open one, `before` the cursors of the pages up to this one. */
export function requests({ address, project }: ViewContext): SessionsRequests {
  const { since, tz } = datedOf(address)
  const session = ownValue(address, 'session')
  return {
    list: call('GET /sessions', {
      project,
      ...questionOf(address),
      limit: LENGTH,
      ...KINDS[kindOf(address)].query,
      before: address.own.before?.at(-1),
    }),
    // The whole session: it may go on after the last date, and filters choose sessions, not their parts.
    ...(session !== undefined && {
      events: call('GET /events', { project, since, tz, session_id: session, limit: MAX_EVENTS }),
    }),
    // The demo has no replays, and no right to see any.
    ...(session !== undefined &&
      address.area === 'account' && {
        replays: call('GET /replays', { project, session_id: session, limit: 20 }),
      }),
  }
}
