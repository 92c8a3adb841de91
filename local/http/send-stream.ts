import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '#lambdas/http'

/** A response whose body is being sent. */
export type StreamedBody = {
  /** Resolves when the response has ended and its body has released what it holds. */
  ended: Promise<void>
  /** Ends the body early, as a whole response. */
  stop(): void
}

/**
 * Sends a response whose body is a stream. It reads the body no faster than the client does, and cancels it when the client
 * goes away. The response to HEAD has no body.
 */
export function sendStream(
  response: ServerResponse,
  { status, headers }: HttpResponse,
  body: ReadableStream<Uint8Array>,
): StreamedBody {
  const reader = body.getReader()
  let cancelled: Promise<void> | undefined
  const cancel = () => (cancelled ??= reader.cancel().catch(() => {}))
  // The connection of a stream has no further request.
  response.shouldKeepAlive = false
  let wake = () => {}
  response.on('drain', () => wake())
  response.once('close', () => {
    void cancel()
    wake()
  })

  async function send(): Promise<void> {
    response.writeHead(status, headers)
    response.flushHeaders()
    // Node throws away what is written in response to HEAD.
    if (response.req.method === 'HEAD') return
    for (;;) {
      const { value, done } = await reader.read()
      if (done || response.destroyed) return
      if (!response.write(value) && !response.destroyed) await new Promise<void>(resolve => (wake = resolve))
    }
  }

  const ended = send()
    .catch(() => {})
    .then(() => {
      response.end()
      return cancel()
    })
  return { ended, stop: () => void cancel() }
}
