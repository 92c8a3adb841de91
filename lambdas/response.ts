import { ApiError } from '#core/errors'
import type { Log } from '#core/ports'
import { CORS } from '#schemas/cors'
import type { HttpResponse } from './http.ts'

/** On every answer, errors included: CORS without credentials (contract R17), and no guessing of content types. */
export const BASE_HEADERS = {
  'Access-Control-Allow-Origin': CORS.origin,
  'Access-Control-Allow-Methods': CORS.methods.join(', '),
  'Access-Control-Allow-Headers': CORS.headers.join(', '),
  'X-Content-Type-Options': 'nosniff',
} as const

/** Of answers in JSON. They belong to one caller and one moment, so nothing on the way may keep them. */
const JSON_HEADERS = Object.freeze({
  ...BASE_HEADERS,
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
})

/** What OPTIONS answers on any path. */
export const PREFLIGHT: HttpResponse = {
  status: 204,
  headers: { ...BASE_HEADERS, 'Access-Control-Max-Age': String(CORS.maxAgeSeconds) },
  body: '',
}

/** An answer in JSON; `headers` come on top of those of every such answer. */
export function jsonResponse(status: number, body: unknown, headers?: Record<string, string>): HttpResponse {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(body),
  }
}

/**
 * The answer to a thrown error: an ApiError as it stands, anything else as INTERNAL_ERROR without its text, which
 * goes to the log under REQUEST_FAILED. `route` names the row, never the address, which may hold `key=`.
 */
export function errorResponse(thrown: unknown, route: string, log: Log): HttpResponse {
  const error = thrown instanceof ApiError ? thrown : new ApiError('INTERNAL_ERROR', 'internal error')
  if (error.status === 500) {
    log('REQUEST_FAILED', { route, error: thrown instanceof Error ? thrown.stack : String(thrown) })
  }
  const { fields, headers, retryAfter } = error.extras
  return jsonResponse(
    error.status,
    { ...fields, error: error.code, message: error.message },
    retryAfter === undefined ? headers : { ...headers, 'Retry-After': String(Math.ceil(retryAfter)) },
  )
}
