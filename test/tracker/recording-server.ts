import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { builtTracker } from '#test/setup/built-tracker'
import type { QueuedEvent } from '#tracker/queued-event'

export type RecordedRequest = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Empty for a request to another path than /track and /track/batch. */
  events: QueuedEvent[]
}

export type RecordingServer = {
  /** Address of a page. The host is `shop.test`, unless another one is given. */
  page(path?: string, host?: string): string
  /** The script element of the tracker, or of the smaller one, with additional attributes. */
  snippet(attributes?: string, script?: 'tracker.js' | 'tracker.core.js'): string
  /** Sets the HTML of every page, or of the pages at one path. */
  setPage(html: string, path?: string): void
  /** The status of all pages. */
  pageStatus: number
  /** The response to GET /experiments/config. Null: the service fails. */
  experiments: object[] | null
  /** How often the experiments were asked for. */
  experimentRequests: number
  /** POST requests in the order of arrival. */
  requests: RecordedRequest[]
  events(): QueuedEvent[]
  /** The events of one name, as their properties. */
  propertiesOf(event: string): Record<string, unknown>[]
  /** The bodies of POST /identify. */
  identifies(): Record<string, unknown>[]
  close(): Promise<void>
}

/**
 * Starts one server for a site and for the service. It delivers the tracker, the same page under every other
 * path, and records all POST requests. Site and service have different host names, as in real life. All
 * `.test` names lead here.
 */
export async function startRecordingServer(): Promise<RecordingServer> {
  const { code, core } = await builtTracker()
  const requests: RecordedRequest[] = []
  const pages = new Map<string, string>()
  let html = ''

  const server = createServer(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (request.method === 'POST') {
      const body = await text(request)
      const parsed = JSON.parse(body)
      requests.push({
        path: request.url ?? '',
        headers: request.headers,
        body,
        events: request.url === '/identify' ? [] : (parsed.events ?? [parsed]),
      })
      response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"ok":true,"queued":true}')
    } else if (request.url === '/tracker.js') {
      response.setHeader('Content-Type', 'application/javascript').end(code)
    } else if (request.url === '/tracker.core.js') {
      response.setHeader('Content-Type', 'application/javascript').end(core.code)
    } else if (request.url?.startsWith('/experiments/config?')) {
      recorded.experimentRequests += 1
      response
        .writeHead(recorded.experiments ? 200 : 503, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ experiments: recorded.experiments ?? undefined }))
    } else {
      const page = pages.get((request.url ?? '').split('?')[0]!) ?? html
      const headers = { 'Content-Type': 'text/html', 'Referrer-Policy': 'unsafe-url' }
      response.writeHead(recorded.pageStatus, headers).end(page)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const recorded: RecordingServer = {
    page: (path = '/', host = 'shop.test') => `http://${host}:${port}${path}`,
    snippet: (attributes = '', script = 'tracker.js') =>
      `<script src="http://stats.test:${port}/${script}" data-project="shop" data-token="aat_1" ${attributes}></script>`,
    setPage(page, path) {
      if (path === undefined) html = page
      else pages.set(path, page)
    },
    pageStatus: 200,
    experiments: [],
    experimentRequests: 0,
    requests,
    events: () => requests.flatMap(({ events }) => events),
    propertiesOf: name =>
      recorded.events().flatMap(({ event, properties }) => (event === name ? [properties] : [])),
    identifies: () => requests.filter(({ path }) => path === '/identify').map(({ body }) => JSON.parse(body)),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return recorded
}
