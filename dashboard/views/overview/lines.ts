import { type Address, ownValue } from '#dashboard/url'

/** The numbers of the overview, each a tile, and a line over time. */

/** What POST /query calls each of them by date. Page views are events of that name. */
export const METRIC_OF = {
  visitors: 'unique_users',
  page_views: 'event_count',
  sessions: 'session_count',
  events: 'event_count',
  bounce_rate: 'bounce_rate',
  single_page_rate: 'single_page_rate',
  duration: 'avg_duration',
} as const
export type Line = keyof typeof METRIC_OF

/** In the order of their tiles. */
export const LINES = Object.keys(METRIC_OF) as Line[]

/** The column of a line in the intervals of GET /stats; undefined where POST /query is asked. */
export function columnOfStats(line: Line): 'unique_users' | 'total_events' | undefined {
  if (line === 'visitors') return 'unique_users'
  return line === 'events' ? 'total_events' : undefined
}

/** The line that an address shows. */
export function openLine(address: Pick<Address, 'own'>): Line {
  const asked = ownValue(address, 'course')
  return LINES.find(each => each === asked) ?? 'visitors'
}
