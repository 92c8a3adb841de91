import type { ToolCall } from './questions.ts'

/** A request by HTTP. A GET has its parameters in the path. */
export type HttpCall = { method: 'GET' | 'POST'; path: string; body?: object }

// biome-ignore lint/suspicious/noExplicitAny: an agent does not check what it reads
type Body = any

/** A question about the demo, as an agent asks it by HTTP and by MCP. */
export type DemoQuestion = {
  id: string
  text: string
  http: HttpCall
  /** The numbers of the answer by HTTP, each as MCP writes it. */
  numbers(body: Body): string[]
  mcp: ToolCall
}

const DEMO = 'demo'
const json = (path: string, fields: Record<string, string>): HttpCall => ({
  method: 'GET',
  path: `${path}?${new URLSearchParams({ project: DEMO, ...fields, compact: 'true' })}`,
})

/** The rows of a compact list. */
export function rowsOf([names, ...rows]: Body[] = [[]]): Record<string, Body>[] {
  return rows.map(cells => Object.fromEntries(names.map((name: string, i: number) => [name, cells[i]])))
}

const PRICES = [
  { event: 'page_view', filters: [{ property: 'path', op: 'eq', value: '/pricing' }] },
  { event: 'signup' },
]

/**
 * What comes before the questions by HTTP: where everything is, access, and the parameters that the examples
 * of /llms.txt do not show. A client knows the others from there.
 */
export const HTTP_BEGINNING: readonly HttpCall[] = [
  { method: 'GET', path: '/llms.txt' },
  { method: 'POST', path: '/demo/session' },
  { method: 'GET', path: '/openapi.json?path=/insights,/conversion,/retention' },
]

/** The first call of MCP: which projects, events and properties there are. */
export const MCP_BEGINNING: readonly ToolCall[] = [{ tool: 'overview', args: { project: DEMO } }]

/** `user`: the id of somebody with many events. */
export function tenQuestions(user: string): DemoQuestion[] {
  const ask = (tool: string, args: object): ToolCall => ({ tool, args: { project: DEMO, ...args } })
  const conversion = (by: string): Pick<DemoQuestion, 'http' | 'mcp' | 'numbers'> => ({
    http: json('/conversion', { goal: 'signup', by, since: '30d', min_users: '20' }),
    numbers: body => {
      const [best] = rowsOf(body.values)
      return [String(best?.value), String(best?.converted)]
    },
    mcp: ask('journeys', { kind: 'conversion', goal: 'signup', by, since: '30d' }),
  })
  return [
    {
      id: 'month',
      text: 'Did this month bring more visitors than the month before?',
      http: json('/insights', { period: '30d' }),
      numbers: body => [String(body.metrics.unique_users.current)],
      mcp: ask('query', { report: 'totals', since: '29d', compare: true }),
    },
    {
      id: 'entry-pages',
      text: 'On which pages do visits begin?',
      http: json('/pages', { since: '30d', type: 'entry', limit: '5' }),
      numbers: body => {
        const [first] = rowsOf(body.entry_pages)
        return [String(first?.page), String(first?.sessions)]
      },
      mcp: ask('query', { report: 'pages', since: '30d', limit: 5 }),
    },
    {
      id: 'prices-to-signup',
      text: 'How many who see the prices sign up?',
      http: { method: 'POST', path: '/funnel', body: { project: DEMO, steps: PRICES, since: '30d' } },
      numbers: body => body.steps.map(({ users }: { users: number }) => String(users)),
      mcp: ask('journeys', { kind: 'funnel', steps: PRICES, since: '30d' }),
    },
    { id: 'best-country', text: 'Which country signs up most often?', ...conversion('country') },
    { id: 'best-source', text: 'Which source signs up most often?', ...conversion('source') },
    {
      id: 'busiest-hour',
      text: 'When are most visitors there, in Berlin?',
      http: json('/heatmap', { since: '27d', tz: 'Europe/Berlin', fields: 'peak' }),
      numbers: body => [String(body.peak.events)],
      mcp: ask('query', { report: 'hours', since: '27d', tz: 'Europe/Berlin' }),
    },
    {
      id: 'who-comes-back',
      text: 'Who comes back week by week?',
      http: json('/retention', { period: 'week', cohorts: '4' }),
      numbers: body => rowsOf(body.cohorts).map(({ users }) => String(users)),
      mcp: ask('journeys', { kind: 'retention', period: 'week', cohorts: 4 }),
    },
    {
      id: 'experiment',
      text: 'Is the experiment decided?',
      http: { method: 'GET', path: '/experiments/exp_demo_signup_cta' },
      numbers: body => [String(body.results.decision), String(body.results.variants[0].unique_users)],
      mcp: ask('query', { report: 'experiments', experiment: 'exp_demo_signup_cta' }),
    },
    {
      id: 'crawlers',
      text: 'Which crawlers come most?',
      http: json('/bot-traffic', { period: '7d', limit: '5' }),
      numbers: body => {
        const [most] = rowsOf(body.actors)
        return [String(most?.actor), String(most?.requests)]
      },
      mcp: ask('query', { report: 'bots', since: '7d', limit: 5 }),
    },
    {
      id: 'one-visitor',
      text: `What did ${user} do first?`,
      http: json('/journey', {
        ...{ user_id: user, order: 'asc', since: '30d', limit: '20', fields: 'timestamp,event,path' },
      }),
      numbers: body => rowsOf(body.events).map(({ event }) => String(event)),
      mcp: ask('people', { user_id: user, oldest_first: true, since: '30d', limit: 20 }),
    },
  ]
}

/** The call that finds somebody with many events, for the last question. */
export const FIND_USER = {
  http: {
    method: 'POST',
    path: '/query',
    body: {
      ...{ project: DEMO, metrics: ['event_count'], group_by: ['user_id'], count_mode: 'raw', limit: 1 },
      date_from: '30d',
    },
  } satisfies HttpCall,
  userOf: (body: Body): string => String(body.rows[0].user_id),
  mcp: {
    tool: 'query',
    args: { project: DEMO, metrics: ['event_count'], group_by: ['user_id'], since: '30d', limit: 1 },
  } satisfies ToolCall,
}
