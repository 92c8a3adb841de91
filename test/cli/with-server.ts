import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

/** A service that answers each request with the same, at an address that `use` gets. */
export async function withServer<T>(
  status: number,
  body: string | Iterable<Buffer>,
  use: (baseUrl: string) => Promise<T>,
  headers: Record<string, string> = {},
): Promise<T> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    Readable.from(typeof body === 'string' ? [body] : body).pipe(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}
