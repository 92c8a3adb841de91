import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { QueuedEvent } from '../../tracker/queue.ts'
import { builtTracker } from '../support/built-tracker.ts'

export type RecordedRequest = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  events: QueuedEvent[]
}

export type RecordingServer = {
  /** Address of a page. The host is `shop.test`, unless another one is given. */
  page(path?: string, host?: string): string
  /** The script element of the tracker, with additional attributes. */
  snippet(attributes?: string): string
  /** Sets the HTML of every page. */
  setPage(html: string): void
  /** Requests in the order of arrival. */
  requests: RecordedRequest[]
  events(): QueuedEvent[]
  close(): Promise<void>
}

/**
 * Starts one server for a site and for the service. It delivers the tracker, the same page under every other path, and
 * records all POST requests. Site and service have different host names, as in real life. All `.test` names lead here.
 */
export async function startRecordingServer(): Promise<RecordingServer> {
  const { code } = await builtTracker()
  const requests: RecordedRequest[] = []
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
        events: parsed.events ?? [parsed],
      })
      response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"ok":true,"queued":true}')
    } else if (request.url === '/tracker.js') {
      response.setHeader('Content-Type', 'application/javascript').end(code)
    } else {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Referrer-Policy': 'unsafe-url' }).end(html)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    page: (path = '/', host = 'shop.test') => `http://${host}:${port}${path}`,
    snippet: (attributes = '') =>
      `<script src="http://stats.test:${port}/tracker.js" data-project="shop" data-token="aat_1" ${attributes}></script>`,
    setPage(page) {
      html = page
    },
    requests,
    events: () => requests.flatMap(({ events }) => events),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
