import { type RouteName, routes } from '#schemas/routes'

/** What a read needs beside the project and the period, in the query or in the body. */
type Parameters = Record<string, unknown>

/** One read of the trial project. */
export type Question = {
  method: string
  path: string
  query: Record<string, string>
  body: Parameters | null
}

const GERMANS = { field: 'country', op: 'eq', value: 'DE' }
const SIGNED_UP = { did: { event: 'signup' } }
const BUYERS = { person: { field: 'event', op: 'eq', value: 'signup' } }
const MAIL_VISITS = { session: { field: 'properties.utm_source', op: 'eq', value: 'mail' } }
const PRO = { field: 'traits.plan', op: 'eq', value: 'pro' }

/**
 * The reads that the doctor asks, by their routes: each report, and the forms whose SQL is the most unlike,
 * by conditions, groups and metrics. test/lib/doctor/trial.test.ts compares the names with the reports of
 * the service.
 */
export const askedReads = {
  stats: [
    {},
    { compare: 'previous' },
    { groupBy: 'hour' },
    ...[GERMANS, SIGNED_UP, BUYERS, MAIL_VISITS, PRO].map(where => ({ where: JSON.stringify(where) })),
  ],
  events: [{}, { filter: 'properties.plan:exists' }],
  sessions: [{}],
  sessionDistribution: [{}],
  pages: [{}, { where: JSON.stringify(SIGNED_UP) }],
  sources: [{}, { by: 'channel', goal: 'signup' }],
  insights: [{}],
  heatmap: [{}],
  query: [
    { metrics: ['event_count', 'unique_users', 'bounce_rate'], group_by: ['date', 'event'] },
    { metrics: ['sum(value)', 'p50(value)'], group_by: ['properties.plan'] },
    { metrics: ['session_count', 'avg_duration'], group_by: ['channel'], compare: 'previous' },
    { metrics: ['event_count'], where: PRO },
  ],
  funnel: [
    { steps: [{ event: 'page_view' }, { event: 'signup' }], breakdown: 'country' },
    { steps: [{ event: 'page_view' }, { event: 'signup' }], count_by: 'session_id', where: GERMANS },
  ],
  paths: [{ goal_event: 'signup' }],
  retention: [{}, { period: 'day', cohorts: 3 }],
  breakdown: [{ property: 'plan' }],
  conversion: [{ goal: 'signup', by: 'country' }],
  properties: [{}],
  receivedProperties: [{}],
  eventsByBody: [{ event: 'signup' }],
  eventsLookup: [{ user_id: 'doctor-ada' }],
  journey: [{ user_id: 'doctor-ada' }],
  journeyByBody: [{ user_id: 'doctor-ada' }],
  journeyLookup: [{ user_id: 'doctor-ada' }],
} as const satisfies Partial<Record<RouteName, readonly Parameters[]>>

/** The questions about a project, in the order of the table. */
export function questionsOf(project: string): Question[] {
  return Object.entries(askedReads).flatMap(([name, all]: [string, readonly Parameters[]]) => {
    const { method, path } = routes[name as keyof typeof askedReads]
    return all.map(parameters =>
      method === 'GET'
        ? { method, path, query: { project, ...(parameters as Record<string, string>) }, body: null }
        : { method, path, query: {}, body: { project, ...parameters } },
    )
  })
}
