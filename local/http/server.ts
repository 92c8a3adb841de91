import { createServer, type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import findMyWay from 'find-my-way'
import { ApiError, unavailable } from '#core/errors'
import type { Log } from '#core/ports'
import type { BufferedResponse, HttpFunction, HttpRequest, HttpResponse } from '#lambdas/http/http'
import { parseQuery } from '#lambdas/http/query-string'
import { errorResponse, PREFLIGHT } from '#lambdas/http/response'
import { routeNotFound } from '#lambdas/http/route-not-found'
import { visibleHeaders } from '#lambdas/http/visible-headers'
import { withoutSlash } from '#lambdas/http/without-slash'
import { MAX_BODY_BYTES, type Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { type Admission, CAPS, createAdmission, RETRY_SECONDS } from './admission.ts'
import { createLostClients } from './lost-clients.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { readBody } from './read-body.ts'
import { respondToMalformed } from './respond-to-malformed.ts'
import { type StreamedBody, sendStream } from './send-stream.ts'
import { type Caller, type TrustedProxies, trustProxies } from './trusted-proxies.ts'
import { usedAddress } from './used-address.ts'

export type HttpOptions = {
  /** 0 chooses a free port. */
  port: number
  /** Address to listen on. Default: all addresses of this machine. */
  host?: string
  /** A socket that listens already, in the place of `port` and `host`: its file descriptor. */
  fd?: number
  functions: Record<Route['function'], HttpFunction>
  /**
   * Responds to pages that AWS does not have, such as the demo site, and returns true; returns false for any
   * other request.
   */
  localPages?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Whose X-Forwarded-For counts. Default: nobody's, so that the caller is the peer of the connection. */
  proxies?: TrustedProxies
  /** Sees each caller with its header X-Forwarded-For. */
  watchCaller?: (caller: Caller, forwardedFor: string | undefined) => void
  /** Tell functions the address that a caller has used: where the settings name none. Default: false. */
  tellsAddress?: boolean
  /**
   * Lower-case name of the header in which a proxy sends the country of the user. It reaches functions from
   * trusted proxies alone.
   */
  countryHeader?: string | undefined
  log: Log
  /** What it takes at the same time. Default: CAPS, for this server alone. */
  admission?: Admission
}

export type HttpServer = {
  port: number
  /** Accepts no new request, and resolves when the open requests have their responses. */
  close(): Promise<void>
}

type Target = { route: Route; respond: HttpFunction }

/** A request that has not arrived whole in 30 s is cut off. Node looks every 5 s; its default is 30 s. */
const TIMEOUTS = { requestTimeout: 30_000, connectionsCheckingInterval: 5_000, keepAliveTimeout: 65_000 }
/**
 * Longest time that `close` waits for open requests. The service has ten seconds for its whole stop, and a
 * compaction takes five of them (STOP_WITHIN_MS of local/main.ts).
 */
const CLOSE_WITHIN_MS = 3_000

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
  const { connections, bodies, rates } = options.admission ?? createAdmission(CAPS, options.log)
  const lostClients = createLostClients({ log: options.log })
  let isClosing = false

  const inTurn = oneAtATime(onRequest)
  const server = createServer(TIMEOUTS, inTurn)
  // A client that sends `Expect: 100-continue` (curl does from 1 MiB on) gets the refusal before it sends the
  // body.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!(Number(request.headers['content-length']) > MAX_BODY_BYTES)) response.writeContinue()
    inTurn(request, response)
  })
  server.on('clientError', respondToMalformed)
  server.on('connection', socket => {
    silentConnections.add(socket)
    socket.once('close', () => silentConnections.delete(socket))
    connections.add(socket, proxies.callerOf(socket.remoteAddress, undefined).peer)
  })

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    silentConnections.delete(request.socket)
    if (request.method === 'OPTIONS') {
      respond(response, PREFLIGHT)
      return
    }
    try {
      const { socket, headers } = request
      const forwardedFor = headers['x-forwarded-for'] as string | undefined
      const caller = proxies.callerOf(socket.remoteAddress, forwardedFor)
      options.watchCaller?.(caller, forwardedFor)
      if (!connections.admit(socket, caller.peer)) {
        response.shouldKeepAlive = false
        throw unavailable(
          `The service has too many open connections. Close some, and try again in ${RETRY_SECONDS} seconds.`,
          RETRY_SECONDS,
        )
      }
      if (caller.isForwarded) response.once('close', () => connections.release(socket))
      const url = request.url ?? '/'
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const match = router.find(method as 'GET', url)
      if (match === null) {
        if (options.localPages?.(request, response)) return
        const page = withoutSlash(request.method ?? '', url)
        if (page !== null) {
          respond(response, page)
          return
        }
        throw routeNotFound(method ?? '', url)
      }
      const target: Target | null = match.store
      if (target === null)
        throw new ApiError('MISSING_FIELDS', 'The path has invalid percent-encoding. Encode it as UTF-8.')
      const query = parseQuery(target.route, match.searchParams as unknown as string)
      const takeBytes = bodies.open(response, caller.peer, Number(headers['content-length']))
      readBody(request, { takeBytes, rates }, (error, body) => {
        if (error !== null) {
          // The rest of a slow body is not waited for.
          if (error.code === 'REQUEST_TIMEOUT') response.shouldKeepAlive = false
          respond(response, errorResponse(error, target.route.path, options.log))
          return
        }
        const queryStart = url.indexOf('?')
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
        const address = options.tellsAddress === true ? usedAddress(headers, caller.isForwarded) : undefined
        if (address !== undefined) httpRequest.address = address
        if (['reports', 'mcp'].includes(target.route.function))
          httpRequest.signal = disconnectSignal(response)
        const endWork = connections.work(socket)
        target
          .respond(target.route, httpRequest)
          .catch(error => errorResponse(error, target.route.path, options.log))
          .then(httpResponse => respond(response, httpResponse))
          .catch(error => abandon(response, error))
          .finally(endWork)
      })
    } catch (error) {
      respond(response, errorResponse(error, 'routing', options.log))
    }
  }

  /** Resolves when the response, or its stream, was handed over. A client that does not read it is idle. */
  function respond(response: ServerResponse, httpResponse: HttpResponse): Promise<void> | undefined {
    // A connection that stays open after its last response would delay `close`.
    if (isClosing) response.shouldKeepAlive = false
    const { body } = httpResponse
    if (!(body instanceof ReadableStream)) {
      send(response, { ...httpResponse, body })
      return undefined
    }
    const streamed = sendStream(response, httpResponse, body)
    openStreams.add(streamed)
    if (response.socket !== null) lostClients.watch(response.socket)
    return streamed.ended.then(() => void openStreams.delete(streamed))
  }

  /** The response of a function cannot be sent, which is our bug. */
  function abandon(response: ServerResponse, error: Error): void {
    options.log('REQUEST_FAILED', { route: 'response', error: error.stack })
    response.destroy()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    const { port, host, fd } = options
    server.listen(fd === undefined ? { port, host } : { fd }, resolve)
  })
  // A connection that cannot be accepted must not end the process.
  server.on('error', error => options.log('REQUEST_FAILED', { route: 'accept', error: error.stack }))
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
