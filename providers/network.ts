import { Resolver } from 'node:dns/promises'
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { isIP } from 'node:net'
import { OutboundFailure, type OutboundReason } from '#core/outbound/outbound-failure'
import type { Network, NetworkRequest, NetworkResponse } from '#core/ports'

/** How long one question to the DNS may take, ms, and how often it is asked. */
const DNS = { timeout: 3_000, tries: 2 }
/** How long a connection may take until the server has accepted it, ms; then the next address is tried. */
const CONNECT_MS = 5_000
/** Bytes of all response headers. */
const MAX_HEADER_BYTES = 32_768

/** Errors of the DNS that say that there is no such address. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/**
 * The Network port on Node's own clients. Each request has an agent and a connection of its own: the global
 * agents may use a proxy of the environment, which would connect without our checks, and a kept connection
 * would not be checked again.
 */
export function createNetwork(): Network {
  return { addresses: lookUp, exchange }
}

/**
 * Asks the DNS alone, not /etc/hosts, and without the search domains of the machine: both know names of the
 * own network.
 */
async function lookUp(hostname: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver(DNS)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    signal.throwIfAborted()
    const failure = answers.find(isFailure)
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0 || failure === undefined) return addresses
    throw new OutboundFailure('dns', `The DNS gives no answer for the host ${hostname}.`, failure)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function isFailure(answer: PromiseSettledResult<unknown>): boolean {
  return answer.status === 'rejected' && !NO_ADDRESS.has(answer.reason.code)
}

function exchange(sent: NetworkRequest): Promise<NetworkResponse> {
  const { url, address, method, headers, body, signal } = sent
  const isTls = url.protocol === 'https:'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const request = (isTls ? httpsRequest : httpRequest)({
    agent: isTls ? new TlsAgent({ maxCachedSessions: 0 }) : new Agent(),
    host: address,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      connection: 'close',
      ...(body !== undefined && { 'content-length': String(body.length) }),
    },
    // A certificate is checked against the name of the URL. An address has no name to send.
    ...(isTls && isIP(hostname) === 0 && { servername: hostname.replace(/\.$/, '') }),
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  })
  limitConnecting(request, isTls)
  return new Promise<NetworkResponse>((resolve, reject) => {
    request.once('response', message => readResponse(message, sent).then(resolve, reject))
    request.on('error', reject)
    // A response that switches protocols closes the connection without an error.
    request.once('close', () => reject(new Error('closed without a response')))
    request.end(body)
  })
    .catch(error => {
      signal.throwIfAborted()
      throw toFailure(error, url)
    })
    .finally(() => request.destroy())
}

/** Ends a request whose connection is not ready in time. */
function limitConnecting(request: ClientRequest, isTls: boolean): void {
  request.once('socket', socket => {
    const timer = setTimeout(
      () => request.destroy(Object.assign(new Error('slow connection'), { code: 'ETIMEDOUT' })),
      CONNECT_MS,
    )
    for (const event of [isTls ? 'secureConnect' : 'connect', 'close']) {
      socket.once(event, () => clearTimeout(timer))
    }
  })
}

async function readResponse(
  message: IncomingMessage,
  { maxBytes }: NetworkRequest,
): Promise<NetworkResponse> {
  const status = message.statusCode ?? 0
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
  )
  // Nobody reads the body of a redirect.
  if (status >= 300 && status < 400) return { status, headers, body: new Uint8Array(), isCut: false }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of message) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  return { status, headers, body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes }
}

const PROBLEMS = {
  tls: 'has no certificate that can be trusted',
  connect: 'does not accept a connection',
  response: 'sent no response that can be read',
} satisfies Partial<Record<OutboundReason, string>>

function toFailure(error: NodeJS.ErrnoException, url: URL): OutboundFailure {
  const reason = reasonOf(error.code ?? '')
  return new OutboundFailure(reason, `The server of ${url.host} ${PROBLEMS[reason]}.`, error)
}

function reasonOf(code: string): keyof typeof PROBLEMS {
  if (/^(ECONNREFUSED|ETIMEDOUT|EHOST\w+|ENET\w+|EADDR\w+|EACCES|EPERM)$/.test(code)) return 'connect'
  if (/CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|^UNABLE_TO_|SELF_SIGNED/.test(code)) return 'tls'
  return 'response'
}
