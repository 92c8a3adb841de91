import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import fresh from 'fresh'
import Negotiator from 'negotiator'
import { lazily } from '#core/async/lazily'
import type { Exchange } from '#lambdas/chain/chain'
import { BASE_HEADERS } from './response.ts'

export const JAVASCRIPT = 'application/javascript; charset=utf-8'

/**
 * Serves a text that does not change while the service runs, in the best encoding that the client reads.
 * Clients cache it for an hour, then ask with its ETag, unless `extraHeaders` say otherwise.
 */
export function file(contentType: string, text: string, extraHeaders: Record<string, string> = {}) {
  const body = Buffer.from(text, 'utf8')
  const checksum = createHash('sha256').update(body).digest('hex').slice(0, 32)

  function respond(encoding: string, encoded: Buffer) {
    const headers = {
      ...BASE_HEADERS,
      // Pages that isolate themselves (Cross-Origin-Embedder-Policy) may load it too.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept-Encoding',
      ...extraHeaders,
      ETag: `"${checksum}-${encoding}"`,
    }
    const encodingHeader: Record<string, string> =
      encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
    return {
      full: {
        status: 200 as const,
        headers: { ...headers, ...encodingHeader, 'Content-Type': contentType },
        body: encoded,
      },
      unchanged: { status: 304 as const, headers, body: '' },
    }
  }

  // The best compression takes up to 0.1 s, so it is made for the first request that wants it.
  const responses = {
    br: lazily(() => respond('br', brotliCompressSync(body))),
    gzip: lazily(() => respond('gzip', gzipSync(body, { level: constants.Z_BEST_COMPRESSION }))),
    identity: lazily(() => respond('identity', body)),
  }
  return function answerFile({ request: { headers } }: Exchange) {
    const accepted = new Negotiator({ headers }).encodings(['br', 'gzip'])
    const encoding = (['br', 'gzip'] as const).find(name => accepted.includes(name)) ?? 'identity'
    const { full, unchanged } = responses[encoding]()
    // Only this header: clients such as fetch of Node send `Cache-Control: no-cache` beside it, which asks
    // caches, not us.
    const condition = { 'if-none-match': headers['if-none-match'] }
    return fresh(condition, { etag: full.headers.ETag }) ? unchanged : full
  }
}

/** The same for a text whose address has the hash of its content: caches keep it for a year. */
export function immutableFile(contentType: string, text: string, extraHeaders: Record<string, string> = {}) {
  return file(contentType, text, { ...extraHeaders, 'Cache-Control': 'public, max-age=31536000, immutable' })
}
