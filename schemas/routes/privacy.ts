import {
  erasePersonBody,
  erasePersonQuery,
  erasure,
  erasureDryRun,
  erasureList,
  erasureStarted,
  listErasuresQuery,
} from '#schemas/erasures'
import type { Route } from '#schemas/route'

export const privacyRoutes = {
  erasePerson: {
    method: 'DELETE',
    path: '/users/{id}',
    tag: 'Privacy',
    summary: 'Erase a person',
    // It reads the lake to say whether the user is known.
    function: 'reports',
    auth: 'account',
    scope: 'projects:write',
    project: 'query',
    limits: ['reads_per_minute'],
    query: erasePersonQuery,
    body: erasePersonBody,
    emptyBody: true,
    responses: {
      200: { description: 'With `dry_run=true`: what an erasure would cover', schema: erasureDryRun },
      202: { description: 'The events are hidden, and will be removed', schema: erasureStarted },
    },
    errors: ['CONFIRMATION_REQUIRED'],
  },
  listErasures: {
    method: 'GET',
    path: '/erasures',
    tag: 'Privacy',
    summary: 'Erased ids, as hashes',
    function: 'control',
    auth: 'account',
    scope: 'exports:read',
    project: 'query',
    query: listErasuresQuery,
    responses: { 200: { description: 'Hashes of erased ids', schema: erasureList } },
    errors: [],
  },
  readErasure: {
    method: 'GET',
    path: '/erasures/{id}',
    tag: 'Privacy',
    summary: 'How far an erasure is',
    function: 'control',
    auth: 'account',
    scope: 'projects:read',
    responses: { 200: { description: 'The receipt', schema: erasure } },
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Route>
