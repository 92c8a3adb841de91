import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { ApiError, unavailable } from '#core/errors'
import type { Log } from '#core/ports'
import { type Route, routeKeys, routes } from '#schemas/routes'
import type { HttpFunction, HttpRequest, HttpResponse } from './http.ts'
import { parseQuery } from './query-string.ts'
import { errorResponse, PREFLIGHT } from './response.ts'
import { routeNotFound } from './route-not-found.ts'

/** What Lambda takes as an answer, bytes of its JSON; a larger one becomes a 502 that says nothing. */
const MAX_RESULT_BYTES = 6 * 1024 * 1024
/** Characters of a body that fits whatever they are: in JSON one takes up to 6 bytes. */
const SMALL_CHARS = 1_000_000

/** What a late answer takes, and what has to be called off first may take, ms. */
const ANSWER_MS = 500
const SETTLE_MS = 1_000

const byKey = new Map(
  Object.values<Route>(routes).flatMap(route => routeKeys(route).map(key => [key, route])),
)

/**
 * An HTTP function behind an API Gateway of payload version 2.0, whose routes are the rows of schemas/routes.ts. What no
 * row takes comes by `$default`; it is answered as local/http/server.ts does.
 */
export function apiGateway(answer: HttpFunction, log: Log) {
  return async (
    event: APIGatewayProxyEventV2,
    signal?: AbortSignal,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const { method } = event.requestContext.http
    const headers = lowerCase(event.headers)
    // Payload version 2.0 has the cookies in a field of their own.
    if (event.cookies !== undefined) headers.cookie = event.cookies.join('; ')
    const route = byKey.get(event.routeKey)
    const name = route === undefined ? 'routing' : event.routeKey
    try {
      const given =
        route === undefined
          ? unrouted(method, event.rawPath)
          : await answer(route, requestOf(event, headers, route, signal))
      return fitToLimit(given, method, headers)
    } catch (error) {
      return toResult(errorResponse(error, name, log), method)
    }
  }
}

/**
 * Ends a call before it would be cut off: API Gateway's own answer would have neither JSON nor CORS. `settled` resolves
 * when what the call has under way elsewhere is called off, or after so many milliseconds; the answer waits for that, as
 * Lambda stands still as soon as it is given.
 */
export function timeoutResponse(log: Log, settled?: (withinMs: number) => Promise<void>) {
  return {
    before: settled === undefined ? ANSWER_MS : ANSWER_MS + SETTLE_MS,
    async respond() {
      log('REQUEST_LATE')
      await settled?.(SETTLE_MS)
      return toResult(errorResponse(unavailable('the answer took too long', 5), 'late', log), 'GET')
    },
  }
}

function unrouted(method: string, path: string): HttpResponse {
  if (method === 'OPTIONS') return PREFLIGHT
  throw routeNotFound(method, path)
}

function requestOf(
  event: APIGatewayProxyEventV2,
  headers: Record<string, string | undefined>,
  route: Route,
  signal: AbortSignal | undefined,
): HttpRequest {
  const { body = '', isBase64Encoded, rawPath, rawQueryString, pathParameters = {} } = event
  return {
    method: route.method,
    path: rawPath,
    params: pathParameters as Record<string, string>,
    query: parseQuery(route, rawQueryString),
    headers,
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    // The peer of the gateway, CloudFront mostly. What a header says of the caller is what the caller says.
    ip: event.requestContext.http.sourceIp,
    ...(signal !== undefined && { signal }),
  }
}

/** API Gateway gives names in lower case, with the values of a repeated one joined by commas; tests of it may not. */
function lowerCase(headers: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The answer as Lambda takes it: too large a one compressed, where the caller reads that, else refused. */
function fitToLimit(
  answer: HttpResponse,
  method: string,
  headers: Record<string, string | undefined>,
): APIGatewayProxyStructuredResultV2 {
  const result = toResult(answer, method)
  if (fits(result)) return result
  const compressed = acceptsGzip(headers['accept-encoding']) ? toResult(gzipped(answer), method) : result
  if (fits(compressed)) return compressed
  throw new ApiError(
    'MISSING_FIELDS',
    'limit: the answer would be larger than 6 MB; ask for fewer, or send Accept-Encoding: gzip',
  )
}

function fits(result: APIGatewayProxyStructuredResultV2): boolean {
  if ((result.body?.length ?? 0) <= SMALL_CHARS) return true
  return Buffer.byteLength(JSON.stringify(result)) <= MAX_RESULT_BYTES
}

function acceptsGzip(accepted = ''): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted)
}

function gzipped({ status, headers, body }: HttpResponse): HttpResponse {
  return {
    status,
    headers: { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
    body: gzipSync(body),
  }
}

function toResult(
  { status, headers, body, cookies }: HttpResponse,
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
