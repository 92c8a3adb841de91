import { type Answer, type Call, call } from '#dashboard/api'
import { goalSessions, goalVisitors, isPage, openGoal } from '#dashboard/goal'
import { isNamed, NAMED_TABS, type NamedTab } from '#dashboard/named-sources'
import { compareOf, hasConditions, queryOf, questionOf } from '#dashboard/question'
import { datesOf, intervalOf, periodOf, zoneOf } from '#dashboard/range'
import { hostsOfSite, MAX_REFERRERS } from '#dashboard/referrers'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { columnOfStats, METRIC_OF, openLine } from './lines.ts'

/** Rows of a list. */
export const LIST_LENGTH = 10
/** Events that are asked for, because goals are found among them. */
const MAX_EVENTS = 100
/** Countries that are asked for: all, because the map has them. */
const MAX_COUNTRIES = 300

/** The lists of the overview: each has tabs, and a tab is a field whose values are listed. */
export const lists = {
  pages: {
    title: 'Pages',
    tabs: { path: 'Path', title: 'Title', hostname: 'Host' },
    onlyViews: true,
  },
  sources: {
    title: 'Sources',
    tabs: { referrer: 'Referrer', utm_source: 'Source', utm_medium: 'Medium', utm_campaign: 'Campaign' },
    onlyViews: false,
  },
  places: {
    title: 'Places',
    tabs: { country: 'Country', language: 'Language', timezone: 'Time zone' },
    onlyViews: false,
  },
  devices: {
    title: 'Devices',
    tabs: { device: 'Kind', browser: 'Browser', os: 'System', screen: 'Screen' },
    onlyViews: false,
  },
} as const
export type ListName = keyof typeof lists

/** The lists of sources that GET /sources makes, in the order of their tabs. */
const NAMED: readonly NamedTab[] = ['source', 'channel', 'campaign', 'referrer']

/**
 * The tabs of a list with their names. Who reads GET /sources has its lists, a share link those of
 * properties.
 */
export function tabsOf(address: Pick<Address, 'area'>, list: ListName): Readonly<Record<string, string>> {
  if (list !== 'sources' || address.area === 'share') return lists[list].tabs
  return Object.fromEntries(NAMED.map(tab => [tab, NAMED_TABS[tab].title]))
}

/** The open tab of a list: a property key, `country`, or one of GET /sources. */
export function openTab(address: Pick<Address, 'area' | 'own'>, list: ListName): string {
  const tabs = Object.keys(tabsOf(address, list))
  const asked = ownValue(address, list)
  return asked !== undefined && tabs.includes(asked) ? asked : (tabs[0] as string)
}

/** As POST /query names it. */
export function fieldOf(tab: string): string {
  return tab === 'country' ? 'country' : `properties.${tab}`
}

const METRICS = [
  'unique_users',
  'session_count',
  'event_count',
  'bounce_rate',
  'single_page_rate',
  'avg_duration',
]

/** GET /stats answers most at once and fastest, but knows no filter of a share link. */
function isPlain(address: Pick<Address, 'area' | 'filters'>): boolean {
  return address.filters.length === 0 || hasConditions(address)
}

type Stats = Call<Answer<'GET /stats'>>
type Query = Call<Answer<'POST /query'>>

/** Which of them are asked depends on the address. */
export type OverviewRequests = {
  bots?: Call<Answer<'GET /bot-traffic'>>
  stats?: Stats
  totals?: Query
  /** The line over time, where GET /stats does not have it. */
  line?: Query
  pages?: Query
  sources?: Query
  named?: Call<Answer<'GET /sources'>>
  /** Sessions with a goal that is a page, by source: GET /sources has goals that are events. */
  sourceRates?: Query
  /** The hosts of the site, where the sources do not say them. */
  hosts?: Query
  places?: Query
  devices?: Query
  events?: Query
}

export function requests({ address, project }: ViewContext): OverviewRequests {
  const zone = zoneOf(address)
  const { audience, range } = address
  if (audience !== 'people') {
    return { bots: call('GET /bot-traffic', { project, period: periodOf(range, zone), tz: zone, limit: 50 }) }
  }
  const dates = datesOf(range, zone)
  const common = { project, ...queryOf(address) }
  const compare = compareOf(address)
  const line = openLine(address)
  const views = [{ field: 'event', op: 'eq', value: 'page_view' }] as const
  const byDate = {
    ...common,
    filters: line === 'page_views' ? [...common.filters, ...views] : common.filters,
    metrics: [METRIC_OF[line]],
    group_by: lineInterval(address) === 'hour' ? ['date', 'hour'] : ['date'],
    ...({ order_by: 'date', order: 'asc', limit: 1_000 } as const),
    compare,
  }
  const numbers = isPlain(address)
    ? {
        stats: call('GET /stats', {
          project,
          ...questionOf(address),
          groupBy: intervalOf(dates),
          compare,
        }),
        ...(columnOfStats(line) === undefined && { line: call('POST /query', byDate) }),
      }
    : {
        totals: call('POST /query', { ...common, metrics: METRICS, compare }),
        line: call('POST /query', byDate),
      }
  const goal = openGoal(address)
  const list = (group_by: string[], limit: number, more: Address['filters'] = []) =>
    call('POST /query', {
      ...common,
      filters: [...common.filters, ...more],
      metrics: ['unique_users', 'event_count', ...(goal === undefined ? [] : [goalVisitors(goal)])],
      group_by,
      limit,
    })
  const page = goal !== undefined && isPage(goal) ? goal : undefined
  const isShared = address.area === 'share'
  const source = openTab(address, 'sources')
  const hasHosts = isShared && source === 'referrer'
  const tabbed = (name: ListName) => {
    const tab = openTab(address, name)
    if (tab === 'referrer') return list([fieldOf(tab)], MAX_REFERRERS)
    const limit = tab === 'country' ? MAX_COUNTRIES : LIST_LENGTH
    return list([fieldOf(tab)], limit, lists[name].onlyViews ? views : [])
  }
  return {
    ...numbers,
    pages: tabbed('pages'),
    ...(isNamed(source) && !isShared
      ? {
          named: call('GET /sources', {
            project,
            ...questionOf(address),
            by: source,
            limit: LIST_LENGTH,
            goal: page === undefined ? goal : undefined,
          }),
          ...(page !== undefined && {
            sourceRates: call('POST /query', {
              ...common,
              metrics: ['session_count', goalSessions(page)],
              group_by: [NAMED_TABS[source].group],
              limit: 1_000,
            }),
          }),
        }
      : { sources: tabbed('sources') }),
    ...(hasHosts && { hosts: list(hostsOfSite.group_by, hostsOfSite.limit) }),
    places: tabbed('places'),
    devices: tabbed('devices'),
    events: list(['event'], MAX_EVENTS),
  }
}

/**
 * The intervals of a line that POST /query has. A share link groups by no hour, and no group is a week: a
 * session that goes over midnight would be in two of its dates.
 */
export function lineInterval(address: Address): 'hour' | 'day' {
  const isByHour = intervalOf(datesOf(address.range, zoneOf(address))) === 'hour'
  return isByHour && address.area !== 'share' ? 'hour' : 'day'
}
