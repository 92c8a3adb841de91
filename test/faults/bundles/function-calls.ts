import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What Lambda does when a function calls the function `footfall-scan`, and waits for its answer. */
export async function startFunctionCalls(invoke: (event: unknown) => Promise<unknown>) {
  const server = createServer(async (request, response) => {
    if (request.url !== '/2015-03-31/functions/footfall-scan/invocations') {
      return void response.writeHead(404).end()
    }
    try {
      response.end(JSON.stringify(await invoke(JSON.parse(await text(request)))))
    } catch (error) {
      const { name, message } = error as Error
      response.setHeader('X-Amz-Function-Error', 'Unhandled')
      response.end(JSON.stringify({ errorType: name, errorMessage: message }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
