import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Item } from '../../tracker/queue.ts'
import { builtTracker } from '../support/built-tracker.ts'

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; items: Item[] }

export type RecordingServer = {
  /** Of the pages: `http://shop.test:<port>`, unless another host is asked for. */
  page(path?: string, host?: string): string
  /** The script element, with these attributes beside the token's. */
  snippet(attributes?: string): string
  /** What every page holds from now on. */
  serve(html: string): void
  /** Requests in the order in which they arrived. */
  received: Received[]
  items(): Item[]
  close(): Promise<void>
}

/**
 * A site and a service in one server: it delivers a page under every path, the tracker under its own, and keeps what
 * is posted. Site and service have different names (all `.test` lead here), as they have in real life.
 */
export async function startRecordingServer(): Promise<RecordingServer> {
  const { code } = await builtTracker()
  const received: Received[] = []
  let html = ''

  const server = createServer(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (request.method === 'POST') {
      const body = await text(request)
      const parsed = JSON.parse(body)
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        body,
        items: parsed.events ?? [parsed],
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
    serve(page) {
      html = page
    },
    received,
    items: () => received.flatMap(({ items }) => items),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
