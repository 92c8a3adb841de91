import { type Answer, type Call, call } from '#dashboard/api'
import { datesOf, sinceOf, zoneOf } from '#dashboard/range'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Rows of each list. */
const LENGTH = 50

export const TABS = { all: 'All pages', entry: 'Entry pages', exit: 'Exit pages' } as const
export type Tab = keyof typeof TABS

export function openTab(address: Pick<Address, 'own'>): Tab {
  const asked = ownValue(address, 'list')
  return asked === 'entry' || asked === 'exit' ? asked : 'all'
}

/** `views` for the list of all pages, `ends` for those of entry and exit pages. */
export type PagesAsks = {
  views?: Call<Answer<'POST /query'>>
  ends?: Call<Answer<'GET /pages'>>
  lengths: Call<Answer<'GET /sessions/distribution'>>
}

/** GET /pages and the lengths of sessions know no filter and no last date; the view says so. */
export function asks({ address, project }: ViewContext): PagesAsks {
  const tz = zoneOf(address)
  const dates = datesOf(address.range, tz)
  const since = sinceOf(address)
  const list =
    openTab(address) === 'all'
      ? {
          views: call('POST /query', {
            ...{
              project,
              tz,
              count_mode: 'raw',
              date_from: since,
              ...(!dates.isOpen && { date_to: dates.to }),
            },
            filters: [...address.filters, { field: 'event', op: 'eq', value: 'page_view' }],
            metrics: ['unique_users', 'event_count', 'session_count', 'bounce_rate'],
            group_by: ['properties.path'],
            limit: LENGTH,
          }),
        }
      : { ends: call('GET /pages', { project, tz, since, type: 'both', limit: LENGTH }) }
  return {
    ...list,
    lengths: call('GET /sessions/distribution', { project, tz, since }),
  }
}
