import type { ExampleCall, Placement } from '#schemas/website-scans'

type NewEvent = {
  event: string
  noun: readonly [string, string]
  method: Placement['method']
  /** Path of the first page of the site. */
  start: string
}

/**
 * The calls that a new event makes useful. Each is a complete request of this API. An event of a server has
 * no page and no campaign of its own: a funnel finds those of the same user.
 */
export function exampleCalls(
  { event, noun, method, start }: NewEvent,
  project: string,
  host: string,
): ExampleCall[] {
  const hasPlace = method === 'attribute'
  const way = (breakdown: string) => ({
    project,
    steps: [
      { event: 'page_view', filters: [{ property: 'path', op: 'eq', value: start }] },
      { event, filters: [] },
    ],
    breakdown,
    since: '30d',
  })
  const query = (path: string, values: Record<string, string>) =>
    `${path}?${new URLSearchParams({ project, ...values }).toString()}`
  const pageQuestions = (): ExampleCall[] => [
    {
      question: `Which campaigns lead to ${noun[1]} on ${host}?`,
      method: 'GET',
      path: query('/breakdown', { property: 'utm_source', event, since: '30d' }),
      body: null,
    },
    {
      question: hasPlace
        ? `Which place on the pages of ${host} brings the most ${noun[1]}?`
        : `Which pages of ${host} have the most ${noun[1]}?`,
      method: 'GET',
      path: query('/breakdown', { property: hasPlace ? 'place' : 'path', event, since: '30d' }),
      body: null,
    },
  ]
  const serverQuestions = (): ExampleCall[] =>
    [
      [`Which campaigns lead to ${noun[1]} on ${host}?`, 'utm_source'],
      [`Which devices do the ${noun[1]} of ${host} come from?`, 'device'],
    ].map(([question = '', breakdown = '']) => ({
      question,
      method: 'POST',
      path: '/funnel',
      body: way(breakdown),
    }))
  return [
    {
      question: `How many ${noun[1]} does ${host} have each day, and from how many people?`,
      method: 'POST',
      path: '/query',
      body: {
        project,
        metrics: ['event_count', 'unique_users'],
        group_by: ['date'],
        filters: [{ field: 'event', op: 'eq', value: event }],
        date_from: '30d',
        count_mode: 'raw',
      },
    },
    ...(method === 'server' ? serverQuestions() : pageQuestions()),
    {
      question: `Which pages of ${host} do people see before ${withArticle(noun[0])}?`,
      method: 'POST',
      path: '/paths',
      body: { project, goal_event: event, since: '30d' },
    },
  ]
}

/** A call on one line, as an agent sends it. */
export function callLine({ method, path, body }: ExampleCall): string {
  return body === null ? `${method} ${path}` : `${method} ${path} ${JSON.stringify(body)}`
}

/** A noun with its article. All nouns of the templates begin as they sound, but for `user` and `one`. */
function withArticle(noun: string): string {
  return `${/^[aeio]|^u(?!s)/.test(noun) ? 'an' : 'a'} ${noun}`
}
