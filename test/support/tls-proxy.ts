import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** The certificate of `localhost` that no browser trusts by itself, and its key; PEM. */
export const [tlsKey, tlsCertificate] = ['key', 'certificate'].map(name =>
  readFileSync(new URL(`../fixtures/tls/localhost-${name}.pem`, import.meta.url), 'utf8'),
) as [string, string]

/** A proxy with TLS on a free port of this machine, as an operator puts it before the service at `target`. */
export async function startTlsProxy(target: number): Promise<{ port: number; close(): void }> {
  const proxy = createServer({ key: tlsKey, cert: tlsCertificate }, (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const to = { host: '127.0.0.1', port: target, method, path: url, headers }
    const forwarded = request(to, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: (proxy.address() as AddressInfo).port,
    close() {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}
