import { eventsQuery, eventsResponse } from '../events.ts'
import {
  breakdownQuery,
  breakdownResponse,
  propertiesQuery,
  propertiesResponse,
  receivedPropertiesQuery,
  receivedPropertiesResponse,
} from '../properties.ts'
import type { Route } from '../routes.ts'
import {
  distributionQuery,
  distributionResponse,
  heatmapQuery,
  heatmapResponse,
  insightsQuery,
  insightsResponse,
  pagesQuery,
  pagesResponse,
  sessionsQuery,
  sessionsResponse,
} from '../sessions.ts'
import { statsQuery, statsResponse } from '../stats.ts'

/** What all reports have in common. */
const report = {
  tag: 'Analytics',
  function: 'reports',
  auth: 'account',
  scope: 'analytics:read',
  project: 'query',
  limit: 'reads_per_minute',
  metered: true,
  errors: ['INVALID_SINCE'],
} as const satisfies Partial<Route>

/** The analytics reads (contract 1.3). Free and Pro, or Pro only, as the contract's table says. */
export const analyticsRoutes = {
  stats: {
    ...report,
    method: 'GET',
    path: '/stats',
    summary: 'Totals, series, top events, sessions and countries of a project',
    query: statsQuery,
    responses: { 200: { description: 'The report', schema: statsResponse } },
  },
  events: {
    ...report,
    method: 'GET',
    path: '/events',
    summary: 'Stored events of a project, newest first',
    query: eventsQuery,
    responses: { 200: { description: 'The events', schema: eventsResponse } },
  },
  sessions: {
    ...report,
    method: 'GET',
    path: '/sessions',
    summary: 'Sessions of a project, newest start first',
    tier: 'pro',
    query: sessionsQuery,
    responses: { 200: { description: 'The sessions', schema: sessionsResponse } },
  },
  sessionDistribution: {
    ...report,
    method: 'GET',
    path: '/sessions/distribution',
    summary: 'Sessions by duration',
    tier: 'pro',
    query: distributionQuery,
    responses: { 200: { description: 'The report', schema: distributionResponse } },
  },
  pages: {
    ...report,
    method: 'GET',
    path: '/pages',
    summary: 'Sessions by the page on which they began or ended',
    tier: 'pro',
    query: pagesQuery,
    responses: { 200: { description: 'The report', schema: pagesResponse } },
  },
  insights: {
    ...report,
    method: 'GET',
    path: '/insights',
    summary: 'Totals of a period beside those of the period before it',
    tier: 'pro',
    query: insightsQuery,
    responses: { 200: { description: 'The report', schema: insightsResponse } },
    errors: [],
  },
  heatmap: {
    ...report,
    method: 'GET',
    path: '/heatmap',
    summary: 'Events by weekday and hour',
    tier: 'pro',
    query: heatmapQuery,
    responses: { 200: { description: 'The report', schema: heatmapResponse } },
  },
  breakdown: {
    ...report,
    method: 'GET',
    path: '/breakdown',
    summary: 'Events and users by the value of a property',
    query: breakdownQuery,
    responses: { 200: { description: 'The report', schema: breakdownResponse } },
    errors: ['INVALID_SINCE', 'INVALID_PROPERTY_KEY'],
  },
  properties: {
    ...report,
    method: 'GET',
    path: '/properties',
    summary: 'Events and property keys of a project',
    query: propertiesQuery,
    responses: { 200: { description: 'The report', schema: propertiesResponse } },
  },
  receivedProperties: {
    ...report,
    method: 'GET',
    path: '/properties/received',
    summary: 'Which property keys came with which events',
    query: receivedPropertiesQuery,
    responses: { 200: { description: 'The report', schema: receivedPropertiesResponse } },
  },
} as const satisfies Record<string, Route>
