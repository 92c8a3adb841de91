import type { ExampleCall } from '#schemas/website-scans'

/** The calls that a new event makes useful. Each is a complete request of this API. */
export function exampleCalls(
  { event, noun, hasPlace }: { event: string; noun: readonly [string, string]; hasPlace: boolean },
  project: string,
  host: string,
): ExampleCall[] {
  const query = (path: string, values: Record<string, string>) =>
    `${path}?${new URLSearchParams({ project, ...values }).toString()}`
  return [
    {
      question: `How many ${noun[1]} does ${host} get each day, and by how many people?`,
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
    {
      question: `Which campaign brings a ${noun[0]} on ${host}?`,
      method: 'GET',
      path: query('/breakdown', { property: 'utm_source', event, since: '30d' }),
      body: null,
    },
    {
      question: hasPlace
        ? `Which place on the pages of ${host} starts the most ${noun[1]}?`
        : `On which page of ${host} does a ${noun[0]} happen?`,
      method: 'GET',
      path: query('/breakdown', { property: hasPlace ? 'place' : 'path', event, since: '30d' }),
      body: null,
    },
    {
      question: `Which way through ${host} leads to a ${noun[0]}?`,
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
