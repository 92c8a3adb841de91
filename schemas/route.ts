import type * as z from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'

/** How a caller proves who they are. */
export type CredentialKind = 'api_key' | 'agent_session' | 'cookie' | 'demo' | 'share_link'

/** The limits that a plan sets on requests (docs/api/limits.md). */
export type Limit = 'reads_per_minute' | 'reads_per_month'

/** The limits of a report: it is a metered read. */
export const METERED = ['reads_per_minute', 'reads_per_month'] as const satisfies readonly Limit[]

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
  function: 'track' | 'reports' | 'stream' | 'control' | 'site' | 'auth' | 'pages' | 'mcp' | 'replay'
  /**
   * Who may call: anybody, the holder of a project token (in the body), an account with any of its
   * credentials, or a person with a browser (schemas/routes/pages.ts).
   */
  auth: 'none' | 'project_token' | 'account' | 'browser'
  /** The scope that the credential needs; of several, one is enough. */
  scope?: Scope | readonly [Scope, ...Scope[]]
  /** The kinds of credential that may call; absent: all. An agent session never gets at keys. */
  credentials?: readonly CredentialKind[]
  /**
   * The path below the protected resource metadata that its 401 names (RFC 9728); absent: that of the
   * service.
   */
  resource?: '/mcp'
  /** The function sees the cookies of the request. */
  cookies?: true
  /** The plan that the account needs; PRO_REQUIRED without it. */
  tier?: 'pro'
  /**
   * The limits that each request counts toward, in the order in which they are checked. A failed request uses
   * up the minute, not the month.
   */
  limits?: readonly Limit[]
  /**
   * The part of the request that names the caller's project. It is checked before any other field (R8).
   * `query_or_first`: without a name it is the oldest project of the account.
   */
  project?: 'query' | 'body' | 'path' | 'body_or_query' | 'query_or_first'
  query?: z.ZodType
  /** Query parameters that may stand several times. Their values come as lines of one text. */
  lists?: readonly string[]
  body?: z.ZodType
  /** A body for the OpenAPI document, which works in the project `demo`. */
  example?: Record<string, unknown>
  /**
   * Parameters that several rows share. They stand in the query string, or in the body beside its own fields.
   */
  options?: z.ZodObject
  /** The body may also be a form, and may be empty. */
  form?: true
  /** The body may be empty, because no field of it is needed. */
  emptyBody?: true
  /** The code of a body that breaks a rule; default: MISSING_FIELDS. */
  bodyCode?: ErrorCode
  /** Largest body, where it is less than MAX_BODY_BYTES. */
  maxBodyBytes?: number
  /** Deepest JSON of the body, in objects and lists inside each other, where it is not MAX_JSON_DEPTH. */
  maxBodyDepth?: number
  /**
   * Most values in the objects and lists of the body, where it is not MAX_JSON_VALUES: for a route that looks
   * at few of those that it gets.
   */
  maxBodyValues?: number
  /** With a content type or without a schema the handler writes the response itself; else it is JSON. */
  responses: Record<number, { description: string; schema?: z.ZodType; contentType?: string }>
  /** The error codes of this route that do not follow from its other fields. */
  errors: readonly ErrorCode[]
}

/** Whether a successful request counts as a read of the month (docs/api/limits.md). */
export function isMetered({ limits = [] }: Pick<Route, 'limits'>): boolean {
  return limits.includes('reads_per_month')
}
