import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Secrets Manager with one secret, for a function that reads it. */
export async function startSecretsManager(first: string) {
  let value = first
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.1')
    response.end(JSON.stringify({ SecretString: value }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    read: () => value,
    write(changed: string) {
      value = changed
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
