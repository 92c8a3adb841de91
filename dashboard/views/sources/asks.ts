import { type Answer, type Call, call } from '#dashboard/api'
import { datedOf, queryOf, questionOf } from '#dashboard/question'
import { hostsOfSite, referrerGroups } from '#dashboard/referrers'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Rows of a list. */
export const LENGTH = 50
/** More than are shown, because a site's own pages are left out. */
const REFERRERS = 300

/** What tells where a visit came from: property keys of events, with their names. */
export const TABS = {
  referrer: 'Referrer',
  utm_source: 'Source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
} as const
export type Tab = keyof typeof TABS

export function openTab(address: Pick<Address, 'own'>): Tab {
  const asked = ownValue(address, 'by')
  return asked !== undefined && Object.hasOwn(TABS, asked) ? (asked as Tab) : 'referrer'
}

export type SourcesAsks = {
  list: Call<Answer<'POST /query'>>
  /** The hosts of the site, where the list does not say them. */
  hosts?: Call<Answer<'POST /query'>>
  events: Call<Answer<'GET /properties'>>
  conversion?: Call<Answer<'GET /conversion'>>
}

/**
 * The part of users that does something is asked only when the reader has chosen what: the own value `goal`.
 */
export function asks({ address, project }: ViewContext): SourcesAsks {
  const tab = openTab(address)
  const goal = ownValue(address, 'goal')
  const isShared = address.area === 'share'
  const common = { project, ...queryOf(address) }
  return {
    list: call('POST /query', {
      ...common,
      metrics: ['unique_users', 'session_count', 'event_count', 'bounce_rate', 'avg_duration'],
      group_by: tab === 'referrer' ? referrerGroups(isShared) : [`properties.${tab}`],
      limit: tab === 'referrer' ? REFERRERS : LENGTH,
    }),
    ...(isShared &&
      tab === 'referrer' && {
        hosts: call('POST /query', { ...common, ...hostsOfSite, metrics: ['unique_users'] }),
      }),
    events: call('GET /properties', { project, ...datedOf(address) }),
    ...(goal !== undefined && {
      conversion: call('GET /conversion', { project, ...questionOf(address), goal, by: tab, limit: LENGTH }),
    }),
  }
}
