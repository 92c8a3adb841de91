import { CommandError, problemOf } from '#cli/errors'
import { bodyText, type Credential, type Network, NOT_SIGNED_IN } from '#cli/http/client'
import { jsonOrNull } from '#core/text/json-or-null'

/** One JSON-RPC message. Absent `id`: a notification, which has no answer. */
export type Message = {
  id?: string | number
  method?: string
  params?: Record<string, unknown>
  result?: unknown
}

/** Sends a message to the service. Resolves to its answer, or null for a notification. */
export type Bridge = (message: Message) => Promise<unknown>

const SERVER_ERROR = -32000
const VERSION = 'io.modelcontextprotocol/protocolVersion'
/** A report of a large lake may take minutes. */
const TIMEOUT_MS = 180_000

/**
 * Passes messages on to POST /mcp of the service, which has no sessions: each message is a request of its
 * own, with the headers that the protocol wants over HTTP. A refused token is renewed once.
 */
export function createBridge(io: Network, baseUrl: string, credential: Credential): Bridge {
  /** The revision that a client of before 2026-07-28 has agreed on with the service. */
  let agreed: string | undefined
  /** By the id of their requests, so that the client can cancel them. */
  const running = new Map<unknown, AbortController>()

  async function post(message: Message, token: string, signal: AbortSignal): Promise<Response> {
    const { method, params = {} } = message
    const revision = (params._meta as Record<string, unknown> | undefined)?.[VERSION]
    const name = params.name ?? params.uri
    return io.fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
        'User-Agent': 'footfall-cli',
        Authorization: `Bearer ${token}`,
        ...headerOf('MCP-Protocol-Version', revision ?? agreed),
        ...(revision !== undefined && { ...headerOf('Mcp-Method', method), ...headerOf('Mcp-Name', name) }),
      },
      body: JSON.stringify(message),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
  }

  async function send(message: Message, signal: AbortSignal): Promise<unknown> {
    const token = await credential.token()
    if (token === null) throw new CommandError({ ...NOT_SIGNED_IN })
    let response = await post(message, token, signal)
    if (response.status === 401) {
      const renewed = await credential.renewed(token)
      if (renewed !== null) response = await post(message, renewed, signal)
    }
    const body = jsonOrNull(await bodyText(response, baseUrl))
    if (response.status === 202) return null
    if (isJsonRpc(body)) return body
    const { message: text, suggested_action: action } = problemOf(
      response.status,
      body,
      response.headers.get('Retry-After'),
    )
    throw new CommandError({
      error: 'MCP',
      message: text,
      suggested_action: response.status === 404 ? OLD : action,
    })
  }

  return async message => {
    const { id, method } = message
    if (method === 'notifications/cancelled') running.get(message.params?.requestId)?.abort()
    const stop = new AbortController()
    if (id !== undefined) running.set(id, stop)
    try {
      const answer = await send(message, stop.signal)
      if (method === 'initialize') agreed = agreedIn(answer)
      return id === undefined ? null : answer
    } catch (error) {
      // A cancelled request has no answer, and a notification neither.
      return id === undefined || stop.signal.aborted
        ? null
        : failure(id, SERVER_ERROR, textOf(error, baseUrl))
    } finally {
      if (id !== undefined) running.delete(id)
    }
  }
}

/** A JSON-RPC error; the client shows its message. */
export function failure(id: Message['id'] | null, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

const OLD = 'The service is older than its tools for assistants. Update it.'

function textOf(error: unknown, baseUrl: string): string {
  if (error instanceof CommandError) return `${error.problem.message} ${error.problem.suggested_action}`
  return `The service at ${baseUrl} does not answer. Start it, or name another with --base-url.`
}

/** A header takes printable ASCII alone; the protocol writes other texts in base64. */
function headerOf(name: string, value: unknown): Record<string, string> {
  if (typeof value !== 'string') return {}
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  return { [name]: isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=` }
}

function agreedIn(answer: unknown): string | undefined {
  const { result } = answer as { result?: { protocolVersion?: unknown } }
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined
}

function isJsonRpc(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'jsonrpc' in body
}
