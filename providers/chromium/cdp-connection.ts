import type { Readable, Writable } from 'node:stream'

type Fields = Record<string, unknown>

/** An event of the DevTools protocol. `sessionId`: of which target; undefined: of the browser. */
export type CdpEvent = { method: string; params: Fields; sessionId?: string }

type Message = { id?: number; result?: Fields; error?: { message: string } } & Partial<CdpEvent>

export type CdpConnection = {
  /** Rejects when the browser refuses the command, or when the connection ends before its answer. */
  send(method: string, params?: Fields, sessionId?: string): Promise<Fields>
  /** Resolves when the browser has gone, or has sent more than it may. */
  ended: Promise<void>
}

/** Bytes of one message. A page of 6 million characters fits, with all of them escaped. */
const MAX_MESSAGE_BYTES = 40_000_000

/**
 * Speaks the DevTools protocol with a browser over two pipes, so that no port is open: messages are JSON,
 * each with a zero byte at its end. `onEvent` gets the events in their order.
 */
export function connectCdp(
  input: Writable,
  output: Readable,
  onEvent: (event: CdpEvent) => void,
): CdpConnection {
  const waiting = new Map<number, PromiseWithResolvers<Fields>>()
  const ended = Promise.withResolvers<void>()
  let isOver = false
  let nextId = 1
  let chunks: Buffer[] = []
  let size = 0

  /** A page that has taken over its browser may send anything. An error here would end our process. */
  function receiveSafely(chunk: Buffer): void {
    try {
      receive(chunk)
    } catch {
      close()
    }
  }

  function receive(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(0); end >= 0 && !isOver; end = rest.indexOf(0)) {
      const text = Buffer.concat([...chunks, rest.subarray(0, end)]).toString()
      rest = rest.subarray(end + 1)
      chunks = []
      size = 0
      dispatch(JSON.parse(text))
    }
    size += rest.length
    if (size > MAX_MESSAGE_BYTES) close()
    else if (rest.length > 0) chunks.push(rest)
  }

  function dispatch({ id, result = {}, error, method, params = {}, sessionId }: Message): void {
    if (id === undefined) {
      if (method !== undefined) onEvent({ method, params, ...(sessionId !== undefined && { sessionId }) })
      return
    }
    const answer = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) answer?.resolve(result)
    else answer?.reject(new Error(`the browser refuses: ${error.message}`))
  }

  function close(): void {
    if (isOver) return
    isOver = true
    chunks = []
    output.destroy()
    input.destroy()
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'))
    waiting.clear()
    ended.resolve()
  }

  output.on('data', receiveSafely)
  for (const stream of [input, output]) stream.on('error', close).on('close', close)

  return {
    async send(method, params = {}, sessionId) {
      if (isOver) throw new Error('the browser has ended')
      const id = nextId++
      const answer = Promise.withResolvers<Fields>()
      waiting.set(id, answer)
      input.write(
        `${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`,
      )
      return answer.promise
    },
    ended: ended.promise,
  }
}
