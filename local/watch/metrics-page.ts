import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '#core/ports'
import { caught } from '#local/caught'
import { isLoopbackAddress } from '#local/http/plain-address'
import { isLoopback } from '#providers/openid'
import { PROMETHEUS_TYPE } from './prometheus.ts'

export type MetricsPageOptions = {
  /** The setting METRICS_SECRET. */
  secret: string | undefined
  /** The metrics as text. */
  read(): Promise<string>
  log: Log
}

/**
 * Headers that proxies add. Who sends one speaks for somebody else, so it is not a program of this machine.
 */
const PROXY_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
  'x-forwarded-proto',
]
const PATH = '/metrics'
const REFUSAL =
  'GET /metrics answers programs of this machine that call it by its own address, and others with the header `Authorization: Bearer` and the value of the setting METRICS_SECRET.'

/**
 * Serves `GET /metrics` to programs of this machine, and to whoever has the secret. The returned function
 * returns false for every other path.
 */
export function createMetricsPage({ secret, read, log }: MetricsPageOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || (request.url ?? '').split('?', 1)[0] !== PATH) return false
    if (!isOfThisMachine(request) && !hasSecret(request, secret)) {
      send(response, 401, 'text/plain; charset=utf-8', `${REFUSAL}\n`)
      return true
    }
    void caught(log, 'metrics', async () => {
      try {
        send(response, 200, PROMETHEUS_TYPE, await read())
      } catch (error) {
        send(
          response,
          503,
          'text/plain; charset=utf-8',
          'The state cannot be read now. Try again in a few seconds.\n',
        )
        throw error
      }
    })()
    return true
  }
}

/**
 * Whether a program of this machine asks, by an address of this machine. A page of a browser that was sent to
 * 127.0.0.1 by its own name has another host. A proxy on this machine adds a header, or speaks HTTP/1.0 as
 * nginx does by default.
 */
function isOfThisMachine({ headers, socket, httpVersion }: IncomingMessage): boolean {
  const host = `http://${headers.host ?? ''}`
  return (
    httpVersion === '1.1' &&
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    URL.canParse(host) &&
    isLoopback(new URL(host).hostname) &&
    PROXY_HEADERS.every(name => headers[name] === undefined)
  )
}

function hasSecret({ headers }: IncomingMessage, secret: string | undefined): boolean {
  const [, given] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  return secret !== undefined && given !== undefined && timingSafeEqual(digest(given), digest(secret))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.destroyed) return
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
  })
  response.end(body)
}
