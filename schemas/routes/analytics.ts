import { eventsQuery, eventsResponse } from '../events.ts'
import type { Route } from '../routes.ts'
import { statsQuery, statsResponse } from '../stats.ts'

export const analyticsRoutes = {
  stats: {
    method: 'GET',
    path: '/stats',
    tag: 'Analytics',
    summary: 'Totals, series, top events, sessions and countries of a project',
    function: 'reports',
    auth: 'account',
    scope: 'analytics:read',
    project: 'query',
    limit: 'reads_per_minute',
    metered: true,
    query: statsQuery,
    responses: { 200: { description: 'The report', schema: statsResponse } },
    errors: ['INVALID_SINCE'],
  },
  events: {
    method: 'GET',
    path: '/events',
    tag: 'Analytics',
    summary: 'Stored events of a project, newest first',
    function: 'reports',
    auth: 'account',
    scope: 'analytics:read',
    project: 'query',
    limit: 'reads_per_minute',
    metered: true,
    query: eventsQuery,
    responses: { 200: { description: 'The events', schema: eventsResponse } },
    errors: ['INVALID_SINCE'],
  },
} as const satisfies Record<string, Route>
