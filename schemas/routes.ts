import type { ErrorCode } from './errors.ts'
import type { Route } from './route.ts'
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

/**
 * Returns every error code of a route: the codes of its row, and the codes that follow from its other fields.
 */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = derivedErrors.filter(([, follows]) => follows(route)).map(([code]) => code)
  return [...new Set([...route.errors, ...codes])]
}

/**
 * Whether the documents of the API list the route: pages are for people, and POST /dev/approve is for tests
 * on one machine.
 */
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
