import { once } from 'node:events'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { jsonResponse } from '#lambdas/http/response'
import { type HttpOptions, type HttpServer, startHttp } from '#local/http/server'
import type { Route } from '#schemas/route'

type Received = { route: Route; request: HttpRequest }

/**
 * Starts a front whose functions all respond with `respond`. The requests that reach them are in `received`.
 */
export async function startFront(
  respond: (request: HttpRequest) => HttpResponse | Promise<HttpResponse> = () =>
    jsonResponse(200, { ok: true }),
  overrides: Partial<HttpOptions> = {},
) {
  const received: Received[] = []
  const handle = async (route: Route, request: HttpRequest) => {
    received.push({ route, request })
    return respond(request)
  }
  const functions = {
    track: handle,
    reports: handle,
    stream: handle,
    control: handle,
    auth: handle,
    site: handle,
    pages: handle,
    mcp: handle,
    replay: handle,
  }
  const front = await startHttp({ port: 0, functions, log: () => {}, ...overrides })
  onTestFinished(() => front.close())
  return { front, received, base: `http://127.0.0.1:${front.port}` }
}

/** Sends bytes that no HTTP client would send, and returns the text of the response. */
export async function sendBytes({ port }: HttpServer, bytes: string | Buffer): Promise<string> {
  const socket = createConnection(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

/** Opens a connection. `response`: all that the front sends until it closes the connection. */
export async function openConnection({ port }: Pick<HttpServer, 'port'>) {
  const socket = createConnection(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const response = text(socket)
  response.catch(() => {})
  await once(socket, 'connect')
  return { socket, response }
}
