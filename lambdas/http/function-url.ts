import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Log } from '#core/ports'
import { headersOf, toRequest } from './api-gateway.ts'
import { callerOfUrl } from './caller-address.ts'
import { requireEdge } from './edge-key.ts'
import type { HttpFunction, HttpResponse } from './http.ts'
import { errorResponse, PREFLIGHT } from './response.ts'
import { routeNotFound } from './route-not-found.ts'
import { streamedRoute } from './streamed-route.ts'

/** A response in the form that the streaming mode of middy sends. */
export type StreamedResult = {
  statusCode: number
  headers: Record<string, string>
  body: string | ReadableStream<Uint8Array>
}

/** Base URLs of one distribution: its own name and a custom one. A forged host must not fill the memory. */
const MAX_BASE_URLS = 8

/**
 * Serves a streaming function behind its function URL and CloudFront. The URL itself is open to everybody, so
 * a request must carry what CloudFront sends: `edgeKey` (edge-key.ts). The host that the caller used comes in
 * a header, because the settings of the function cannot have it: CloudFront needs the address of the function
 * first. `serve` makes the function of a base URL.
 */
export function functionUrl(serve: (baseUrl: string) => HttpFunction, log: Log, edgeKey: string) {
  const functions = new Map<string, HttpFunction>()

  function functionOf(baseUrl: string): HttpFunction {
    if (functions.size >= MAX_BASE_URLS) functions.clear()
    const known = functions.get(baseUrl) ?? serve(baseUrl)
    functions.set(baseUrl, known)
    return known
  }

  async function respond(event: LambdaFunctionURLEvent): Promise<HttpResponse> {
    const { method, path, sourceIp } = event.requestContext.http
    const headers = headersOf(event)
    requireEdge(headers, edgeKey)
    if (method === 'OPTIONS') return PREFLIGHT
    const route = streamedRoute(method, path)
    if (route === undefined) throw routeNotFound(method, path)
    const request = toRequest(event, headers, route, callerOfUrl(sourceIp, headers, edgeKey), undefined)
    // Without CloudFront, the caller uses the host of this function.
    const host = edgeKey === '' ? headers.host : headers['x-footfall-host']
    return functionOf(`https://${host}`)(route, request)
  }

  return async function answerEvent(event: LambdaFunctionURLEvent): Promise<StreamedResult> {
    const response = await respond(event).catch(error => errorResponse(error, 'stream', log))
    return toResult(response, event.requestContext.http.method)
  }
}

async function toResult({ status, headers, body }: HttpResponse, method: string): Promise<StreamedResult> {
  if (!(body instanceof ReadableStream)) {
    const text = method === 'HEAD' ? '' : Buffer.from(body).toString()
    return { statusCode: status, headers, body: text }
  }
  if (method !== 'HEAD') return { statusCode: status, headers, body }
  await body.cancel()
  return { statusCode: status, headers, body: '' }
}
