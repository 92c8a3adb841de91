import { type Answer, type Call, call } from '#dashboard/api'
import { datedOf, questionOf } from '#dashboard/question'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Sessions of a page of the list. */
export const LENGTH = 50
/** Events of a session that are shown; a session has rarely more than some tens. */
export const MAX_EVENTS = 500

/** Which sessions are listed: the values of the parameter `is_bounce`, by the own value `only`. */
export const KINDS = { all: 'All', engaged: 'With interaction', bounces: 'Without interaction' } as const
export type Kind = keyof typeof KINDS

export function kindOf(address: Pick<Address, 'own'>): Kind {
  const asked = ownValue(address, 'only')
  return asked === 'engaged' || asked === 'bounces' ? asked : 'all'
}

export type SessionsAsks = {
  list: Call<Answer<'GET /sessions'>>
  events?: Call<Answer<'GET /events'>>
  replays?: Call<Answer<'GET /replays'>>
}

/** The own values: `session` is the open one, `before` the cursors of the pages up to this one. */
export function asks({ address, project }: ViewContext): SessionsAsks {
  const { since, tz } = datedOf(address)
  const session = ownValue(address, 'session')
  const kind = kindOf(address)
  return {
    list: call('GET /sessions', {
      ...{ project, ...questionOf(address), limit: LENGTH },
      is_bounce: kind === 'all' ? undefined : kind === 'bounces' ? 1 : 0,
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
