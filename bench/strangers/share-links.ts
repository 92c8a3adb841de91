import { type Attack, type Door, scaled } from './attack.ts'
import type { Sent } from './exchange.ts'
import { sendRequests } from './send-requests.ts'

/** Events of the project, so that a read has work to do. */
const EVENTS = 300_000

const step = { event: 'page_view' }
const GROUPS = ['country', 'properties.path', 'properties.browser', 'properties.os', 'properties.device']

/** The costly questions of a link's views. Each number asks another one, so that none is known already. */
function question({ port, project }: Door, link: string, from: string, i: number): Sent {
  const headers = { Authorization: `Bearer ${link}` }
  const sent = { port, method: 'POST', headers, from } as const
  const asked = { project, since: '30d' }
  const kinds: (() => Sent)[] = [
    () => ({
      ...{ ...sent, path: '/funnel' },
      body: { ...asked, steps: Array(8).fill(step), conversion_window_hours: 100 + i, breakdown: 'country' },
    }),
    () => ({
      ...{ ...sent, path: '/query' },
      body: {
        ...{ ...asked, date_from: '30d', group_by: GROUPS, limit: 100 + i, compare: 'previous' },
        metrics: ['event_count', 'unique_users', 'bounce_rate', 'p95(session_count)', 'p50(value)'],
      },
    }),
    () => ({
      ...{ ...sent, path: '/paths' },
      body: { ...asked, goal_event: 'click', candidate_session_cap: 10_000 - i },
    }),
    () => ({
      ...{ ...sent, method: 'GET' },
      path: `/retention?project=${project}&period=day&cohorts=${30 - (i % 20)}&event=page_view`,
    }),
  ]
  return (kinds[i % kinds.length] as () => Sent)()
}

export const fewSharedReads: Attack = {
  name: '4a one share link',
  does: '34 requests of one share link in 30 s: funnels of 8 steps, five groups with percentiles, paths, retention',
  seconds: 30,
  isCounted: true,
  service: { events: EVENTS },
  run: (door, stopping) =>
    sendRequests(
      {
        request: i => question(door, door.links[0] as string, door.from[0], i),
        ...{ total: scaled(34, door), pace: { perSecond: 34 / 30 } },
      },
      stopping,
    ),
}

export const manySharedReads: Attack = {
  name: '4b two share links',
  does: 'two share links from two addresses, each with eight requests at a time',
  seconds: 20,
  service: { events: EVENTS },
  run: (door, stopping) =>
    sendRequests(
      {
        request: i => question(door, door.links[i % 2] as string, door.from[i % 2] as string, i >> 1),
        pace: { atOnce: 16 },
      },
      stopping,
    ),
}
