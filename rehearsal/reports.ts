import type { Route } from '#schemas/route'
import type { Deployment } from '#test/support/deployment'
import type { ReportName } from '#test/support/report-routes'

/** What a report needs beside the project, in the query or in the body. */
const PARAMETERS: Partial<Record<ReportName, Record<string, unknown>>> = {
  stats: { groupBy: 'hour' },
  breakdown: { property: 'plan' },
  conversion: { goal: 'signup', by: 'country' },
  query: {
    date_from: '14d',
    metrics: ['event_count', 'bounce_rate'],
    group_by: ['date', 'event'],
    filters: [],
  },
  funnel: { steps: [{ event: 'page_view' }, { event: 'signup' }], breakdown: 'country' },
  paths: { goal_event: 'signup' },
  eventsLookup: { user_id: 'u1' },
  journey: { user_id: 'u2' },
  journeyByBody: { user_id: 'u3' },
  journeyLookup: { user_id: 'u4' },
}
const HOUR_MS = 3_600_000

/**
 * Visits of 12 users in 9 days: pages, sign-ups, properties of several types. Each event has a time of its
 * own.
 */
export function historyOf(now: number) {
  return Array.from({ length: 90 }, (_, i) => ({
    event: i % 5 === 4 ? 'signup' : 'page_view',
    event_id: `e${i}`,
    user_id: `u${i % 12}`,
    session_id: `s${Math.floor(i / 3)}`,
    timestamp: now - 9 * 24 * HOUR_MS + i * 2 * HOUR_MS + i,
    properties: { path: `/${i % 4}`, plan: i % 2 === 0 ? 'pro' : i, title: 'Größe', utm_source: 'mail' },
  }))
}

export type Report = [ReportName, Route]

export const nameOf = ([, { method, path }]: Report) => `${method} ${path}`

/**
 * Asks a report about the last 14 days of a project with the events of historyOf. The answer is without what
 * each service makes up, and without what the moment of a request decides.
 */
export async function askReport(
  service: Deployment,
  [name, { method, path }]: Report,
  project: string,
): Promise<unknown> {
  const parameters = { project, ...PARAMETERS[name] }
  const isGet = method === 'GET'
  const query = new URLSearchParams(isGet ? (parameters as Record<string, string>) : {})
  const since = path === '/paths' || 'date_from' in parameters ? {} : { since: '14d' }
  const body = isGet ? undefined : { ...since, ...parameters }
  if (isGet && !OWN_PERIOD.has(path)) query.set('since', '14d')
  const response = await service.callJson<unknown>(`${path}?${query}`, { method, body })
  const text = JSON.stringify(response, (key, value) => (MADE_UP.has(key) ? undefined : value))
  return JSON.parse(text.replaceAll(MOMENT_OF_NOTE, '…'))
}

const OWN_PERIOD = new Set(['/insights', '/pages', '/retention'])
/** `since` is the millisecond at which the period of a request begins. */
const MADE_UP = new Set(['id', 'project_id', 'next_before', 'since'])

/** A funnel notes the millisecond from which its window is not over. */
const MOMENT_OF_NOTE = /(?<=WINDOW_NOT_OVER: Whoever began after )\S+/g
