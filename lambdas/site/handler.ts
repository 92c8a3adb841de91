import { createHash } from 'node:crypto'
import type { Log } from '#core/ports'
import { openApiDocument } from '#schemas/openapi'
import type { HttpFunction, HttpRequest, HttpResponse } from '../http.ts'
import { httpFunction } from '../http-function.ts'
import { BASE_HEADERS, jsonResponse } from '../response.ts'

export type SiteServices = {
  /** The browser tracker as it is delivered, its readable form, and the SHA-256 of the former in hex. */
  tracker: { code: string; source: string; sha256: string }
  /** Address of the service, without a slash at its end. */
  baseUrl: string
  log: Log
}

/** What anybody may read: the scripts, the document of the API, and whether the service answers. */
export function siteHandler(services: SiteServices): HttpFunction {
  const { tracker } = services
  const script = file('application/javascript; charset=utf-8', tracker.code, {
    'X-Tracker-Checksum-Algorithm': 'sha256',
    'X-Tracker-SHA256': tracker.sha256,
  })
  const source = file('application/javascript; charset=utf-8', tracker.source)
  const document = file('application/json', JSON.stringify(openApiDocument(services.baseUrl)))
  const healthy = jsonResponse(200, { status: 'ok', service: 'footfall' })

  return httpFunction<'site'>(services.log, {
    trackerJs: script,
    trackerSource: source,
    openapi: document,
    health: () => healthy,
  })
}

/** A text that stays the same while the service runs: kept for an hour (contract 1.1), then asked for by its ETag. */
function file(contentType: string, text: string, more: Record<string, string> = {}) {
  const body = Buffer.from(text, 'utf8')
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
  const headers = {
    ...BASE_HEADERS,
    ...more,
    // A page that isolates itself (Cross-Origin-Embedder-Policy) may load it too.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': 'public, max-age=3600',
    ETag: etag,
  }
  const whole: HttpResponse = { status: 200, headers: { ...headers, 'Content-Type': contentType }, body }
  const unchanged: HttpResponse = { status: 304, headers, body: '' }
  return (request: HttpRequest) => (holds(request.headers['if-none-match'], etag) ? unchanged : whole)
}

/** Whether If-None-Match names the tag; weak ones count, as RFC 9110 section 13.1.2 has it. */
function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some(tag => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
