import { createServer, type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import findMyWay from 'find-my-way'
import { ApiError, unavailable } from '#core/errors'
import type { Log } from '#core/ports'
import type { BufferedResponse, HttpFunction, HttpRequest, HttpResponse } from '#lambdas/http'
import { payloadTooLarge } from '#lambdas/json-body'
import { parseQuery } from '#lambdas/query-string'
import { errorResponse, PREFLIGHT } from '#lambdas/response'
import { routeNotFound } from '#lambdas/route-not-found'
import { visibleHeaders } from '#lambdas/visible-headers'
import { MAX_BODY_BYTES, type Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { createByteBudget } from './byte-budget.ts'
import { createLostClients } from './lost-clients.ts'
import { type StreamedBody, sendStream } from './send-stream.ts'
import { type TrustedProxies, trustProxies } from './trusted-proxies.ts'

export type HttpOptions = {
  /** 0 chooses a free port. */
  port: number
  /** Address to listen on. Default: all addresses of this machine. */
  host?: string
  functions: Record<Route['function'], HttpFunction>
  /**
   * Responds to pages that AWS does not have, such as the demo site, and returns true; returns false for any
   * other request.
   */
  localPages?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Whose X-Forwarded-For counts. Default: nobody's, so that the caller is the peer of the connection. */
  proxies?: TrustedProxies
  /**
   * Lower-case name of the header in which a proxy sends the country of the user. It reaches functions from
   * trusted proxies alone.
   */
  countryHeader?: string | undefined
  log: Log
  /** Default: CAPS. */
  caps?: typeof CAPS
}

/**
 * What the front takes at the same time: open connections, and bytes of bodies that are read and not yet
 * answered. More get 503 with Retry-After. 20,000 connections take about 200 MB; a browser has a few, and the
 * tracker closes its own.
 */
export const CAPS = { connections: 20_000, bodyBytes: 128 * 1024 * 1024 }
const RETRY_SECONDS = 5

export type HttpServer = {
  port: number
  /** Accepts no new request, and resolves when the open requests have their responses. */
  close(): Promise<void>
}

type Target = { route: Route; respond: HttpFunction }

const NO_BODY = new Uint8Array(0)
/**
 * A refused body is read and thrown away up to this size, because most clients read the response only after
 * they have sent the body.
 */
const DISCARDED_BYTES = 8 * MAX_BODY_BYTES
/** Longest time that `close` waits for open requests. */
const CLOSE_WITHIN_MS = 10_000

/**
 * Starts the HTTP front of one machine. It routes requests by the table of routes to their functions, as API
 * Gateway does on AWS. Rejects when it cannot listen on the port.
 */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const router = createRouter(options.functions)
  const proxies = options.proxies ?? trustProxies([])
  /** Connections that have not sent a request. closeIdleConnections does not close them. */
  const silentConnections = new Set<Socket>()
  const openStreams = new Set<StreamedBody>()
  const { connections, bodyBytes } = options.caps ?? CAPS
  const bodies = createByteBudget(bodyBytes)
  let openConnections = 0
  const lostClients = createLostClients()
  let isClosing = false

  const server = createServer({ requestTimeout: 30_000, keepAliveTimeout: 65_000 }, onRequest)
  // A client that sends `Expect: 100-continue` (curl does from 1 MiB on) gets the refusal before it sends the
  // body.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!(Number(request.headers['content-length']) > MAX_BODY_BYTES)) response.writeContinue()
    onRequest(request, response)
  })
  server.on('clientError', respondToMalformed)
  server.on('connection', socket => {
    silentConnections.add(socket)
    openConnections += 1
    socket.once('close', () => {
      silentConnections.delete(socket)
      openConnections -= 1
    })
  })

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    silentConnections.delete(request.socket)
    if (request.method === 'OPTIONS') {
      respond(response, PREFLIGHT)
      return
    }
    try {
      if (openConnections > connections) {
        response.shouldKeepAlive = false
        throw unavailable('The service has too many open connections. Try again in 5 seconds.', RETRY_SECONDS)
      }
      const url = request.url ?? '/'
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const match = router.find(method as 'GET', url)
      if (match === null) {
        if (options.localPages?.(request, response)) return
        throw routeNotFound(method ?? '', url)
      }
      const target: Target | null = match.store
      if (target === null)
        throw new ApiError('MISSING_FIELDS', 'The path has invalid percent-encoding. Encode it as UTF-8.')
      const query = parseQuery(target.route, match.searchParams as unknown as string)
      readBody(request, bodies.open(response), (error, body) => {
        if (error !== null) {
          respond(response, errorResponse(error, target.route.path, options.log))
          return
        }
        const queryStart = url.indexOf('?')
        const { socket, headers } = request
        const caller = proxies.callerOf(
          socket.remoteAddress,
          headers['x-forwarded-for'] as string | undefined,
        )
        if (!caller.isForwarded && options.countryHeader !== undefined) delete headers[options.countryHeader]
        const httpRequest: HttpRequest = {
          method: target.route.method,
          path: queryStart === -1 ? url : url.slice(0, queryStart),
          params: match.params as Record<string, string>,
          query,
          headers: visibleHeaders(target.route, headers as Record<string, string | undefined>),
          body,
          ip: caller.address,
        }
        if (['reports', 'mcp'].includes(target.route.function))
          httpRequest.signal = disconnectSignal(response)
        target.respond(target.route, httpRequest).then(
          httpResponse => respond(response, httpResponse),
          error => respond(response, errorResponse(error, target.route.path, options.log)),
        )
      })
    } catch (error) {
      respond(response, errorResponse(error, 'routing', options.log))
    }
  }

  function respond(response: ServerResponse, httpResponse: HttpResponse): void {
    // A connection that stays open after its last response would delay `close`.
    if (isClosing) response.shouldKeepAlive = false
    const { body } = httpResponse
    if (!(body instanceof ReadableStream)) send(response, { ...httpResponse, body })
    else {
      const streamed = sendStream(response, httpResponse, body)
      openStreams.add(streamed)
      if (response.socket !== null) lostClients.watch(response.socket)
      void streamed.ended.then(() => openStreams.delete(streamed))
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: options.host }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      isClosing = true
      return new Promise(resolve => {
        const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS)
        server.close(async () => {
          clearTimeout(deadline)
          await Promise.all([...openStreams].map(({ ended }) => ended))
          resolve()
        })
        server.closeIdleConnections()
        for (const stream of openStreams) stream.stop()
        for (const socket of silentConnections) socket.destroy()
      })
    },
  }
}

function createRouter(functions: HttpOptions['functions']) {
  const router = findMyWay({
    // Longer than Node allows a path to be, so that an id of any length reaches its function, which does not
    // find it.
    maxParamLength: maxHeaderSize,
    onBadUrl: () => {},
    querystringParser: text => text,
  })
  for (const route of Object.values<Route>(routes)) {
    const target: Target = { route, respond: functions[route.function] }
    router.on(route.method, route.path.replace(/\{(\w+)\}/g, ':$1(^[^]+$)'), () => {}, target)
  }
  return router
}

/**
 * Collects the body. Above the limit `done` gets PAYLOAD_TOO_LARGE at once, and the rest of the body is
 * thrown away.
 */
function readBody(
  request: IncomingMessage,
  takeBytes: (bytes: number) => boolean,
  done: (error: ApiError | null, body: Uint8Array) => void,
): void {
  const { headers } = request
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    done(null, NO_BODY)
    return
  }
  let isRefused = Number(length) > MAX_BODY_BYTES
  let size = 0
  let chunks: Buffer[] = []
  const refuse = (error: ApiError) => {
    isRefused = true
    chunks = []
    done(error, NO_BODY)
  }
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (!isRefused && size > MAX_BODY_BYTES) refuse(payloadTooLarge(MAX_BODY_BYTES))
    else if (!isRefused && !takeBytes(chunk.length))
      refuse(unavailable('The service reads too many bodies at once. Try again in 5 seconds.', RETRY_SECONDS))
    if (!isRefused) chunks.push(chunk)
    else if (size > DISCARDED_BYTES) request.destroy()
  })
  if (isRefused) done(payloadTooLarge(MAX_BODY_BYTES), NO_BODY)
  request.on('end', () => {
    if (!isRefused) done(null, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  })
}

function send(response: ServerResponse, { status, headers, body, cookies }: BufferedResponse): void {
  if (response.destroyed) return
  if (cookies !== undefined) response.setHeader('Set-Cookie', cookies)
  if (status === 204 || status === 304) response.writeHead(status, headers)
  else response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

/** A signal that aborts when the caller disconnects before the response is sent. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) disconnected.abort()
  })
  return disconnected.signal
}

/**
 * Responds to bytes that are not an HTTP request. Node has no response object for them, so the text is
 * written by hand.
 */
function respondToMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = MALFORMED[error.code ?? ''] ?? 'The request is not valid HTTP. Send HTTP/1.1.'
  const { headers, body } = errorResponse(new ApiError('INVALID_BODY', message), 'routing', () => {})
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

const MALFORMED: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers are larger than 16 kB. Send shorter headers.',
  ERR_HTTP_REQUEST_TIMEOUT:
    'The request took longer than 30 s to arrive. Send it again, in smaller parts if needed.',
}
