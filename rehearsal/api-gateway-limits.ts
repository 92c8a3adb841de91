import type { IncomingHttpHeaders } from 'node:http'

/** Paths of the emulator behind which its API Gateway serves an API. */
const API_PATH = /^\/_aws\/execute-api\//
/**
 * What API Gateway takes of a request line and all header values together, bytes (its quotas of HTTP APIs).
 */
const MAX_HEADER_BYTES = 10_240

/** Whether a request of the gate goes to the API, by its path. */
export function isForApi(path: string | undefined): boolean {
  return API_PATH.test(path ?? '')
}

/**
 * Whether API Gateway refuses the headers of a request with 431, before any function sees them. The emulator
 * takes any size.
 */
export function isTooLong({ url = '', headers }: { url?: string; headers: IncomingHttpHeaders }): boolean {
  const values = Object.values(headers).flat().join('')
  return Buffer.byteLength(url) + Buffer.byteLength(values) > MAX_HEADER_BYTES
}

/**
 * The headers of a function's response as API Gateway passes them on, which the emulator does not play: it
 * renames WWW-Authenticate, and an API with CORS settings drops the CORS headers of the function, and sends
 * its own only where the request has an Origin.
 */
export function passedOn(request: IncomingHttpHeaders, response: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(response).flatMap(([name, value]): [string, typeof value][] => {
    if (name === 'www-authenticate') return [['x-amzn-remapped-www-authenticate', value]]
    return name.startsWith('access-control-') && request.origin === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}
