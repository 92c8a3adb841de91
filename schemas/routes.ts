import type * as z from 'zod'
import type { ErrorCode } from './errors.ts'
import { accountRoutes } from './routes/account.ts'
import { sessionsRoutes } from './routes/agent-sessions.ts'
import { analyticsRoutes } from './routes/analytics.ts'
import { botsRoutes } from './routes/bots.ts'
import { contextsRoutes } from './routes/contexts.ts'
import { experimentsRoutes } from './routes/experiments.ts'
import { ingestionRoutes } from './routes/ingestion.ts'
import { pagesRoutes } from './routes/pages.ts'
import { portfoliosRoutes } from './routes/portfolios.ts'
import { privacyRoutes } from './routes/privacy.ts'
import { projectsRoutes } from './routes/projects.ts'
import { serviceRoutes } from './routes/service.ts'
import { streamingRoutes } from './routes/streaming.ts'
import { trackingRoutes } from './routes/tracking.ts'
import type { Scope } from './scopes.ts'

/** How a caller proves who they are. */
export type CredentialKind = 'api_key' | 'agent_session' | 'cookie' | 'demo'

/** The limits that a plan sets on requests (docs/api/limits.md). */
export type Limit = 'reads_per_minute'

/** Largest request body in bytes (R3). */
export const MAX_BODY_BYTES = 1_048_576

/** One endpoint of the service. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path parameters stand in braces: /projects/{id}. */
  path: string
  /** The group in the OpenAPI document; schemas/routes/ has a file for each. */
  tag: string
  summary: string
  /** The deployed function (a folder of lambdas/) that serves it. */
  function: 'track' | 'reports' | 'stream' | 'control' | 'site' | 'auth' | 'pages'
  /**
   * Who may call: anybody, the holder of a project token (in the body), an account with any of its credentials, or a
   * person with a browser (schemas/routes/pages.ts).
   */
  auth: 'none' | 'project_token' | 'account' | 'browser'
  /** The scope that the credential needs; of several, one is enough. */
  scope?: Scope | readonly [Scope, ...Scope[]]
  /** The kinds of credential that may call; absent: all. An agent session never gets at keys. */
  credentials?: readonly CredentialKind[]
  /** The function sees the cookies of the request. */
  cookies?: true
  /** The plan that the account needs; PRO_REQUIRED without it. */
  tier?: 'pro'
  /** The limit that each request counts toward, also when it fails later. */
  limit?: Limit
  /**
   * The part of the request that names the caller's project. It is checked before any other field (R8). `query_or_first`:
   * without a name it is the oldest project of the account.
   */
  project?: 'query' | 'body' | 'path' | 'body_or_query' | 'query_or_first'
  /** A successful request counts toward the month's reads (docs/api/limits.md). */
  metered?: true
  query?: z.ZodType
  /** Query parameters that may stand several times. Their values are joined by commas. */
  lists?: readonly string[]
  body?: z.ZodType
  /** A body for the OpenAPI document, which works in the project `demo`. */
  example?: Record<string, unknown>
  /** Parameters that several rows share. They stand in the query string, or in the body beside its own fields. */
  options?: z.ZodObject
  /** The body may also be a form, and may be empty. */
  form?: true
  /** The code of a body that breaks a rule; default: MISSING_FIELDS. */
  bodyCode?: ErrorCode
  /** Largest body, where it is less than MAX_BODY_BYTES. */
  maxBodyBytes?: number
  /** With a content type or without a schema the handler writes the response itself; else it is JSON. */
  responses: Record<number, { description: string; schema?: z.ZodType; contentType?: string }>
  /** The error codes of this route that do not follow from its other fields. */
  errors: readonly ErrorCode[]
}

/**
 * Every endpoint. The HTTP servers, the checks of requests, the OpenAPI document and the tests of credentials use these
 * rows.
 */
export const routes = {
  ...ingestionRoutes,
  ...trackingRoutes,
  ...serviceRoutes,
  ...analyticsRoutes,
  ...streamingRoutes,
  ...botsRoutes,
  ...projectsRoutes,
  ...contextsRoutes,
  ...portfoliosRoutes,
  ...experimentsRoutes,
  ...privacyRoutes,
  ...accountRoutes,
  ...sessionsRoutes,
  ...pagesRoutes,
} as const satisfies Record<string, Route>

export type RouteName = keyof typeof routes

/** The error codes that follow from the fields of a route. */
const derivedErrors: [code: ErrorCode, follows: (route: Route) => boolean][] = [
  ['INVALID_BODY', ({ body }) => body !== undefined],
  ['PAYLOAD_TOO_LARGE', ({ method }) => method !== 'GET'],
  ['INVALID_TOKEN', ({ auth }) => auth === 'project_token'],
  ['AUTH_REQUIRED', ({ auth }) => auth === 'account'],
  // The chain reads the query string for the credential, and the string may have bad percent-encoding.
  ['MISSING_FIELDS', ({ auth, body }) => auth === 'account' || body !== undefined],
  // A scope is missing, or the credential is of the wrong kind.
  ['FORBIDDEN', ({ auth }) => auth === 'account'],
  ['PRO_REQUIRED', ({ tier }) => tier !== undefined],
  ['NOT_FOUND', ({ project }) => project !== undefined],
  ['PROJECT_REQUIRED', ({ project }) => project !== undefined && project !== 'path'],
  // The state table, which holds all callers, may be out of reach.
  ['UNAVAILABLE', route => route.function !== 'site'],
  // Athena starts only so many statements a second.
  ['RATE_LIMITED', route => route.limit !== undefined || route.function === 'reports'],
  // Limits of the project's token and caps of the account.
  ['RATE_LIMITED', ({ auth }) => auth === 'project_token'],
  // Guards by address.
  ['RATE_LIMITED', route => route.function === 'auth'],
  // The query is too large for the engine.
  ['QUERY_FAILED', ({ tag }) => tag === 'Analytics'],
  ['INTERNAL_ERROR', () => true],
]

/** Returns every error code of a route: the codes of its row, and the codes that follow from its other fields. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = derivedErrors.filter(([, follows]) => follows(route)).map(([code]) => code)
  return [...new Set([...route.errors, ...codes])]
}

/** Whether the documents of the API list the route: pages are for people, and POST /dev/approve is for tests on one machine. */
export function isDocumented({ auth, path }: Pick<Route, 'auth' | 'path'>): boolean {
  return auth !== 'browser' && !path.startsWith('/dev/')
}

/** Returns the names of a route in an API Gateway, one for each method. A route of GET also serves HEAD. */
export function routeKeys({ method, path }: Pick<Route, 'method' | 'path'>): string[] {
  return (method === 'GET' ? ['GET', 'HEAD'] : [method]).map(name => `${name} ${path}`)
}

/** Returns the names in the braces of a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
}
