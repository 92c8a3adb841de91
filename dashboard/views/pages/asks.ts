import { type Answer, type Call, call } from '#dashboard/api'
import { COMPARED_ROWS } from '#dashboard/parts/row-changes'
import { compareOf, queryOf, questionOf } from '#dashboard/question'
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

export function asks({ address, project }: ViewContext): PagesAsks {
  const query = queryOf(address)
  const compare = compareOf(address)
  const limit = compare === undefined ? LENGTH : COMPARED_ROWS
  const question = { project, ...questionOf(address) }
  const tab = openTab(address)
  const list =
    tab === 'all'
      ? {
          views: call('POST /query', {
            ...{ project, ...query },
            filters: [...query.filters, { field: 'event', op: 'eq', value: 'page_view' }],
            metrics: ['unique_users', 'event_count', 'session_count', 'bounce_rate'],
            group_by: ['properties.path'],
            limit,
            compare,
          }),
        }
      : { ends: call('GET /pages', { ...question, type: tab, limit, compare }) }
  return {
    ...list,
    lengths: call('GET /sessions/distribution', question),
  }
}
