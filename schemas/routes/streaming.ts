import { liveOptions, liveQuery, liveResponse, streamQuery } from '#schemas/live'
import { METERED, type Route } from '#schemas/route'

/** What the live reads have in common. */
const live = {
  tag: 'Streaming',
  auth: 'account',
  scope: 'live:read',
  tier: 'pro',
  project: 'query_or_first',
  limits: METERED,
} as const satisfies Partial<Route>

/** The reads of the last five minutes (docs/api/live.md). */
export const streamingRoutes = {
  live: {
    ...live,
    method: 'GET',
    path: '/live',
    summary: 'What happens now',
    function: 'reports',
    query: liveQuery,
    options: liveOptions,
    responses: { 200: { description: 'The last seconds', schema: liveResponse } },
    errors: [],
  },
  stream: {
    ...live,
    method: 'GET',
    path: '/stream',
    summary:
      'Events as they arrive, server-sent. After a disconnection, send the id of the last event as Last-Event-ID',
    function: 'stream',
    query: streamQuery,
    responses: {
      200: {
        description:
          'Blocks: `connected`, `track` for each event, the comment `:heartbeat` after 30 s of silence. On AWS it ends after 5 minutes',
        contentType: 'text/event-stream',
      },
    },
    errors: ['STREAM_LIMIT', 'STREAMS_OFF'],
  },
} as const satisfies Record<string, Route>
