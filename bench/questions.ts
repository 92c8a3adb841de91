/**
 * The questions of bench -- reads: one for each report, with the goal of a project of 10M events in 30 days.
 */

export type Question = {
  name: string
  /** Goal, ms. */
  goalMs: number
  /** The days of the range. */
  days: number
  path: string
  query?: Record<string, string>
  /** The question has a body, so it is a POST. */
  body?: Record<string, unknown>
}

const STEPS = ['page_view', 'signup', 'purchase'].map(event => ({ event }))
const LONG_STEPS = [
  ...Array.from({ length: 6 }, () => ({ event: 'page_view' })),
  { event: 'signup' },
  { event: 'purchase' },
]

/** People who have bought something in the range. */
const BUYERS = { did: { event: 'purchase' } }

/** `userId` is the id of some user of the project. */
export function questions(userId: string): Question[] {
  const since = { since: '30d' }
  const dates = { date_from: '30d' }
  const list: (Omit<Question, 'days'> & { days?: number })[] = [
    { name: 'stats 1 day', goalMs: 100, path: '/stats', query: { since: '1d' }, days: 1 },
    { name: 'stats 7 days', goalMs: 300, path: '/stats', query: { since: '7d' }, days: 7 },
    { name: 'stats', goalMs: 500, path: '/stats', query: since },
    { name: 'query by date', goalMs: 400, path: '/query', body: { ...dates, group_by: ['date'] } },
    { name: 'query by event', goalMs: 400, path: '/query', body: { ...dates, group_by: ['event'] } },
    {
      name: 'query with a property filter',
      goalMs: 500,
      path: '/query',
      body: {
        ...dates,
        group_by: ['date'],
        filters: [{ field: 'properties.plan', op: 'eq', value: 'pro' }],
      },
    },
    { name: 'breakdown by path', goalMs: 500, path: '/breakdown', query: { ...since, property: 'path' } },
    {
      name: 'breakdown by a JSON key',
      goalMs: 600,
      path: '/breakdown',
      query: { ...since, property: 'plan' },
    },
    { name: 'insights', goalMs: 500, path: '/insights', query: { period: '30d' } },
    { name: 'pages', goalMs: 500, path: '/pages', query: { ...since, type: 'both' } },
    { name: 'sessions', goalMs: 500, path: '/sessions', query: since },
    { name: 'distribution', goalMs: 500, path: '/sessions/distribution', query: since },
    { name: 'heatmap', goalMs: 700, path: '/heatmap', query: since },
    { name: 'retention', goalMs: 700, path: '/retention', query: { period: 'week', cohorts: '4' } },
    { name: 'funnel of 3 steps', goalMs: 1_000, path: '/funnel', body: { ...since, steps: STEPS } },
    {
      name: 'funnel of 8 steps by country',
      goalMs: 2_000,
      path: '/funnel',
      body: { ...since, steps: LONG_STEPS, breakdown: 'country' },
    },
    { name: 'paths', goalMs: 1_000, path: '/paths', body: { ...since, goal_event: 'signup' } },
    { name: 'events', goalMs: 100, path: '/events', query: since },
    { name: 'journey of one user', goalMs: 200, path: '/journey', query: { ...since, user_id: userId } },
    { name: 'properties', goalMs: 300, path: '/properties', query: since },
    {
      name: 'chosen stats of a country',
      goalMs: 1_000,
      path: '/stats',
      query: { ...since, filter: 'country:eq:DE' },
    },
    {
      name: 'chosen stats of a property',
      goalMs: 1_500,
      path: '/stats',
      query: { ...since, filter: 'properties.plan:eq:pro' },
    },
    {
      name: 'sources by channel with a goal',
      goalMs: 700,
      path: '/sources',
      query: { ...since, by: 'channel', goal: 'signup' },
    },
    {
      name: 'chosen pages of buyers',
      goalMs: 1_500,
      path: '/pages',
      query: { ...since, type: 'both', where: JSON.stringify(BUYERS) },
    },
    {
      name: 'chosen retention of buyers',
      goalMs: 1_500,
      path: '/retention',
      query: { period: 'week', cohorts: '4', where: JSON.stringify(BUYERS) },
    },
    {
      name: 'chosen funnel of a country',
      goalMs: 1_500,
      path: '/funnel',
      body: { ...since, steps: STEPS, where: { field: 'country', op: 'eq', value: 'DE' } },
    },
  ]
  return list.map(question => ({ days: 30, ...question }))
}
