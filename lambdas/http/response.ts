import { ApiError } from '#core/errors'
import type { Log } from '#core/ports'
import { CORS } from '#schemas/cors'
import { isOAuthCode } from '#schemas/errors'
import type { BufferedResponse } from './http.ts'

/**
 * Headers of every response, errors included: CORS without credentials (R17), and no guess at content types.
 */
export const BASE_HEADERS = {
  'Access-Control-Allow-Origin': CORS.origin,
  'Access-Control-Allow-Methods': CORS.methods.join(', '),
  'Access-Control-Allow-Headers': CORS.headers.join(', '),
  'Access-Control-Expose-Headers': CORS.exposed.join(', '),
  'X-Content-Type-Options': 'nosniff',
} as const

/** Headers of JSON responses. They are for one caller at one moment, so no cache may store them. */
const JSON_HEADERS = Object.freeze({
  ...BASE_HEADERS,
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
})

/** The response to OPTIONS on any path. */
export const PREFLIGHT: BufferedResponse = {
  status: 204,
  headers: { ...BASE_HEADERS, 'Access-Control-Max-Age': String(CORS.maxAgeSeconds) },
  body: '',
}

/** Makes a JSON response. `headers` are added to those of every JSON response. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): BufferedResponse {
  return writtenResponse(status, JSON.stringify(body), headers)
}

/** The same of a body that is JSON already. */
export function writtenResponse(
  status: number,
  body: string,
  headers?: Record<string, string>,
): BufferedResponse {
  return { status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body }
}

/**
 * The response to a thrown error. An ApiError is sent as it is. Another error is sent as INTERNAL_ERROR
 * without its text; the text goes to the log under REQUEST_FAILED. `route` names the row, not the URL, which
 * may contain `key=`.
 */
export function errorResponse(thrown: unknown, route: string, log: Log): BufferedResponse {
  const error = thrown instanceof ApiError ? thrown : new ApiError('INTERNAL_ERROR')
  if (error.status === 500) {
    log('REQUEST_FAILED', { route, error: thrown instanceof Error ? thrown.stack : String(thrown) })
  }
  const { fields, headers, retryAfter } = error.extras
  return jsonResponse(
    error.status,
    {
      ...fields,
      error: error.code,
      message: error.message,
      ...(isOAuthCode(error.code) && { error_description: error.message }),
    },
    retryAfter === undefined ? headers : { ...headers, 'Retry-After': String(Math.ceil(retryAfter)) },
  )
}
