import { createServer, type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import findMyWay from 'find-my-way'
import { ApiError } from '#core/errors'
import type { Log } from '#core/ports'
import type { HttpFunction, HttpRequest, HttpResponse } from '#lambdas/http'
import { payloadTooLarge } from '#lambdas/json-body'
import { parseQuery } from '#lambdas/query-string'
import { errorResponse, PREFLIGHT } from '#lambdas/response'
import { routeNotFound } from '#lambdas/route-not-found'
import { MAX_BODY_BYTES, type Route, routes } from '#schemas/routes'

export type HttpOptions = {
  /** 0 takes any free one. */
  port: number
  /** Address to listen on; default: all of this machine's. */
  host?: string
  functions: Record<Route['function'], HttpFunction>
  /** Pages that only this machine has, such as the demo page: true when it has taken the request. */
  extra?: (request: IncomingMessage, response: ServerResponse) => boolean
  log: Log
}

export type HttpServer = {
  port: number
  /** Takes no more requests, and resolves when those under way are answered. */
  close(): Promise<void>
}

type Target = { route: Route; answer: HttpFunction }

const NO_BODY = new Uint8Array(0)
/** A refused body is read on, unkept, up to here, so that its sender gets to see the answer. */
const DISCARDED_BYTES = 8 * MAX_BODY_BYTES
/** How long a stop waits for requests under way. */
const CLOSE_WITHIN_MS = 10_000

/**
 * The HTTP front of one machine: requests of the routes table go to their functions, as API Gateway does it on AWS.
 * Rejects when the port cannot be had.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const router = routerOf(options.functions)
  /** Connections that have not sent a request: closeIdleConnections leaves those open. */
  const silent = new Set<Socket>()
  let closing = false

  const server = createServer({ requestTimeout: 30_000, keepAliveTimeout: 65_000 }, onRequest)
  // A client that asks before it sends (curl, from 1 MiB on) is told before it sends.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!(Number(request.headers['content-length']) > MAX_BODY_BYTES)) response.writeContinue()
    onRequest(request, response)
  })
  server.on('clientError', answerMalformed)
  server.on('connection', socket => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    silent.delete(request.socket)
    if (request.method === 'OPTIONS') {
      reply(response, PREFLIGHT)
      return
    }
    try {
      const url = request.url ?? '/'
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const found = router.find(method as 'GET', url)
      if (found === null) {
        if (options.extra?.(request, response)) return
        throw routeNotFound(method ?? '', url)
      }
      const target: Target | null = found.store
      if (target === null) throw new ApiError('MISSING_FIELDS', 'the path has bad percent-encoding')
      const query = parseQuery(target.route, found.searchParams as unknown as string)
      readBody(request, (error, body) => {
        if (error !== null) {
          reply(response, errorResponse(error, target.route.path, options.log))
          return
        }
        const mark = url.indexOf('?')
        const call: HttpRequest = {
          method: target.route.method,
          path: mark === -1 ? url : url.slice(0, mark),
          params: found.params as Record<string, string>,
          query,
          headers: request.headers as Record<string, string | undefined>,
          body,
          ip: callerAddress(request),
        }
        if (target.route.function === 'reports') call.signal = goneSignal(response)
        target.answer(target.route, call).then(
          answer => reply(response, answer),
          failure => reply(response, errorResponse(failure, target.route.path, options.log)),
        )
      })
    } catch (error) {
      reply(response, errorResponse(error, 'routing', options.log))
    }
  }

  function reply(response: ServerResponse, answer: HttpResponse): void {
    // Else the connection would outlive its last answer, and hold up the stop.
    if (closing) response.shouldKeepAlive = false
    send(response, answer)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: options.host }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      closing = true
      return new Promise(resolve => {
        const late = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
        server.close(() => {
          clearTimeout(late)
          resolve()
        })
        server.closeIdleConnections()
        for (const socket of silent) socket.destroy()
      })
    },
  }
}

function routerOf(functions: HttpOptions['functions']) {
  const router = findMyWay({
    // Longer than any that Node lets through: an id of any length is looked for, and not found.
    maxParamLength: maxHeaderSize,
    onBadUrl: () => {},
    querystringParser: text => text,
  })
  for (const route of Object.values<Route>(routes)) {
    const target: Target = { route, answer: functions[route.function] }
    router.on(route.method, route.path.replace(/\{(\w+)\}/g, ':$1(^.+$)'), () => {}, target)
  }
  return router
}

/** Collects the body. Over the limit, `done` gets PAYLOAD_TOO_LARGE at once, and the rest is thrown away. */
function readBody(request: IncomingMessage, done: (error: ApiError | null, body: Uint8Array) => void): void {
  const { headers } = request
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    done(null, NO_BODY)
    return
  }
  let refused = Number(length) > MAX_BODY_BYTES
  let size = 0
  let chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (!refused && size > MAX_BODY_BYTES) {
      refused = true
      chunks = []
      done(payloadTooLarge(MAX_BODY_BYTES), NO_BODY)
    }
    if (!refused) chunks.push(chunk)
    else if (size > DISCARDED_BYTES) request.destroy()
  })
  if (refused) done(payloadTooLarge(MAX_BODY_BYTES), NO_BODY)
  request.on('end', () => {
    if (!refused) done(null, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  })
}

function send(response: ServerResponse, { status, headers, body, cookies }: HttpResponse): void {
  if (response.destroyed) return
  if (cookies !== undefined) response.setHeader('Set-Cookie', cookies)
  if (status === 204 || status === 304) response.writeHead(status, headers)
  else response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

/** Aborted when the caller's connection ends before the answer is sent. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}

/** The peer, or whom a proxy on this machine names as its own peer: the last entry, as only that one is the proxy's. */
function callerAddress(request: IncomingMessage): string | null {
  const peer = request.socket.remoteAddress
  if (peer === undefined) return null
  const forwarded = request.headers['x-forwarded-for'] as string | undefined
  if (forwarded === undefined || !LOOPBACK.test(peer)) return peer
  return forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() || peer
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

/** What cannot even be read as HTTP gets an answer of its own, as there is no response object for it. */
function answerMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = MALFORMED[error.code ?? ''] ?? 'the request is not valid HTTP'
  const { headers, body } = errorResponse(new ApiError('INVALID_BODY', message), 'routing', () => {})
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

const MALFORMED: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'the request line and headers are larger than 16 kB',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request took longer than 30 s to arrive',
}
