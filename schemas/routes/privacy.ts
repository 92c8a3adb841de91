import { erasePersonQuery, erasure, erasureStarted } from '../erasures.ts'
import type { Route } from '../routes.ts'

export const privacyRoutes = {
  erasePerson: {
    method: 'DELETE',
    path: '/users/{id}',
    tag: 'Privacy',
    summary: 'Erase a person: all events of the user id that have arrived',
    // It reads the lake to say whether the user is known.
    function: 'reports',
    auth: 'account',
    scope: 'projects:write',
    project: 'query',
    limit: 'reads_per_minute',
    query: erasePersonQuery,
    responses: {
      202: { description: 'The events are hidden, and will be removed', schema: erasureStarted },
    },
    errors: [],
  },
  readErasure: {
    method: 'GET',
    path: '/erasures/{id}',
    tag: 'Privacy',
    summary: 'How far an erasure is, and what it has removed',
    function: 'control',
    auth: 'account',
    scope: 'projects:read',
    responses: { 200: { description: 'The receipt', schema: erasure } },
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Route>
