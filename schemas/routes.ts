import * as z from 'zod'
import type { ErrorCode } from './errors.ts'
import { queuedBatchResponse, queuedResponse, trackBatch, trackedEvent } from './event.ts'
import {
  createdProject,
  createProject,
  deletedProject,
  projectList,
  projectRecord,
  readProject,
  updateProject,
} from './projects.ts'
import { analyticsRoutes } from './routes/analytics.ts'

export const SCOPES = [
  'account:read',
  'projects:read',
  'projects:write',
  'analytics:read',
  'experiments:read',
  'experiments:write',
  'feedback:write',
  'live:read',
] as const
export type Scope = (typeof SCOPES)[number]

/** Limits that a plan sets on calls (contract 6). */
export type Limit = 'reads_per_minute'

/** Largest request body in bytes (contract R3). */
export const MAX_BODY_BYTES = 1_048_576

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path parameters stand in braces: /projects/{id}. */
  path: string
  tag: string
  summary: string
  /** The deployed function (folder of lambdas/) that answers. */
  function: 'track' | 'reports' | 'control' | 'site'
  /** Who may call: anybody, the holder of a project token (in the body), or an account by any of its credentials. */
  auth: 'none' | 'project_token' | 'account'
  scope?: Scope
  /** The plan that the account needs; PRO_REQUIRED without it. */
  tier?: 'pro'
  /** The limit that each call counts toward, also when it fails later. */
  limit?: Limit
  /** Where the request names the project that the caller must own; found before any other field is looked at (R8). */
  project?: 'query' | 'body' | 'path'
  /** A successful call counts toward the month's reads (contract 6). */
  metered?: true
  query?: z.ZodType
  body?: z.ZodType
  /** With a content type or without a schema the handler writes the response itself; else it is JSON. */
  responses: Record<number, { description: string; schema?: z.ZodType; contentType?: string }>
  /** Codes that this route answers, beside those that follow from the other fields. */
  errors: readonly ErrorCode[]
}

const script = { contentType: 'application/javascript' }
const ingestionErrors = [
  'INVALID_EVENT',
  'INVALID_PROPERTIES',
  'INVALID_TIMESTAMP',
  'MISSING_FIELDS',
  'FORBIDDEN',
] as const satisfies ErrorCode[]

/** Every endpoint. The HTTP front, the API Gateway, the checks, the OpenAPI document and the credential tests read it. */
export const routes = {
  track: {
    method: 'POST',
    path: '/track',
    tag: 'Ingestion',
    summary: 'Store one event',
    function: 'track',
    auth: 'project_token',
    body: trackedEvent,
    responses: { 202: { description: 'The event is on disk', schema: queuedResponse } },
    errors: ingestionErrors,
  },
  trackBatch: {
    method: 'POST',
    path: '/track/batch',
    tag: 'Ingestion',
    summary: 'Store up to 100 events of one project',
    function: 'track',
    auth: 'project_token',
    body: trackBatch,
    responses: { 202: { description: 'The events are on disk', schema: queuedBatchResponse } },
    errors: [...ingestionErrors, 'BATCH_TOO_LARGE', 'MIXED_TOKENS'],
  },
  trackerJs: {
    method: 'GET',
    path: '/tracker.js',
    tag: 'Tracking',
    summary: 'The browser tracker',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The script, with its SHA-256 in X-Tracker-SHA256', ...script } },
    errors: [],
  },
  trackerSource: {
    method: 'GET',
    path: '/tracker.src.js',
    tag: 'Tracking',
    summary: 'The browser tracker, readable',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The same script before it is made small', ...script } },
    errors: [],
  },
  health: {
    method: 'GET',
    path: '/health',
    tag: 'Service',
    summary: 'Whether the service answers',
    function: 'site',
    auth: 'none',
    responses: {
      200: {
        description: 'It does',
        schema: z.object({ status: z.literal('ok'), service: z.string() }).meta({ id: 'Health' }),
      },
    },
    errors: [],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This document',
    function: 'site',
    auth: 'none',
    responses: {
      200: {
        description: 'OpenAPI 3.1',
        schema: z.looseObject({ openapi: z.string() }),
        contentType: 'application/json',
      },
    },
    errors: [],
  },
  ...analyticsRoutes,
  listProjects: {
    method: 'GET',
    path: '/projects',
    tag: 'Projects',
    summary: "The account's projects, oldest first",
    function: 'control',
    auth: 'account',
    scope: 'projects:read',
    responses: { 200: { description: 'The projects', schema: projectList } },
    errors: [],
  },
  createProject: {
    method: 'POST',
    path: '/projects',
    tag: 'Projects',
    summary: 'Create a project',
    function: 'control',
    auth: 'account',
    scope: 'projects:write',
    body: createProject,
    responses: {
      201: { description: 'Created', schema: createdProject },
      200: { description: 'The account had a project of this name already', schema: createdProject },
    },
    errors: ['DUPLICATE_ORIGIN'],
  },
  readProject: {
    method: 'GET',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'One project, by id or name',
    function: 'control',
    auth: 'account',
    scope: 'projects:read',
    project: 'path',
    responses: { 200: { description: 'The project', schema: readProject } },
    errors: [],
  },
  updateProject: {
    method: 'PATCH',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Change name, allowed origins or link domains',
    function: 'control',
    auth: 'account',
    scope: 'projects:write',
    project: 'path',
    body: updateProject,
    responses: { 200: { description: 'The project', schema: projectRecord } },
    errors: ['DUPLICATE_ORIGIN', 'NAME_LOCKED', 'NAME_EXISTS'],
  },
  deleteProject: {
    method: 'DELETE',
    path: '/projects/{id}',
    tag: 'Projects',
    summary: 'Delete a project; its token dies at once',
    function: 'control',
    auth: 'account',
    scope: 'projects:write',
    project: 'path',
    responses: { 200: { description: 'Deleted', schema: deletedProject } },
    errors: [],
  },
} as const satisfies Record<string, Route>

export type RouteName = keyof typeof routes

/** Every code that a route can answer: those of its row, and those that follow from its other fields. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = [...route.errors]
  if (route.body) codes.push('INVALID_BODY')
  if (route.method !== 'GET') codes.push('PAYLOAD_TOO_LARGE')
  if (route.auth === 'project_token') codes.push('INVALID_TOKEN')
  // MISSING_FIELDS also for a query string with bad percent-encoding, where the credential may stand.
  if (route.auth === 'account') codes.push('AUTH_REQUIRED', 'MISSING_FIELDS')
  if (route.scope) codes.push('FORBIDDEN')
  if (route.tier) codes.push('PRO_REQUIRED')
  if (route.limit) codes.push('RATE_LIMITED')
  if (route.project) codes.push('NOT_FOUND')
  if (route.project && route.project !== 'path') codes.push('PROJECT_REQUIRED')
  // Whoever calls is looked up in the state, which may be out of reach.
  if (route.auth !== 'none') codes.push('UNAVAILABLE')
  // Athena takes so many statements a second and no more.
  if (route.function === 'reports') codes.push('RATE_LIMITED')
  codes.push('INTERNAL_ERROR')
  return [...new Set(codes)]
}

/** How an API Gateway names the row, once a method: HEAD is asked of whatever can be got. */
export function routeKeys({ method, path }: Pick<Route, 'method' | 'path'>): string[] {
  return (method === 'GET' ? ['GET', 'HEAD'] : [method]).map(each => `${each} ${path}`)
}

/** The names in the braces of a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
}
