import { type Answer, type Call, call } from '#dashboard/api'
import { datedOf, queryOf, questionOf } from '#dashboard/question'
import { hostsOfSite, referrerGroups } from '#dashboard/referrers'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Rows of a list. */
export const LENGTH = 50
/** More than are shown, because a site's own pages are left out. */
const REFERRERS = 300

/** What GET /sources groups visits by, with its name. A share link does not read it. */
export const NAMED_TABS = { channel: 'Channel', source: 'Source', landing_page: 'Landing page' } as const
export type NamedTab = keyof typeof NAMED_TABS

/** What else tells where a visit came from: property keys of events, with their names. */
export const TABS = {
  referrer: 'Referrer',
  utm_source: 'Campaign source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
} as const
export type Tab = keyof typeof TABS

export function openTab(address: Pick<Address, 'own' | 'area'>): Tab | NamedTab {
  const asked = ownValue(address, 'by') ?? ''
  if (Object.hasOwn(TABS, asked)) return asked as Tab
  if (address.area === 'share') return 'referrer'
  return isNamed(asked) ? asked : 'channel'
}

export function isNamed(tab: string): tab is NamedTab {
  return Object.hasOwn(NAMED_TABS, tab)
}

export type SourcesAsks = {
  named?: Call<Answer<'GET /sources'>>
  list?: Call<Answer<'POST /query'>>
  /** The hosts of the site, where the list does not say them. */
  hosts?: Call<Answer<'POST /query'>>
  events: Call<Answer<'GET /properties'>>
  conversion?: Call<Answer<'GET /conversion'>>
}

/**
 * What visitors then did is asked only when the reader has chosen what: the own value `goal`.
 */
export function asks({ address, project }: ViewContext): SourcesAsks {
  const tab = openTab(address)
  const goal = ownValue(address, 'goal')
  const isShared = address.area === 'share'
  const common = { project, ...queryOf(address) }
  const events = call('GET /properties', { project, ...datedOf(address) })
  if (isNamed(tab)) {
    const named = {
      project,
      ...questionOf(address),
      by: tab,
      limit: LENGTH,
      ...(goal !== undefined && { goal }),
    }
    return { named: call('GET /sources', named), events }
  }
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
    events,
    ...(goal !== undefined && {
      conversion: call('GET /conversion', { project, ...questionOf(address), goal, by: tab, limit: LENGTH }),
    }),
  }
}
