import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '#lambdas/http/http'

/** A response whose body is being sent. */
export type StreamedBody = {
  /** Resolves when the response has ended and its body has released what it holds. */
  ended: Promise<void>
  /** Ends the body early, as a whole response. */
  stop(): void
}

/**
 * A client that takes nothing for this time is disconnected, ms. Otherwise it could hold memory, and a
 * revoked credential would not be checked again, because the body waits for it.
 */
const STALLED_MS = 60_000

/**
 * Sends a response whose body is a stream. It reads the body no faster than the client does, and cancels it
 * when the client goes away or stops reading. The response to HEAD has no body.
 */
export function sendStream(
  response: ServerResponse,
  { status, headers }: HttpResponse,
  body: ReadableStream<Uint8Array>,
  stalledMs = STALLED_MS,
): StreamedBody {
  const reader = body.getReader()
  let cancelled: Promise<void> | undefined
  const cancel = () => (cancelled ??= reader.cancel().catch(() => {}))
  // The connection closes after the stream: no other request can use it meanwhile.
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
      if (!response.write(value) && !response.destroyed) await drained()
    }
  }

  async function drained(): Promise<void> {
    const stalled = setTimeout(() => response.destroy(), stalledMs)
    await new Promise<void>(resolve => (wake = resolve))
    clearTimeout(stalled)
  }

  const ended = send()
    .catch(() => {})
    .then(() => {
      response.end()
      return cancel()
    })
  return { ended, stop: () => void cancel() }
}
