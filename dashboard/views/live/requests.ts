import { type Answer, type Call, call } from '#dashboard/api'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/**
 * The windows of the numbers, in seconds, by the own value `last`. The service keeps no more than the
 * longest.
 */
export const WINDOWS = { '5m': 300, '1m': 60 } as const
export type WindowName = keyof typeof WINDOWS
export const WINDOW_TITLES: Record<WindowName, string> = { '5m': 'Last 5 minutes', '1m': 'Last minute' }

export function windowOf(address: Pick<Address, 'own'>): WindowName {
  return ownValue(address, 'last') === '1m' ? '1m' : '5m'
}

export type LiveRequests = { live: Call<Answer<'GET /live'>> }

export function requests({ address, project }: ViewContext): LiveRequests {
  return { live: call('GET /live', { project, window: WINDOWS[windowOf(address)] }) }
}
