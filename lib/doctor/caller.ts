import { SECOND_MS } from '#lib/restore/wait'

/** An answer of the service; `status` 0: there was none, and `text` says why. */
export type Answer = { status: number; headers: Headers; text: string }

export type Request = {
  method?: string
  query?: Record<string, string>
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown
  headers?: Record<string, string>
}

/** Sends a request with the API key. Never rejects. */
export type Caller = (path: string, request?: Request) => Promise<Answer>

/** Longer than any answer of the service: API Gateway waits 30 s. */
const TIMEOUT_MS = 60 * SECOND_MS
/** A browser of a person, because the service leaves out events of programs that say what they are. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36'

/** Calls the service at `baseUrl`. Without a key it calls as a stranger. */
export function createCaller(baseUrl: string, apiKey: string | null): Caller {
  return async (path, { method, query = {}, body, headers } = {}) => {
    const url = new URL(baseUrl + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    try {
      const response = await fetch(url, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          'User-Agent': USER_AGENT,
          'Content-Type': 'application/json',
          ...(apiKey !== null && { 'X-API-Key': apiKey }),
          ...headers,
        },
        ...(body !== undefined && { body: toBytes(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (error) {
      return { status: 0, headers: new Headers(), text: reasonOf(error) }
    }
  }
}

function toBytes(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

/** The cause of a failed fetch says more than its message. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Error }
  return cause?.message ?? message
}

/** The body as an object, or an empty one where it is no JSON. */
export function jsonOf({ text }: Pick<Answer, 'text'>): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** The status and the start of an answer, for a finding. */
export function shown({ status, text }: Answer): string {
  return status === 0 ? `no answer (${text})` : `${status} ${text.slice(0, 300)}`
}
