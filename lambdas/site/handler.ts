import { lazily, remember } from '#core/async/lazily'
import { ApiError } from '#core/errors'
import type { Log } from '#core/ports'
import { versionName } from '#core/replays/script-version'
import { publicChain } from '#lambdas/chain/public-chain'
import { file, immutableFile, JAVASCRIPT } from '#lambdas/http/file'
import type { HttpFunction } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { jsonResponse } from '#lambdas/http/response'
import { openApiDocument } from '#schemas/openapi'
import { routes } from '#schemas/routes'
import { cutOpenApi, shareParts } from '#schemas/share-parts'
import { installDocument, serverCard, skillDocument } from './agent-documents.ts'
import { authDocument, authorizationServer, protectedResource } from './discovery.ts'
import { scriptName, stagePage, type ViewerScripts, viewerPage } from './replay-viewer.ts'

/** A minified script, and the SHA-256 of its bytes in hex. */
type Script = { code: string; sha256: string }

/** The browser tracker with its readable source, and the smaller one. */
type Tracker = Script & { source: string; core: Script }

type DashboardFile = { contentType: string; text: string }

export type SiteServices = {
  /** Called for the first request of a script. */
  tracker(): Promise<Tracker>
  /** The files of the dashboard. Called for the first request of one. */
  dashboard(): Promise<{ files: Record<string, DashboardFile> }>
  /** Called for the first request of the viewer of replays. */
  viewer(): Promise<ViewerScripts>
  /** The text of docs/api/numbers.md. */
  numbers: string
  /** False: the install has no demo, so no document names one. On AWS the deployer opens it at any time. */
  mayHaveDemo: boolean
  /** Address of the service, without a slash at its end. */
  baseUrl: string
  log: Log
}

const MARKDOWN = 'text/markdown; charset=utf-8'

/** What anybody may read: the scripts, the OpenAPI document and the health of the service. */
export function siteHandler(services: SiteServices): HttpFunction {
  const { baseUrl, mayHaveDemo } = services
  const chain = publicChain(services)
  const json = (value: unknown) => file('application/json', JSON.stringify(value))
  // Takes 100 ms, so it is made for the first request and not at each start of the function.
  const document = lazily(() => shareParts(openApiDocument(baseUrl, mayHaveDemo ? 'api' : 'without_demo')))
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

  const scripts = remember(async () => toScripts(await services.tracker()))
  const viewer = remember(async () => {
    const built = await services.viewer()
    return { ...built, files: toViewerFiles(built) }
  })
  const dashboardFiles = remember(async () => {
    const { files } = await services.dashboard()
    return new Map(
      Object.entries(files).map(([name, { contentType, text }]) => [name, immutableFile(contentType, text)]),
    )
  })

  async function dashboardFile(name: string) {
    const found = (await dashboardFiles()).get(name)
    if (found !== undefined) return found
    throw new ApiError(
      'NOT_FOUND',
      'This release of the service has no such file of the dashboard. Open /app again.',
    )
  }

  return httpFunction<'site'>(services.log, {
    trackerJs: chain(routes.trackerJs)(async exchange => (await scripts()).full.script(exchange)),
    trackerCore: chain(routes.trackerCore)(async exchange => (await scripts()).core.script(exchange)),
    // A page may name a version of an older release. It gets the current script of this kind, and caches ask
    // again after an hour.
    trackerVersion: chain(routes.trackerVersion)(async exchange => {
      const asked = exchange.request.params.version ?? ''
      const { full, core } = await scripts()
      const { version, script, immutableScript } = asked.endsWith(CORE_END) ? core : full
      return asked === version ? immutableScript(exchange) : script(exchange)
    }),
    replayViewer: chain(routes.replayViewer)(async () => viewerPage(baseUrl, (await viewer()).page)),
    replayStage: chain(routes.replayStage)(async () => stagePage(baseUrl, (await viewer()).stage)),
    replayViewerScript: chain(routes.replayViewerScript)(async exchange => {
      const { files } = await viewer()
      const serve = files.get(exchange.request.params.script ?? '')
      if (serve !== undefined) return serve(exchange)
      throw new ApiError('NOT_FOUND', 'The viewer has no such script any more. Open the replay again.')
    }),
    trackerSource: chain(routes.trackerSource)(async exchange => (await scripts()).source(exchange)),
    dashboardFile: chain(routes.dashboardFile)(async exchange =>
      (await dashboardFile(exchange.request.params.file ?? ''))(exchange),
    ),
    openapi: chain(routes.openapi)(call => {
      const [tags, paths] = [toTexts(call.query.tag), toTexts(call.query.path)]
      return tags.length + paths.length === 0 ? wholeDocument()(call) : partOfDocument(tags, paths)
    }),
    numbers: chain(routes.numbers)(file(MARKDOWN, toPlainPage(services.numbers))),
    mcpServerCard: chain(routes.mcpServerCard)(json(serverCard(baseUrl))),
    skillDocument: chain(routes.skillDocument)(file(MARKDOWN, skillDocument(services))),
    installDocument: chain(routes.installDocument)(file(MARKDOWN, installDocument(baseUrl))),
    authDocument: chain(routes.authDocument)(file(MARKDOWN, authDocument(services))),
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
    .replaceAll(/<!--[^<>]*-->\n|<a id=[^<]*<\/a>/g, '')
    .replaceAll(/\[([^[\]]+)\]\([^\s()#]{1,90}\.md[^\s()]{0,90}\)/g, '$1')
}

function toTexts(list = ''): string[] {
  return list.split(/[,\n]/).filter(Boolean)
}

/** The end of a version's name of the smaller tracker, such as `0123456789abcdef.core.js`. */
const CORE_END = '.core.js'

/** How the scripts of the tracker are served. */
function toScripts(tracker: Tracker) {
  return {
    full: toScript(tracker, versionName(tracker)),
    core: toScript(tracker.core, versionName(tracker.core).replace('.js', CORE_END)),
    source: file(JAVASCRIPT, tracker.source),
  }
}

function toScript({ code, sha256 }: Script, version: string) {
  const checksum = {
    'X-Tracker-Checksum-Algorithm': 'sha256',
    'X-Tracker-SHA256': sha256,
    'X-Tracker-Path': `/tracker/${version}`,
  }
  return {
    version,
    script: file(JAVASCRIPT, code, checksum),
    immutableScript: immutableFile(JAVASCRIPT, code, checksum),
  }
}

/**
 * The scripts of the viewer by their names, which have their hashes. Only the documents of the viewer load
 * them.
 */
function toViewerFiles(scripts: ViewerScripts) {
  const kinds = ['page', 'stage'] as const
  return new Map(
    kinds.map(kind => [
      scriptName(kind, scripts[kind]),
      immutableFile(JAVASCRIPT, scripts[kind].code, { 'Cross-Origin-Resource-Policy': 'same-origin' }),
    ]),
  )
}
