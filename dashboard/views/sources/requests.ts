import { type Answer, type Call, call } from '#dashboard/api'
import { isNamed, type NamedTab } from '#dashboard/named-sources'
import { COMPARED_ROWS } from '#dashboard/parts/row-changes'
import { compareOf, datedOf, queryOf, questionOf } from '#dashboard/question'
import { hostsOfSite, MAX_REFERRERS } from '#dashboard/referrers'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Rows of a list. */
export const LENGTH = 50

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

/** The open list: one of GET /sources, which a share link does not read, or of a property. */
export function openTab(
  address: Pick<Address, 'own' | 'area'>,
): { named: NamedTab; property?: undefined } | { property: Tab; named?: undefined } {
  const asked = ownValue(address, 'by') ?? ''
  const isShared = address.area === 'share'
  if (isNamed(asked) && !isShared) return { named: asked }
  if (Object.hasOwn(TABS, asked)) return { property: asked as Tab }
  return isShared ? { property: 'referrer' } : { named: 'channel' }
}

export type SourcesRequests = {
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
export function requests({ address, project }: ViewContext): SourcesRequests {
  const { named: by, property } = openTab(address)
  const goal = ownValue(address, 'goal')
  const common = { project, ...queryOf(address) }
  const compare = compareOf(address)
  const limit = compare === undefined ? LENGTH : COMPARED_ROWS
  const events = call('GET /properties', { project, ...datedOf(address) })
  if (by !== undefined) {
    const named = {
      project,
      ...questionOf(address),
      ...{ by, limit, compare },
      ...(goal !== undefined && { goal }),
    }
    return { named: call('GET /sources', named), events }
  }
  return {
    list: call('POST /query', {
      ...common,
      metrics: ['unique_users', 'session_count', 'event_count', 'bounce_rate', 'avg_duration'],
      group_by: [`properties.${property}`],
      limit: property === 'referrer' ? MAX_REFERRERS : limit,
      compare,
    }),
    ...(property === 'referrer' && {
      hosts: call('POST /query', { ...common, ...hostsOfSite, metrics: ['unique_users'] }),
    }),
    events,
    ...(goal !== undefined && {
      conversion: call('GET /conversion', {
        project,
        ...questionOf(address),
        goal,
        by: property,
        limit: LENGTH,
      }),
    }),
  }
}
