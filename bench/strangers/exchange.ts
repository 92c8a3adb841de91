import { type Agent, type OutgoingHttpHeaders, request } from 'node:http'

export type Sent = {
  port: number
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers?: OutgoingHttpHeaders
  /** An object is sent as JSON. */
  body?: object | string
  /** Loopback address of the client. Default: 127.0.0.1. */
  from?: string
  /** Default: a connection of its own, as a new visitor has. */
  agent?: Agent
}

export type Answer = {
  /** The status; a code of the system such as `ECONNREFUSED`; or `no answer` after TIMEOUT_MS. */
  outcome: string
  text: string
  /** Until the whole answer was here. */
  ms: number
}

/** How often each outcome came. */
export type Answers = Record<string, number>

/** A client that waits longer has gone, ms. */
export const TIMEOUT_MS = 10_000

/** Sends a request. Never rejects: what failed is the outcome. */
export function exchange({ from = '127.0.0.1', body, agent, ...sent }: Sent): Promise<Answer> {
  const startedAt = performance.now()
  const bytes = typeof body === 'object' ? JSON.stringify(body) : body
  return new Promise(resolve => {
    const end = (outcome: string, text = '') => {
      clearTimeout(timer)
      resolve({ outcome, text, ms: performance.now() - startedAt })
    }
    const client = request({
      ...{ host: '127.0.0.1', localAddress: from, agent: agent ?? false },
      ...{ port: sent.port, method: sent.method, path: sent.path },
      headers: {
        ...sent.headers,
        ...(bytes !== undefined && { 'Content-Length': Buffer.byteLength(bytes) }),
      },
    })
    const timer = setTimeout(() => {
      end('no answer')
      client.destroy()
    }, TIMEOUT_MS)
    client.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    client.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      response.on('end', () => end(String(response.statusCode), Buffer.concat(chunks).toString()))
    })
    client.end(bytes)
  })
}

/** Counts one outcome. */
export function count(answers: Answers, outcome: string): void {
  answers[outcome] = (answers[outcome] ?? 0) + 1
}
