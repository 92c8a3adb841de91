import type { ErrorCode } from './errors.ts'
import type { Route } from './route.ts'
import { accountRoutes } from './routes/account.ts'
import { sessionsRoutes } from './routes/agent-sessions.ts'
import { analyticsRoutes } from './routes/analytics.ts'
import { botsRoutes } from './routes/bots.ts'
import { contextsRoutes } from './routes/contexts.ts'
import { experimentsRoutes } from './routes/experiments.ts'
import { ingestionRoutes } from './routes/ingestion.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { pagesRoutes } from './routes/pages.ts'
import { portfoliosRoutes } from './routes/portfolios.ts'
import { privacyRoutes } from './routes/privacy.ts'
import { projectsRoutes } from './routes/projects.ts'
import { serviceRoutes } from './routes/service.ts'
import { sessionReplayRoutes } from './routes/session-replay.ts'
import { streamingRoutes } from './routes/streaming.ts'
import { trackingRoutes } from './routes/tracking.ts'
import { websiteScansRoutes } from './routes/website-analysis.ts'

/**
 * Every endpoint. The HTTP servers, the checks of requests, the OpenAPI document and the tests of credentials
 * use these rows.
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
  ...sessionReplayRoutes,
  ...accountRoutes,
  ...sessionsRoutes,
  ...mcpRoutes,
  ...websiteScansRoutes,
  ...pagesRoutes,
} as const satisfies Record<string, Route>

export type RouteName = keyof typeof routes

/**
 * The error codes that follow from the fields of a route, and the words that say of which operations: an
 * operation of the OpenAPI document does not list such a code again. null: it lists the code.
 */
export const derivedErrors: {
  code: ErrorCode
  of: string | null
  follows: (route: Route) => boolean
}[] = [
  { code: 'INVALID_BODY', of: 'with a body', follows: ({ body }) => body !== undefined },
  { code: 'PAYLOAD_TOO_LARGE', of: 'other than GET', follows: ({ method }) => method !== 'GET' },
  // One machine alone: API Gateway reads the whole request before it calls a function.
  { code: 'REQUEST_TIMEOUT', of: 'other than GET', follows: ({ method }) => method !== 'GET' },
  { code: 'INVALID_TOKEN', of: null, follows: ({ auth }) => auth === 'project_token' },
  { code: 'AUTH_REQUIRED', of: 'with security', follows: ({ auth }) => auth === 'account' },
  // The chain reads the query string for the credential, and the string may have bad percent-encoding.
  {
    code: 'MISSING_FIELDS',
    of: 'with security or a body',
    follows: ({ auth, body }) => auth === 'account' || body !== undefined,
  },
  // A scope is missing, or the credential is of the wrong kind.
  { code: 'FORBIDDEN', of: 'with security', follows: ({ auth }) => auth === 'account' },
  { code: 'PRO_REQUIRED', of: null, follows: ({ tier }) => tier !== undefined },
  { code: 'NOT_FOUND', of: 'of a project', follows: ({ project }) => project !== undefined },
  {
    code: 'PROJECT_REQUIRED',
    of: 'with `project`',
    follows: ({ project }) => project !== undefined && project !== 'path',
  },
  // The state table, which holds all callers, may be out of reach.
  { code: 'UNAVAILABLE', of: 'of any kind', follows: route => route.function !== 'site' },
  // Athena starts only so many statements a second. The project's token and the account have limits, and
  // routes of sign-in have guards by address.
  {
    code: 'RATE_LIMITED',
    of: 'of any kind',
    follows: ({ auth, limits, function: name }) =>
      limits !== undefined || auth === 'project_token' || name === 'reports' || name === 'auth',
  },
  { code: 'INVALID_SINCE', of: 'with `since`', follows: route => hasField(route, 'since') },
  { code: 'INVALID_FILTER_FIELD', of: 'with `where`', follows: route => hasField(route, 'where') },
  { code: 'INVALID_PROPERTY_KEY', of: 'with `where`', follows: route => hasField(route, 'where') },
  // The query is too large for the engine.
  { code: 'QUERY_FAILED', of: 'of Analytics', follows: ({ tag }) => tag === 'Analytics' },
  { code: 'INTERNAL_ERROR', of: 'of any kind', follows: () => true },
]

function hasField({ query, body }: Route, name: string): boolean {
  const schema = body ?? query
  return schema !== undefined && 'shape' in schema && name in (schema.shape as object)
}

/**
 * Returns every error code of a route: the codes of its row, and the codes that follow from its other fields.
 */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = derivedErrors.filter(({ follows }) => follows(route)).map(({ code }) => code)
  return [...new Set([...route.errors, ...codes])]
}

/** Returns the codes of a route that do not follow from what its operation in the OpenAPI document shows. */
export function listedErrorsOf(route: Route): ErrorCode[] {
  const isShown = (code: ErrorCode) =>
    derivedErrors.some(each => each.code === code && each.of !== null && each.follows(route))
  return errorsOf(route).filter(code => !isShown(code))
}

/**
 * Whether the documents of the API list the route: pages are for people, POST /dev/approve is for tests on
 * one machine, /mcp describes itself to its clients, /replay/ and /app/ are for scripts of the service, and
 * docs/tracker.md names the other addresses of the tracker. The address of a file of an export comes with the
 * export.
 */
export function isDocumented({ auth, path, tag }: Pick<Route, 'auth' | 'path' | 'tag'>): boolean {
  return (
    auth !== 'browser' &&
    tag !== 'MCP' &&
    !/^\/(dev|replay|tracker|app)\/|^\/exports\/\{id\}\/files\/|\.src\.js$/.test(path)
  )
}

/**
 * The endpoints that the documents list, with their names. Without a demo they leave out what only a demo
 * has.
 */
export function documentedRoutes(mayHaveDemo = true): [string, Route][] {
  return Object.entries<Route>(routes).filter(
    ([, route]) => isDocumented(route) && (mayHaveDemo || !route.path.startsWith('/demo/')),
  )
}

/** Returns the names of a route in an API Gateway, one for each method. A route of GET also serves HEAD. */
export function routeKeys({ method, path }: Pick<Route, 'method' | 'path'>): string[] {
  return (method === 'GET' ? ['GET', 'HEAD'] : [method]).map(name => `${name} ${path}`)
}

/** Returns the names in the braces of a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
}
