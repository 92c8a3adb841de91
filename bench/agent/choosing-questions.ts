import { type DemoQuestion, rowsOf } from './ten-questions.ts'

/**
 * Ten questions about a part of the demo's traffic: a first and a last day, people or sessions that a
 * condition chooses, and where they came from. Each is one call by HTTP and one by MCP.
 */

// biome-ignore lint/suspicious/noExplicitAny: an agent does not check what it reads
type Body = any
type Asked = Pick<DemoQuestion, 'http' | 'numbers' | 'mcp'>

const DEMO = 'demo'
/** Whole weeks before today, so that the answer of a run is not that of an hour. */
const DATES = { since: '21d', until: '1d' }

const SEARCH = { person: { field: 'channel', op: 'eq', value: 'organic_search' } }
const GERMANY = { person: { field: 'country', op: 'eq', value: 'DE' } }
const MOBILE = { field: 'properties.device', op: 'eq', value: 'mobile' }
const SAW_PRICES = { session: { field: 'properties.path', op: 'glob', value: '/pricing*' } }
const SIGNED_UP = { did: { event: 'signup' } }
const BOUGHT = { did: { event: 'purchase' } }
const WEEKEND = { field: 'weekday', op: 'in', value: [0, 6] }
const STEPS = [{ event: 'page_view' }, { event: 'signup_started' }, { event: 'signup' }]

function get(path: string, fields: Record<string, string | object>): DemoQuestion['http'] {
  const texts = Object.entries({ project: DEMO, ...fields, compact: 'true' }).map(
    ([name, value]): [string, string] => [name, typeof value === 'string' ? value : JSON.stringify(value)],
  )
  return { method: 'GET', path: `${path}?${new URLSearchParams(texts)}` }
}

const post = (path: string, fields: object): DemoQuestion['http'] => ({
  method: 'POST',
  path,
  body: { project: DEMO, ...fields },
})
const ask = (tool: string, args: object): DemoQuestion['mcp'] => ({ tool, args: { project: DEMO, ...args } })

/** Totals of what a condition chooses. */
function totals(where: object): Asked {
  return {
    http: get('/stats', { ...DATES, where, fields: 'totals,sessions' }),
    numbers: body => [String(body.totals.unique_users), String(body.sessions.total_sessions)],
    mcp: ask('query', { report: 'totals', ...DATES, where }),
  }
}

/** One metric of what a condition chooses, by one field. */
function best(metric: string, group: string, where: object): Asked {
  const asked = { metrics: [metric], group_by: [group], where, limit: 5, count_mode: 'raw' }
  return {
    http: post('/query', { ...asked, date_from: DATES.since, date_to: DATES.until }),
    numbers: ({ rows: [first] }: Body) => [String(first[group]), String(first[metric])],
    mcp: ask('query', { ...asked, ...DATES }),
  }
}

export const choosingQuestions: readonly DemoQuestion[] = [
  {
    id: 'searchers-return',
    text: 'Of those from a search engine, in Germany: who comes back week by week?',
    http: get('/retention', { ...DATES, period: 'week', where: { and: [SEARCH, GERMANY] } }),
    numbers: (body: Body) => rowsOf(body.cohorts).map(({ users }) => String(users)),
    mcp: ask('journeys', { kind: 'retention', ...DATES, period: 'week', where: { and: [SEARCH, GERMANY] } }),
  },
  {
    id: 'channel-of-phones',
    text: 'Which channel brings most sign-ups on phones?',
    http: get('/sources', { ...DATES, by: 'channel', goal: 'signup', where: MOBILE }),
    numbers: (body: Body) => {
      const [first] = rowsOf(body.rows)
      return [String(first?.value), String(first?.sessions), String(first?.conversions)]
    },
    mcp: ask('journeys', { kind: 'sources', ...DATES, by: 'channel', goal: 'signup', where: MOBILE }),
  },
  {
    id: 'saw-the-prices',
    text: 'How many visitors and sessions saw the prices in these three weeks?',
    ...totals(SAW_PRICES),
  },
  {
    id: 'never-bought',
    text: 'How many signed up and never bought?',
    ...totals({ and: [SIGNED_UP, { not: BOUGHT }] }),
  },
  {
    id: 'buyers-begin',
    text: 'On which pages do the visits of buyers begin?',
    http: get('/pages', { ...DATES, type: 'entry', limit: '5', where: BOUGHT }),
    numbers: (body: Body) => {
      const [first] = rowsOf(body.entry_pages)
      return [String(first?.page), String(first?.sessions)]
    },
    mcp: ask('query', { report: 'pages', ...DATES, limit: 5, where: BOUGHT }),
  },
  {
    id: 'funnel-of-searchers',
    text: 'Where do visitors from search engines leave before they sign up?',
    http: post('/funnel', { ...DATES, steps: STEPS, where: SEARCH }),
    numbers: (body: Body) => body.steps.map(({ users }: { users: number }) => String(users)),
    mcp: ask('journeys', { kind: 'funnel', ...DATES, steps: STEPS, where: SEARCH }),
  },
  {
    id: 'weekend-countries',
    text: 'From which country do most visitors come at weekends?',
    ...best('unique_users', 'country', WEEKEND),
  },
  {
    id: 'long-sessions',
    text: 'Which channel has most sessions of over five minutes?',
    ...best('session_count', 'channel', { session: { field: 'duration', op: 'gt', value: 300_000 } }),
  },
  {
    id: 'new-people-sign-up',
    text: 'Which source of new visitors converts best?',
    http: get('/conversion', {
      ...{ ...DATES, goal: 'signup', by: 'source' },
      where: { field: 'is_new', op: 'eq', value: true },
    }),
    numbers: (body: Body) => {
      const [first] = rowsOf(body.values)
      return [String(first?.value), String(first?.converted)]
    },
    mcp: ask('journeys', {
      ...{ kind: 'conversion', ...DATES, goal: 'signup', by: 'source' },
      where: { field: 'is_new', op: 'eq', value: true },
    }),
  },
  {
    id: 'week-against-week',
    text: 'Did visitors on phones become more than in the week before?',
    http: get('/stats', {
      since: '7d',
      until: '1d',
      compare: 'previous',
      where: MOBILE,
      fields: 'totals,previous',
    }),
    numbers: (body: Body) =>
      [body.totals, body.previous.totals].map(({ unique_users }) => String(unique_users)),
    mcp: ask('query', { report: 'totals', since: '7d', until: '1d', compare: true, where: MOBILE }),
  },
]
