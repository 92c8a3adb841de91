import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import Negotiator from 'negotiator'
import { ApiError, unavailable } from '#core/errors'
import type { Log } from '#core/ports'
import type { Route } from '#schemas/route'
import { routeKeys, routes } from '#schemas/routes'
import { callerOfApi, callerOfUrl } from './caller-address.ts'
import { requireEdge } from './edge-key.ts'
import type { BufferedResponse, HttpFunction, HttpRequest, HttpResponse } from './http.ts'
import { parseQuery } from './query-string.ts'
import { errorResponse, PREFLIGHT } from './response.ts'
import { routeNotFound } from './route-not-found.ts'
import { streamedRoute, streamsOff } from './streamed-route.ts'
import { visibleHeaders } from './visible-headers.ts'
import { withoutSlash } from './without-slash.ts'

/**
 * The largest result that Lambda accepts, in bytes of JSON. A larger one becomes a 502 without an
 * explanation.
 */
const MAX_RESULT_BYTES = 6 * 1024 * 1024
/** A body with this many characters always fits: a character takes at most 6 bytes in JSON. */
const SMALL_CHARS = 1_000_000

/** How long before the end of a call the timeout response is made, ms. */
const RESPOND_MS = 500
/** How much earlier it is made where statements must be cancelled first, ms. */
const CANCEL_MS = 1_000

/** The route key of a function URL, and of the API's requests without a row. */
const URL_KEY = '$default'

const routesByKey = new Map(
  Object.values<Route>(routes).flatMap(route => routeKeys(route).map(key => [key, route])),
)

/**
 * Serves an HTTP function behind an API Gateway (payload version 2.0), which has a route for each row of
 * schemas/routes.ts. Other requests arrive by `$default`; they get the same responses as from
 * local/http/server.ts.
 * `edgeKey` is what CloudFront sends as X-Footfall-Edge. Other requests are refused; empty allows direct
 * calls (edge-key.ts). `urlOf` names the function if it may have a function URL too, whose events have the
 * same form but no route key: then its rows are found by their paths, which have no parameters.
 */
export function apiGateway(
  serve: HttpFunction,
  log: Log,
  edgeKey: string,
  urlOf: Route['function'] | null = null,
) {
  return async function answerEvent(
    event: APIGatewayProxyEventV2,
    signal?: AbortSignal,
  ): Promise<APIGatewayProxyStructuredResultV2> {
    const { method, sourceIp } = event.requestContext.http
    const headers = headersOf(event)
    const route = findRoute(event, urlOf)
    const name = route === undefined ? 'routing' : `${route.method} ${route.path}`
    const callerOf = event.routeKey === URL_KEY ? callerOfUrl : callerOfApi
    try {
      requireEdge(headers, edgeKey)
      const response =
        route === undefined
          ? respondWithoutRoute(method, event)
          : await serve(route, toRequest(event, headers, route, callerOf(sourceIp, headers, edgeKey), signal))
      return fitToLimit(requireBuffered(response), method, headers)
    } catch (error) {
      return toResult(errorResponse(error, name, log), method)
    }
  }
}

/**
 * The response to a call that Lambda would end soon. API Gateway's own response would have neither JSON nor
 * CORS headers. Lambda freezes the process after a response. So this one first waits until the statements of
 * the call are cancelled:
 * `waitUntilIdle` resolves then, at the latest after `withinMs`.
 */
export function timeoutResponse(log: Log, waitUntilIdle?: (withinMs: number) => Promise<void>) {
  return {
    before: waitUntilIdle === undefined ? RESPOND_MS : RESPOND_MS + CANCEL_MS,
    async respond() {
      log('REQUEST_LATE')
      await waitUntilIdle?.(CANCEL_MS)
      const error = unavailable('The request took too long. Send it again, or ask for less data.', 5)
      return toResult(errorResponse(error, 'late', log), 'GET')
    },
  }
}

/**
 * The row of a request. A function URL calls a function with `$default` for every path, and so does the API
 * for paths without a row; those go to `site`, which has no URL.
 */
function findRoute(
  { routeKey, rawPath, requestContext }: APIGatewayProxyEventV2,
  urlOf: Route['function'] | null,
): Route | undefined {
  if (routeKey !== URL_KEY) return routesByKey.get(routeKey)
  const route = routesByKey.get(`${requestContext.http.method} ${rawPath}`)
  return route?.function === urlOf ? route : undefined
}

function respondWithoutRoute(
  method: string,
  { rawPath, rawQueryString }: Pick<APIGatewayProxyEventV2, 'rawPath' | 'rawQueryString'>,
): BufferedResponse {
  if (method === 'OPTIONS') return PREFLIGHT
  if (streamedRoute(method, rawPath) !== undefined) throw streamsOff()
  const page = withoutSlash(method, rawQueryString === '' ? rawPath : `${rawPath}?${rawQueryString}`)
  if (page !== null) return page
  throw routeNotFound(method, rawPath)
}

/** The request of a function, from the event of an HTTP API or of a function URL. */
export function toRequest(
  event: Omit<APIGatewayProxyEventV2, 'requestContext'>,
  headers: Record<string, string | undefined>,
  route: Route,
  ip: string,
  signal: AbortSignal | undefined,
): HttpRequest {
  const { body = '', isBase64Encoded, rawPath, rawQueryString, pathParameters } = event
  return {
    method: route.method,
    path: rawPath,
    // Without parameters API Gateway leaves them out, and the emulator of the rehearsal sends null.
    params: (pathParameters ?? {}) as Record<string, string>,
    query: parseQuery(route, rawQueryString),
    headers: visibleHeaders(route, headers),
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    ip,
    ...(signal !== undefined && { signal }),
  }
}

/**
 * The headers with lower-case names, and the cookies as one header again. API Gateway sends lower-case names
 * and joins the values of a repeated header by commas; its test console does not.
 */
export function headersOf({
  headers,
  cookies,
}: Pick<APIGatewayProxyEventV2, 'headers' | 'cookies'>): Record<string, string | undefined> {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return Object.fromEntries(
    cookies === undefined ? lowerCase : [...lowerCase, ['cookie', cookies.join('; ')]],
  )
}

/** An HTTP API cannot stream. GET /stream has an address of its own (lambdas/http/function-url.ts). */
function requireBuffered(response: HttpResponse): BufferedResponse {
  if (response.body instanceof ReadableStream) throw new Error('an HTTP API cannot send a stream')
  return response as BufferedResponse
}

/**
 * The response as Lambda takes it. A response that is too large is compressed, or refused if the client reads
 * no gzip.
 */
function fitToLimit(
  response: BufferedResponse,
  method: string,
  headers: Record<string, string | undefined>,
): APIGatewayProxyStructuredResultV2 {
  const result = toResult(response, method)
  if (isSmallEnough(result)) return result
  if (new Negotiator({ headers }).encoding(['gzip']) === 'gzip') {
    const compressed = toResult(gzip(response), method)
    if (isSmallEnough(compressed)) return compressed
  }
  throw new ApiError(
    'MISSING_FIELDS',
    'The response is larger than 6 MB. Send a smaller `limit`, or the header `Accept-Encoding: gzip`.',
  )
}

function isSmallEnough(result: APIGatewayProxyStructuredResultV2): boolean {
  if ((result.body?.length ?? 0) <= SMALL_CHARS) return true
  return Buffer.byteLength(JSON.stringify(result)) <= MAX_RESULT_BYTES
}

function gzip({ status, headers, body }: BufferedResponse): BufferedResponse {
  return {
    status,
    headers: { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
    body: gzipSync(body),
  }
}

function toResult(
  { status, headers, body, cookies }: BufferedResponse,
  method: string,
): APIGatewayProxyStructuredResultV2 {
  const head = { statusCode: status, headers, ...(cookies !== undefined && { cookies: [...cookies] }) }
  if (method === 'HEAD' || status === 204 || status === 304) return head
  if (typeof body === 'string') return { ...head, body }
  return {
    ...head,
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  }
}
