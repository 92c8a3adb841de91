import { CommandError, problemOf } from '#cli/errors'
import type { Io } from '#cli/io'
import { jsonOrNull } from '#core/text/json-or-null'
import type { Answer, Call, Endpoint, Values } from './endpoint.ts'

/** Where the access token comes from: the stored session, or the demo. */
export type Credential = {
  /** Null: not signed in. */
  token(): Promise<string | null>
  /** Another token in the place of one that was refused; null when there is none. */
  renewed(refused: string): Promise<string | null>
}

export type Response<Of extends Endpoint = Endpoint> = {
  answer: Answer<Of>
  /** The body as it came. */
  text: string
  headers: Headers
}

export type Client = <Of extends Endpoint>(call: Call<Of>) => Promise<Response<Of>>

/** The part of the world that calls need. */
export type Network = Pick<Io, 'fetch'>

/** A read of a large lake may take minutes. A service that is gone is noticed at once. */
const TIMEOUT_MS = 180_000
/** Larger bodies than any of our responses; a foreign server cannot fill the memory. */
const MAX_RESPONSE_BYTES = 64 * 1_048_576

/** Calls the service as one account. A refused token is renewed once, and the call is sent once more. */
export function createClient(io: Network, baseUrl: string, credential: Credential): Client {
  return async call => {
    const token = await credential.token()
    if (token === null) throw new CommandError({ ...NOT_SIGNED_IN })
    const first = await send(io, baseUrl, call, token)
    if (first.status !== 401) return successOf(first)
    const renewed = await credential.renewed(token)
    if (renewed === null) return successOf(first)
    return successOf(await send(io, baseUrl, call, renewed))
  }
}

/** Calls an endpoint that takes no credential. */
export function createOpenClient(io: Network, baseUrl: string): Client {
  return async call => successOf(await send(io, baseUrl, call, null))
}

export const NOT_SIGNED_IN = {
  error: 'AUTH_REQUIRED',
  message: 'You are not signed in to this service.',
  suggested_action:
    'Sign in: footfall login. A service with a demo answers without it: footfall --demo stats demo',
} as const

type Raw = { status: number; text: string; headers: Headers }

async function send(io: Network, baseUrl: string, call: Call, token: string | null): Promise<Raw> {
  const [method = 'GET', template = ''] = call.endpoint.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(call.path?.[name] ?? ''))
  const response = await answerOf()
  return { status: response.status, text: await bodyText(response, baseUrl), headers: response.headers }

  function answerOf(): Promise<globalThis.Response> {
    return io
      .fetch(`${baseUrl}${path}${queryString(call.query)}`, {
        method,
        headers: {
          Accept: 'application/json',
          'User-Agent': 'footfall-cli',
          ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
          ...(call.ifMatch !== undefined && { 'If-Match': call.ifMatch }),
          ...(token !== null && { Authorization: `Bearer ${token}` }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        // A redirect would carry the question to a server that nobody named.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      .catch(error => {
        throw unreachable(baseUrl, error)
      })
  }
}

/** The body as text. Throws CommandError when it is larger than any of ours, late or cut off. */
export async function bodyText(response: globalThis.Response, baseUrl: string): Promise<string> {
  try {
    return await boundedText(response)
  } catch (error) {
    // The service has answered, so it is there.
    throw isTimeout(error) ? unreachable(baseUrl, error) : brokenAnswer(baseUrl)
  }
}

async function boundedText(response: globalThis.Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('The response is too large')
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function queryString(query: Values = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]))}`
}

function successOf<Of extends Endpoint>({ status, text, headers }: Raw): Response<Of> {
  const body = jsonOrNull(text)
  if (status < 200 || status >= 300)
    throw new CommandError(problemOf(status, body, headers.get('Retry-After')))
  if (typeof body !== 'object' || body === null) throw new CommandError({ ...NO_JSON })
  return { answer: body as Answer<Of>, text, headers }
}

const NO_JSON = {
  error: 'UNEXPECTED_ANSWER',
  message: 'The answer is no JSON, so this is not a Footfall service.',
  suggested_action: 'Check the address with --base-url or AA_BASE_URL.',
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

function brokenAnswer(baseUrl: string): CommandError {
  return new CommandError({
    error: 'UNEXPECTED_ANSWER',
    message: `The answer of ${baseUrl} was cut off, or is larger than ${MAX_RESPONSE_BYTES / 1_048_576} MiB.`,
    suggested_action: 'Try again, with a shorter time or a smaller --limit if it happens again.',
    retryable: true,
  })
}

function unreachable(baseUrl: string, error: unknown): CommandError {
  const isLate = isTimeout(error)
  return new CommandError({
    error: isLate ? 'TIMEOUT' : 'UNREACHABLE',
    message: isLate
      ? `${baseUrl} did not answer within ${TIMEOUT_MS / 1_000} s.`
      : `No service answers at ${baseUrl}.`,
    suggested_action:
      'Start the service with `npm start`, or name another one with --base-url or AA_BASE_URL.',
    retryable: true,
  })
}
