import * as z from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { summaryOf } from './documented-as.ts'
import { type ErrorCode, errorCodes } from './errors.ts'
import { anyRead, RECEIPT_HEADER } from './read-options.ts'
import { type CredentialKind, isMetered, type Route } from './route.ts'
import { derivedErrors, documentedRoutes, listedErrorsOf, pathParameters, routes } from './routes.ts'
import type { OpenApi } from './share-parts.ts'
import { VISITOR_WORDS } from './visitor-words.ts'

const TAGS = {
  Ingestion: 'Send events, with the public token of a project.',
  Analytics: 'Reports of one project, for an account.',
  Streaming: 'The last minutes of a project.',
  Bots: 'Requests of bots: counted, never stored or billed.',
  Projects: 'One for each site or app.',
  Contexts: 'What the owner says about the numbers.',
  Portfolios: 'Projects whose users are the same people.',
  Experiments: 'Tests of texts in pages.',
  'Session Replay': 'Masked recordings of pages.',
  'Website Analysis': 'From the address of a website to a plan of what to track on it.',
  Privacy: 'Erasure of a person, with a receipt.',
  Account: 'Plan, usage, keys, sessions, audit log.',
  'Agent Sessions': 'How an agent gets access; GET /auth.md tells it in steps.',
  Tracking: 'The browser tracker as a script.',
  Service: 'The service itself.',
} as const

/** What every client must know. */
const DESCRIPTION = `Web analytics that AI agents and scripts query over HTTP.

Create a project with POST /projects, put its snippet into the page (or send events to POST /track with the project's
public token), then call GET /stats. GET /projects lists your projects; GET /properties lists the events and property keys
that you can ask for. Bodies are JSON in UTF-8, whatever the Content-Type is. A null in an optional field means that the
field is absent. Unknown fields and parameters are ignored; \`warnings\` names them. Every error is \`{error, message}\`: \`error\`
is a code that the operation lists, or one that the response \`Errors\`, which every operation has, names with its kind in brackets.
An operation with a scope takes an API key, or an agent session that has the scope. A metered one counts as a read of the
month when it succeeds, and its response has the headers \`X-Monthly-Usage\` (events of the account in this calendar month, UTC) and
\`${RECEIPT_HEADER}\` (\`engine=duckdb; rows=1200; bytes=8400; ms=12; fresh_until=1795219200000; exact=true; cost_usd=0; data_from=2026-11-01\`).
\`?tag=\` and \`?path=\` cut this document: \`/openapi.json?path=/stats,/query\`.

In responses times are Unix milliseconds as numbers or ISO 8601 as texts, durations are milliseconds, and dates are \`YYYY-MM-DD\` in \`tz\`.
A \`…_rate\` is from 0 to 1, and a \`…_pct\` is a percentage. \`unique_users\` counts persons: ids that POST /identify has linked are one.
A session is all events with one \`session_id\`. /numbers.md defines all counts and rates.
A list that a limit has cut says \`truncated: true\`.

${VISITOR_WORDS}`

const errorResponse = z
  .looseObject({
    error: z.string().meta({ description: 'A code of the response `Errors`' }),
    message: z.string().meta({ description: 'What is wrong, and what to do next' }),
  })
  .meta({
    id: 'Error',
    description:
      'Some codes have more fields: `resource_metadata` (401), `required_scope` (FORBIDDEN), `reason` (RATE_LIMITED), `suggested_field` and `available_properties` (INVALID_FILTER_FIELD), `bad_events` (bad events of a batch)',
  })

const ACCOUNT_SECURITY: Record<string, string[]>[] = [
  { bearer: [] },
  { apiKeyHeader: [] },
  { apiKeyQuery: [] },
]

/** The version of the interface. The version of the package is another one. */
const VERSION = '1.0.0'

/**
 * Makes the OpenAPI 3.1 document of the whole service from the routes table: parameters, bodies, responses,
 * and every error code of each route. The hint of a code stands once, in a shared response. `baseUrl` is the
 * address of the service. `part`: the routes of the API, some shapes as one sentence; the same for an install
 * without a demo; or every route with every shape, for the pages of docs/.
 */
export function openApiDocument(
  baseUrl: string,
  part: 'api' | 'without_demo' | 'everything' = 'api',
): OpenApi {
  const paths: ZodOpenApiPathsObject = {}
  const isWhole = part === 'everything'
  const rows = isWhole ? Object.entries<Route>(routes) : documentedRoutes(part === 'api')
  for (const [name, route] of rows) {
    const method = route.method.toLowerCase() as Lowercase<Route['method']>
    paths[route.path] = { ...paths[route.path], [method]: toOperation(name, route) }
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Footfall',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { url: `${baseUrl}/numbers.md`, description: 'What each count and rate means' },
    servers: [{ url: baseUrl }],
    security: ACCOUNT_SECURITY,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      responses: sharedErrors(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An agent session, aas_…' },
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, aak_…' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-footfall-session',
          description: 'A signed-in browser, on a page of this service',
        },
        apiKeyQuery: { type: 'apiKey', in: 'query', name: 'key', description: 'An API key, aak_…' },
      },
    },
  }
  const whole = createDocument(document, {
    override: ({ jsonSchema, zodSchema, io }) => {
      const summary = isWhole ? undefined : summaryOf(zodSchema)
      if (summary !== undefined) {
        for (const name of Object.keys(jsonSchema)) delete jsonSchema[name]
        Object.assign(jsonSchema, summary)
        return
      }
      // Responses may get new fields, so a client must not reject an unknown field.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // Any other field is allowed without these words, too.
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties
      // zod leaves the default out where it also transforms the value, as of a number in a query string.
      const { def } = zodSchema._zod
      if (io === 'input' && def.type === 'default') jsonSchema.default = def.defaultValue
      shortenNullable(jsonSchema)
      // The bounds of JavaScript's integers are no rule of the service.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      // The text of the document says these of all responses.
      if (io === 'output' && SAID_OF_ALL.has(String(jsonSchema.description))) delete jsonSchema.description
      // The constant says its type.
      if ('const' in jsonSchema) delete jsonSchema.type
      // Every name of a field is a text.
      delete jsonSchema.propertyNames
    },
  })
  return JSON.parse(JSON.stringify(whole, (name, value) => (isNoParameters(name, value) ? undefined : value)))
}

/** An operation without parameters needs no empty list of them. */
function isNoParameters(name: string, value: unknown): boolean {
  return name === 'parameters' && Array.isArray(value) && value.length === 0
}

/** Units that DESCRIPTION gives. */
const SAID_OF_ALL = new Set(['Unix ms', 'ms', '0 to 1', '0 to 100', 'ISO 8601'])

type JsonSchema = Record<string, unknown>

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0
}

/** Writes a value of one type or null as one schema with two types, which says the same in fewer words. */
function shortenNullable(jsonSchema: JsonSchema): void {
  const [value, none, ...others] = (jsonSchema.anyOf ?? []) as JsonSchema[]
  if (none?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string') return
  delete jsonSchema.anyOf
  const own = { ...jsonSchema }
  Object.assign(jsonSchema, value, own, { type: [value.type, 'null'] })
  if (Array.isArray(value.enum)) jsonSchema.enum = [...value.enum, null]
}

function toOperation(name: string, route: Route): ZodOpenApiOperationObject {
  const parameters = pathParameters(route.path)
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.auth !== 'none' && { description: describeCaller(route) }),
    ...(securityOf(route) !== ACCOUNT_SECURITY && { security: securityOf(route) }),
    requestParams: {
      ...(parameters.length > 0 && {
        path: z.object(
          Object.fromEntries(
            parameters.map(parameter => [
              parameter,
              parameter === 'id' && route.project !== 'path' ? ID_IN_PATH : (inPath[parameter] ?? z.string()),
            ]),
          ),
        ),
      }),
      query: queryParameters(route),
    },
    ...(route.body && {
      requestBody: {
        required: !(route.form ?? route.emptyBody),
        content: {
          'application/json': {
            schema: bodyWithOptions(route.body, route.options),
            ...(route.example && { example: route.example }),
          },
          ...(route.form && { 'application/x-www-form-urlencoded': { schema: route.body } }),
        },
      },
    }),
    responses: { ...successResponses(route), ...errorResponses(route) },
  }
}

const ID_IN_PATH = z.string()

/** How each kind of credential is sent; demo sessions and share links are sent like an agent session. */
const SECURITY: Record<CredentialKind, Record<string, string[]>[]> = {
  agent_session: [{ bearer: [] }],
  demo: [],
  share_link: [],
  api_key: [{ apiKeyHeader: [] }, { apiKeyQuery: [] }],
  cookie: [{ cookie: [] }],
}

function securityOf({ auth, credentials }: Route): Record<string, string[]>[] {
  if (auth !== 'account') return []
  return credentials === undefined ? ACCOUNT_SECURITY : credentials.flatMap(kind => SECURITY[kind])
}

const inPath: Record<string, z.ZodType> = {
  id: z.string().meta({ description: "The project's id or name", example: 'demo' }),
  view: z.string(),
  link: z.string(),
  idOrSlug: z.string().meta({ description: "The portfolio's id or slug", example: 'acme' }),
  version: z.string().meta({
    description: 'The name in the header X-Tracker-Path or X-Replay-Path',
    example: '4f1c09ab23de5678.js',
  }),
}

/** The query parameters of a row. Those of a GET have its options; in a POST they are fields of the body. */
function queryParameters({ query, options, method }: Route): z.ZodObject {
  return z.object({
    ...(query instanceof z.ZodObject && query.shape),
    ...(method === 'GET' && options?.shape),
  })
}

/** A body with the options of its row. A client may also send them in the query string. */
function bodyWithOptions(body: z.ZodType, options: Route['options']): z.ZodType {
  return body instanceof z.ZodObject && options !== undefined ? body.safeExtend(options.shape) : body
}

/** Who may call a route that not everybody may call: an operation without security says that by itself. */
function describeCaller(route: Route): string {
  if (route.auth === 'project_token') return "The project's public token (aat_…) stands in the body."
  const metered = isMetered(route) ? ' Metered.' : ''
  if (route.credentials !== undefined) return `An account calls it, with ${route.credentials.join(' or ')}.`
  if (route.scope === undefined) return 'An account calls it, with any credential.'
  const scopes = [route.scope].flat().map(scope => `\`${scope}\``)
  return `Scope ${scopes.join(' or ')}.${metered}`
}

function successResponses(route: Route): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, { description, schema, contentType }]) => [
      status,
      {
        description: schema === undefined ? description : description.replace(/^The [\w ]+$/, 'OK'),
        content: {
          [contentType ?? 'application/json']: { schema: withForms(schema, route.options) ?? z.string() },
        },
      },
    ]),
  )
}

/**
 * A read with options may also respond in the forms that these ask for. `AnyRead` has the fields that options
 * add to any read, too: a response may have more fields than its schema.
 */
function withForms(schema: z.ZodType | undefined, options: Route['options']): z.ZodType | undefined {
  return schema === undefined || options === undefined ? schema : z.union([schema, anyRead])
}

/** All errors have one shape, so an operation refers to one response for all of their statuses. */
const ERRORS = 'Errors'

const allCodes = Object.keys(errorCodes) as ErrorCode[]

/** The response to every request that fails, with the status of each code; its message says what to do. */
function sharedErrors(): Record<string, ZodOpenApiResponseObject> {
  return {
    [ERRORS]: {
      description: [...Map.groupBy(allCodes, code => errorCodes[code].status)]
        .map(([status, codes]) => `${status} ${codes.map(code => code + ofOperations(code)).join(', ')}`)
        .join('\n'),
      headers: z.object(errorHeaders),
      content: { 'application/json': { schema: errorResponse } },
    },
  }
}

/** Of which operations a code is that follows from what they show. */
function ofOperations(code: ErrorCode): string {
  const of = derivedErrors.find(each => each.code === code)?.of
  return typeof of === 'string' ? ` (${of})` : ''
}

const errorHeaders = {
  'Retry-After': z.string().optional().meta({ description: 'Seconds to wait (429 and 503)' }),
  'WWW-Authenticate': z
    .string()
    .optional()
    .meta({ description: 'Bearer resource_metadata="…": where to sign in (AUTH_REQUIRED)' }),
}

/**
 * Refers to the shared response, so that a generated client types the errors of every operation. The text
 * beside the reference lists the codes that do not follow from what the operation shows.
 */
function errorResponses(route: Route): ZodOpenApiResponsesObject {
  const description = listedErrorsOf(route).join(' ')
  const $ref = `#/components/responses/${ERRORS}`
  return { default: description === '' ? { $ref } : { $ref, description } }
}
