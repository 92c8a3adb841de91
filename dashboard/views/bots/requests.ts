import { type Answer, type Call, call } from '#dashboard/api'
import { periodOf, zoneOf } from '#dashboard/range'
import type { ViewContext } from '#dashboard/view'

/** Senders of the list: the read names no more. */
export const SENDERS = 50

export type BotsRequests = { bots: Call<Answer<'GET /bot-traffic'>> }

/** The own value `kind` chooses among the senders, which are all known then. */
export function requests({ address, project }: ViewContext): BotsRequests {
  const tz = zoneOf(address)
  return {
    bots: call('GET /bot-traffic', { project, tz, period: periodOf(address.range, tz), limit: SENDERS }),
  }
}
