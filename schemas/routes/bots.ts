import {
  accountBotTrafficQuery,
  accountBotTrafficResponse,
  botTrafficQuery,
  botTrafficResponse,
} from '#schemas/bot-traffic'
import { readOptions } from '#schemas/read-options'
import { METERED, type Route } from '#schemas/route'

const botTraffic = {
  tag: 'Bots',
  function: 'reports',
  auth: 'account',
  method: 'GET',
  limits: METERED,
  options: readOptions,
  errors: [],
} as const satisfies Partial<Route>

/** The requests of bots that tracking has dropped (docs/api/bots.md). */
export const botsRoutes = {
  botTraffic: {
    ...botTraffic,
    path: '/bot-traffic',
    summary: 'Requests of bots',
    scope: 'analytics:read',
    project: 'query',
    query: botTrafficQuery,
    responses: { 200: { description: 'The overview', schema: botTrafficResponse } },
  },
  accountBotTraffic: {
    ...botTraffic,
    path: '/account/bot-traffic',
    summary: 'The same, all projects',
    scope: ['analytics:read', 'account:read'],
    query: accountBotTrafficQuery,
    responses: { 200: { description: 'The overview', schema: accountBotTrafficResponse } },
  },
} as const satisfies Record<string, Route>
