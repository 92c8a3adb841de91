import { type Answer, type Call, call } from '#dashboard/api'
import { datesOf, sinceOf, zoneOf } from '#dashboard/range'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Sessions of a page of the list. */
export const LENGTH = 50
/** Events of a session that are shown; a session has rarely more than some tens. */
export const MAX_EVENTS = 500

/** Which sessions are listed: the values of the parameter `is_bounce`, by the own value `only`. */
export const KINDS = { all: 'All', engaged: 'With interaction', bounces: 'Bounces' } as const
export type Kind = keyof typeof KINDS

export function kindOf(address: Pick<Address, 'own'>): Kind {
  const asked = ownValue(address, 'only')
  return asked === 'engaged' || asked === 'bounces' ? asked : 'all'
}

/** The filter that the list of sessions knows. */
export function userOf({ filters }: Pick<Address, 'filters'>): string | undefined {
  return filters.find(({ field, op }) => field === 'user_id' && op === 'eq')?.value
}

export type SessionsAsks = {
  list: Call<Answer<'GET /sessions'>>
  events?: Call<Answer<'GET /events'>>
  replays?: Call<Answer<'GET /replays'>>
}

/** The own values: `session` is the open one, `before` the cursors of the pages up to this one. */
export function asks({ address, project }: ViewContext): SessionsAsks {
  const tz = zoneOf(address)
  const since = sinceOf(address)
  const dates = datesOf(address.range, tz)
  const session = ownValue(address, 'session')
  const kind = kindOf(address)
  return {
    list: call('GET /sessions', {
      ...{ project, tz, since, limit: LENGTH },
      until: dates.isOpen ? undefined : dates.to,
      user_id: userOf(address),
      is_bounce: kind === 'all' ? undefined : kind === 'bounces' ? 1 : 0,
      before: address.own.before?.at(-1),
    }),
    ...(session !== undefined && {
      events: call('GET /events', { project, tz, since, session_id: session, limit: MAX_EVENTS }),
    }),
    // The demo has no replays, and no right to see any.
    ...(session !== undefined &&
      address.area === 'account' && {
        replays: call('GET /replays', { project, session_id: session, limit: 20 }),
      }),
  }
}
