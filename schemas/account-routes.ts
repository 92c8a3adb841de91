import * as z from 'zod'
import { accountRecord, accountUsage, auditLog, auditQuery, feedback, issuedKey } from './account.ts'
import { okResponse, sessionList } from './agent-sessions.ts'
import {
  contextQuery,
  MAX_CONTEXT_BYTES,
  portfolioContextResponse,
  projectContextResponse,
  putPortfolioContext,
  putProjectContext,
} from './contexts.ts'
import { wholeNumber } from './fields.ts'
import type { Route } from './routes.ts'

/** The account and the contexts of projects (contract 1.4 and 1.7). */

const account = { tag: 'Account', function: 'control', auth: 'account' } as const
const projects = { tag: 'Projects', function: 'control', auth: 'account' } as const

export const accountRoutes = {
  readAccount: {
    ...account,
    method: 'GET',
    path: '/account',
    summary: 'The account of the credential',
    scope: 'account:read',
    responses: { 200: { description: 'The account', schema: accountRecord } },
    errors: [],
  },
  readAccountUsage: {
    ...account,
    method: 'GET',
    path: '/account/usage',
    summary: 'Usage of this month, limits, and what a human can do about them',
    scope: 'account:read',
    responses: { 200: { description: 'The usage', schema: accountUsage } },
    errors: [],
  },
  listAgentSessions: {
    ...account,
    method: 'GET',
    path: '/account/agent-sessions',
    summary: "The account's agent sessions, newest first",
    scope: 'account:read',
    responses: { 200: { description: 'The sessions', schema: sessionList } },
    errors: [],
  },
  sendFeedback: {
    ...account,
    method: 'POST',
    path: '/account/feedback',
    summary: 'Tell the operator of the service something',
    scope: 'feedback:write',
    body: feedback,
    responses: { 200: { description: 'Stored', schema: okResponse } },
    errors: [],
  },
  rotateApiKey: {
    ...account,
    method: 'POST',
    path: '/account/revoke-key',
    summary: 'Replace the API key; the old one is dead at once',
    credentials: ['api_key', 'cookie'],
    responses: { 200: { description: 'The new key', schema: issuedKey } },
    errors: [],
  },
  issueApiKey: {
    ...account,
    method: 'POST',
    path: '/account/api-key',
    summary: 'Create the API key; for a signed-in human only',
    credentials: ['cookie'],
    responses: { 201: { description: 'The key', schema: issuedKey } },
    errors: [],
  },
  readAudit: {
    ...account,
    method: 'GET',
    path: '/account/audit',
    summary: 'Who did what in the last 30 days, newest first',
    scope: 'account:read',
    query: auditQuery,
    responses: { 200: { description: 'The entries', schema: auditLog } },
    errors: [],
  },
  readProjectUsage: {
    ...projects,
    method: 'GET',
    path: '/projects/{id}/usage',
    summary: 'Events and reads of a project by day',
    scope: 'projects:read',
    project: 'path',
    query: z.object({ days: wholeNumber('days', 1, 90).default(7) }),
    responses: {
      200: {
        description: 'The usage',
        schema: z
          .object({
            project: z.string(),
            days: z.int(),
            rows: z.array(z.object({ date: z.string(), event_count: z.int(), read_count: z.int() })),
          })
          .meta({ id: 'ProjectUsage' }),
      },
    },
    errors: [],
  },
  readProjectContext: {
    ...projects,
    method: 'GET',
    path: '/project-context',
    summary: 'What the numbers of a project mean: goals, activation, words, annotations',
    scope: ['projects:read', 'analytics:read'],
    project: 'query',
    query: contextQuery,
    responses: { 200: { description: 'The context', schema: projectContextResponse } },
    errors: [],
  },
  putProjectContext: {
    ...projects,
    method: 'PUT',
    path: '/project-context',
    summary: 'Replace the context of a project',
    scope: 'projects:write',
    project: 'body_or_query',
    body: putProjectContext,
    bodyCode: 'INVALID_BODY',
    maxBodyBytes: MAX_CONTEXT_BYTES,
    responses: { 200: { description: 'The stored context', schema: projectContextResponse } },
    errors: [],
  },
  readPortfolioContext: {
    ...projects,
    method: 'GET',
    path: '/portfolio-context',
    summary: 'What the projects of the account have in common',
    scope: 'account:read',
    responses: { 200: { description: 'The context', schema: portfolioContextResponse } },
    errors: [],
  },
  putPortfolioContext: {
    ...projects,
    method: 'PUT',
    path: '/portfolio-context',
    summary: 'Replace the portfolio context',
    scope: 'projects:write',
    body: putPortfolioContext,
    bodyCode: 'INVALID_BODY',
    maxBodyBytes: MAX_CONTEXT_BYTES,
    responses: { 200: { description: 'The stored context', schema: portfolioContextResponse } },
    errors: [],
  },
} as const satisfies Record<string, Route>
