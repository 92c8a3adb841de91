import { accountRecord, accountUsage, auditLog, auditQuery, feedback, issuedKey } from '#schemas/account'
import { okResponse, sessionList } from '#schemas/agent-sessions'
import type { Route } from '#schemas/route'

/** The account (docs/api/account.md). */

const account = { tag: 'Account', function: 'control', auth: 'account' } as const

export const accountRoutes = {
  readAccount: {
    ...account,
    method: 'GET',
    path: '/account',
    summary: 'The account',
    scope: 'account:read',
    responses: { 200: { description: 'The account', schema: accountRecord } },
    errors: [],
  },
  readAccountUsage: {
    ...account,
    method: 'GET',
    path: '/account/usage',
    summary: 'Usage of this month, and limits',
    scope: 'account:read',
    responses: { 200: { description: 'The usage', schema: accountUsage } },
    errors: [],
  },
  listAgentSessions: {
    ...account,
    method: 'GET',
    path: '/account/agent-sessions',
    summary: 'Agent sessions',
    scope: 'account:read',
    responses: { 200: { description: 'The sessions', schema: sessionList } },
    errors: [],
  },
  sendFeedback: {
    ...account,
    method: 'POST',
    path: '/account/feedback',
    summary: 'Tell the operator something',
    scope: 'feedback:write',
    body: feedback,
    responses: { 200: { description: 'Stored', schema: okResponse } },
    errors: [],
  },
  rotateApiKey: {
    ...account,
    method: 'POST',
    path: '/account/revoke-key',
    summary: 'Replace the API key at once',
    credentials: ['api_key', 'cookie'],
    responses: { 200: { description: 'The new key', schema: issuedKey } },
    errors: [],
  },
  issueApiKey: {
    ...account,
    method: 'POST',
    path: '/account/api-key',
    summary: 'Create the API key; a human only',
    credentials: ['cookie'],
    responses: { 201: { description: 'The key', schema: issuedKey } },
    errors: [],
  },
  readAudit: {
    ...account,
    method: 'GET',
    path: '/account/audit',
    summary: 'Who did what in the last 30 days',
    scope: 'account:read',
    query: auditQuery,
    responses: { 200: { description: 'The entries', schema: auditLog } },
    errors: [],
  },
} as const satisfies Record<string, Route>
