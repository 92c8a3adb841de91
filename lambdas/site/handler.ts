import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import fresh from 'fresh'
import Negotiator from 'negotiator'
import { ApiError } from '#core/errors'
import type { Log } from '#core/ports'
import type { Exchange } from '#lambdas/chain/chain'
import { publicChain } from '#lambdas/chain/public-chain'
import type { HttpFunction } from '#lambdas/http'
import { httpFunction } from '#lambdas/http-function'
import { BASE_HEADERS, jsonResponse } from '#lambdas/response'
import { openApiDocument } from '#schemas/openapi'
import { routes } from '#schemas/routes'
import { cutOpenApi, shareParts } from '#schemas/share-parts'
import { installDocument, serverCard, skillDocument } from './agent-documents.ts'
import { authDocument, authorizationServer, protectedResource } from './discovery.ts'

/** The browser tracker: the minified script, its readable source, and the SHA-256 of the script in hex. */
type Tracker = { code: string; source: string; sha256: string }

export type SiteServices = {
  /** Called for the first request of a script. */
  tracker(): Promise<Tracker>
  /** The text of docs/api/numbers.md. */
  numbers: string
  /** Address of the service, without a slash at its end. */
  baseUrl: string
  log: Log
}

const MARKDOWN = 'text/markdown; charset=utf-8'

/** Characters of the SHA-256 that name a version of the tracker in its address. */
const VERSION_CHARS = 16

/** What anybody may read: the scripts, the OpenAPI document and the health of the service. */
export function siteHandler(services: SiteServices): HttpFunction {
  const { baseUrl } = services
  const chain = publicChain(services)
  let known: Promise<ReturnType<typeof toScripts>> | null = null
  const json = (value: unknown) => file('application/json', JSON.stringify(value))
  // Takes 100 ms, so it is made for the first request and not at each start of the function.
  const document = lazily(() => shareParts(openApiDocument(baseUrl)))
  const wholeDocument = lazily(() => json(document()))

  /**
   * The part of the document that some tags or paths name. Throws NOT_FOUND if no endpoint has one of them.
   */
  function partOfDocument(tags: readonly string[], paths: readonly string[]) {
    const part = cutOpenApi(document(), tags, paths)
    if (part !== null) return { ...jsonResponse(200, part), status: 200 as const }
    throw new ApiError(
      'NOT_FOUND',
      'No endpoint has such a tag or path. GET /openapi.json without parameters lists all of them.',
    )
  }

  function scripts() {
    known ??= services
      .tracker()
      .then(toScripts)
      .catch(error => {
        // The next request tries again.
        known = null
        throw error
      })
    return known
  }

  return httpFunction<'site'>(services.log, {
    trackerJs: chain(routes.trackerJs)(async exchange => (await scripts()).script(exchange)),
    // A page may name a version of an older release. It gets the current script, and caches ask again after
    // an hour.
    trackerVersion: chain(routes.trackerVersion)(async exchange => {
      const { version, script, immutableScript } = await scripts()
      return exchange.request.params.version === version ? immutableScript(exchange) : script(exchange)
    }),
    trackerSource: chain(routes.trackerSource)(async exchange => (await scripts()).source(exchange)),
    openapi: chain(routes.openapi)(call => {
      const [tags, paths] = [toTexts(call.query.tag), toTexts(call.query.path)]
      return tags.length + paths.length === 0 ? wholeDocument()(call) : partOfDocument(tags, paths)
    }),
    numbers: chain(routes.numbers)(file(MARKDOWN, toPlainPage(services.numbers))),
    mcpServerCard: chain(routes.mcpServerCard)(json(serverCard(baseUrl))),
    skillDocument: chain(routes.skillDocument)(file(MARKDOWN, skillDocument(baseUrl))),
    installDocument: chain(routes.installDocument)(file(MARKDOWN, installDocument(baseUrl))),
    authDocument: chain(routes.authDocument)(file(MARKDOWN, authDocument(baseUrl))),
    protectedResource: chain(routes.protectedResource)(json(protectedResource(baseUrl))),
    mcpProtectedResource: chain(routes.mcpProtectedResource)(json(protectedResource(baseUrl, '/mcp'))),
    authorizationServer: chain(routes.authorizationServer)(json(authorizationServer(baseUrl))),
    health: chain(routes.health)(() => ({ status: 200, body: { status: 'ok', service: 'footfall' } })),
  })
}

/**
 * The page without what only the repository has: ids of rules, marks of generated tables, and links to other
 * pages.
 */
function toPlainPage(markdown: string): string {
  return markdown
    .replaceAll(/<!--.*?-->\n|<a id=.*?<\/a>/g, '')
    .replaceAll(/\[([^\]]+)\]\([^)#]+\.md[^)]*\)/g, '$1')
}

function toTexts(list = ''): string[] {
  return list.split(',').filter(Boolean)
}

/** How the scripts of the tracker are served. */
function toScripts({ code, source, sha256 }: Tracker) {
  const version = `${sha256.slice(0, VERSION_CHARS)}.js`
  const type = 'application/javascript; charset=utf-8'
  const checksum = {
    'X-Tracker-Checksum-Algorithm': 'sha256',
    'X-Tracker-SHA256': sha256,
    'X-Tracker-Path': `/tracker/${version}`,
  }
  return {
    version,
    script: file(type, code, checksum),
    immutableScript: file(type, code, {
      ...checksum,
      'Cache-Control': 'public, max-age=31536000, immutable',
    }),
    source: file(type, source),
  }
}

/** Makes a value when it is needed first. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Serves a text that does not change while the service runs, in the best encoding that the client reads.
 * Clients cache it for an hour, then ask with its ETag, unless `extraHeaders` say otherwise.
 */
function file(contentType: string, text: string, extraHeaders: Record<string, string> = {}) {
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
  return ({ request: { headers } }: Exchange) => {
    const accepted = new Negotiator({ headers }).encodings(['br', 'gzip'])
    const encoding = (['br', 'gzip'] as const).find(name => accepted.includes(name)) ?? 'identity'
    const { full, unchanged } = responses[encoding]()
    // Only this header: clients such as fetch of Node send `Cache-Control: no-cache` beside it, which asks
    // caches, not us.
    const condition = { 'if-none-match': headers['if-none-match'] }
    return fresh(condition, { etag: full.headers.ETag }) ? unchanged : full
  }
}
