import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { CORS } from '#schemas/cors'
import { runPython } from './ministack.ts'

export type Edge = {
  /** HTTP address, for clients that can be pointed to it. */
  url: string
  /** HTTPS port with a self-signed certificate, for browsers that use the host name of the distribution. */
  tlsPort: number
  stop(): Promise<void>
}

export type EdgeOptions = {
  emulator: string
  /** Host name of the distribution. */
  host: string
  apiId: string
  /** What the distribution sends to the functions, for the path that does not go through it. */
  edgeKey: string
  /** The country of every viewer. */
  country: string
}

/**
 * What the response headers policy of every behaviour adds where a response has no CORS headers
 * (lib/edge-headers.ts). The emulator does not play this part of a policy.
 */
const CORS_OF_POLICY = { 'access-control-allow-origin': CORS.origin }

/**
 * What a function finds in X-Forwarded-For: CloudFront appends the viewer, and API Gateway appends
 * CloudFront. The emulator does neither. All viewers of the rehearsal are of one network, as a person with an
 * agent is.
 */
const FORWARDED_FOR = '203.0.113.7, 198.51.100.1'

/**
 * Starts a proxy in front of the emulator's CloudFront. It sets the host of the distribution and the
 * protocol, and adds the country and the address of the viewer, which the emulator does not. Like
 * CloudFront, it replaces such headers from the viewer.
 */
export async function startEdge({ emulator, host, apiId, edgeKey, country }: EdgeOptions): Promise<Edge> {
  const target = new URL(emulator)

  function forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url = '/', headers } = incoming
    // For every host, the emulator answers /health with its own health. So this path goes straight to the
    // API.
    const isHealth = url === '/health'
    const outgoing = request({
      host: target.hostname,
      port: target.port,
      method,
      path: isHealth ? `/_aws/execute-api/${apiId}/$default${url}` : url,
      headers: {
        ...headers,
        host: isHealth ? target.host : host,
        'x-forwarded-proto': 'https',
        'x-forwarded-for': FORWARDED_FOR,
        'cloudfront-viewer-country': country,
        ...(isHealth && { 'x-footfall-edge': edgeKey }),
      },
    })
    outgoing.on('response', upstream => {
      response.writeHead(upstream.statusCode ?? 502, { ...CORS_OF_POLICY, ...upstream.headers })
      upstream.pipe(response)
    })
    outgoing.on('error', () => response.writeHead(502).end())
    incoming.on('error', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

  const servers = [createServer(forward), createTlsServer(await createCertificate(host), forward)] as const
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const [httpPort, httpsPort] = servers.map(server => (server.address() as AddressInfo).port) as [
    number,
    number,
  ]
  return {
    url: `http://127.0.0.1:${httpPort}`,
    tlsPort: httpsPort,
    async stop() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

const CERTIFICATE = `
import datetime, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, 'rehearsal')])
now = datetime.datetime.now(datetime.timezone.utc)
certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
  .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
  .not_valid_after(now + datetime.timedelta(days=2))
  .add_extension(x509.SubjectAlternativeName([x509.DNSName(sys.argv[1])]), False).sign(key, hashes.SHA256()))
pem = serialization.Encoding.PEM
print(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode())
print(certificate.public_bytes(pem).decode())
`

/** Creates a self-signed certificate with Python, because Node cannot. The emulator brings the library. */
async function createCertificate(host: string): Promise<{ key: string; cert: string }> {
  const pem = await runPython(CERTIFICATE, [host])
  return { key: pem, cert: pem }
}
