import type { Route } from '#schemas/route'
import { createScan, readScanQuery, scanResponse, upgradeScan } from '#schemas/scan-requests'
import { scanVerification } from '#schemas/website-scans'

/** Website analyses (docs/api/website-scans.md). */

const common = { tag: 'Website Analysis', function: 'control' } as const
const found = { 200: { description: 'The analysis', schema: scanResponse } }
/** Bodies are one address and a few words. */
const maxBodyBytes = 16_384
const BEGINS = ['INVALID_URL', 'SCAN_BUSY', 'SCAN_FAILED'] as const

export const websiteScansRoutes = {
  createScan: {
    ...common,
    method: 'POST',
    path: '/website-scans',
    summary: 'Analyse a website',
    auth: 'none',
    cookies: true,
    body: createScan,
    maxBodyBytes,
    responses: found,
    errors: [...BEGINS, 'AUTH_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
  },
  createProjectScan: {
    ...common,
    method: 'POST',
    path: '/cli/website-scans',
    summary: 'Analyse the website of a project',
    auth: 'account',
    scope: 'projects:write',
    body: createScan,
    maxBodyBytes,
    responses: found,
    errors: [...BEGINS, 'NOT_FOUND'],
  },
  readScan: {
    ...common,
    method: 'GET',
    path: '/website-scans/{id}',
    summary: 'An analysis, by token or owner',
    auth: 'none',
    cookies: true,
    query: readScanQuery,
    responses: found,
    errors: ['AUTH_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'],
  },
  upgradeScan: {
    ...common,
    method: 'POST',
    path: '/website-scans/{id}/upgrade',
    summary: 'Make it full',
    // Without a scope: the human has signed in for it, with whatever the agent asked for.
    auth: 'account',
    credentials: ['api_key', 'agent_session', 'cookie'],
    body: upgradeScan,
    form: true,
    maxBodyBytes,
    responses: found,
    errors: [...BEGINS, 'NOT_FOUND'],
  },
  verifyScan: {
    ...common,
    method: 'POST',
    path: '/website-scans/{id}/verify',
    summary: 'Which events arrived',
    // The counts come from the lake.
    function: 'reports',
    auth: 'account',
    scope: 'analytics:read',
    responses: { 200: { description: 'Each event of the plan', schema: scanVerification } },
    errors: ['NOT_FOUND', 'QUERY_FAILED'],
  },
} as const satisfies Record<string, Route>
