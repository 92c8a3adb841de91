import { type Answer, type Call, call } from '#dashboard/api'
import { goalSessions, goalVisitors, openGoal } from '#dashboard/goal'
import { COMPARED_ROWS } from '#dashboard/parts/row-changes'
import { compareOf, datedOf, queryOf, questionOf } from '#dashboard/question'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Rows of each list. */
const LENGTH = 50
/** Rates that are asked for beside them: no read gives more. */
const MAX_ROWS = 1_000

export const TABS = { all: 'All pages', entry: 'Entry pages', exit: 'Exit pages' } as const
export type Tab = keyof typeof TABS

/** The fields of POST /query by which GET /pages lists. */
export const ENDS = { entry: 'entry_page', exit: 'exit_page' } as const

export function openTab(address: Pick<Address, 'own'>): Tab {
  const asked = ownValue(address, 'list')
  return asked === 'entry' || asked === 'exit' ? asked : 'all'
}

/** `views` for the list of all pages, `ends` for those of entry and exit pages. */
export type PagesRequests = {
  views?: Call<Answer<'POST /query'>>
  ends?: Call<Answer<'GET /pages'>>
  /** Sessions with the goal by entry or exit page, which GET /pages has not. */
  rates?: Call<Answer<'POST /query'>>
  /** Goals to choose from. */
  events?: Call<Answer<'GET /properties'>>
  lengths: Call<Answer<'GET /sessions/distribution'>>
}

export function requests({ address, project }: ViewContext): PagesRequests {
  const query = queryOf(address)
  const compare = compareOf(address)
  const limit = compare === undefined ? LENGTH : COMPARED_ROWS
  const question = { project, ...questionOf(address) }
  const tab = openTab(address)
  const goal = openGoal(address)
  const list =
    tab === 'all'
      ? {
          views: call('POST /query', {
            project,
            ...query,
            filters: [...query.filters, { field: 'event', op: 'eq', value: 'page_view' }],
            metrics: [
              ...['unique_users', 'event_count', 'session_count', 'bounce_rate'],
              ...(goal === undefined ? [] : [goalVisitors(goal)]),
            ],
            group_by: ['properties.path'],
            limit,
            compare,
          }),
        }
      : {
          ends: call('GET /pages', { ...question, type: tab, limit, compare }),
          ...(goal !== undefined && {
            rates: call('POST /query', {
              project,
              ...query,
              metrics: ['session_count', goalSessions(goal)],
              group_by: [ENDS[tab]],
              limit: MAX_ROWS,
            }),
          }),
        }
  return {
    ...list,
    ...(address.area !== 'share' && { events: call('GET /properties', { project, ...datedOf(address) }) }),
    lengths: call('GET /sessions/distribution', question),
  }
}
