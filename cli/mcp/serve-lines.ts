import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { parseJson } from '#schemas/json-depth'
import { type Bridge, failure, type Message } from './bridge.ts'

/** Requests that wait for their answers. A client asks one after the other, or a few at once. */
const MAX_OPEN = 64

const PARSE_ERROR = -32700
const BUSY = -32000

/**
 * The transport stdio of the Model Context Protocol: a JSON-RPC message in each line. Ends when the input
 * ends and every request has its answer. Nothing but messages reaches the output; `say` gets the rest.
 */
export async function serveLines(
  input: Readable,
  output: Writable,
  bridge: Bridge,
  say: (text: string) => void,
): Promise<void> {
  const open = new Set<Promise<void>>()
  const write = (message: unknown) => void output.write(`${JSON.stringify(message)}\n`)

  async function answer(message: Message): Promise<void> {
    const response = await bridge(message)
    if (response !== null) write(response)
  }

  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const message = parsed(line)
    if (message === null) {
      write(
        failure(null, PARSE_ERROR, 'The line is not a JSON-RPC message. Send one JSON object in each line.'),
      )
    } else if (open.size >= MAX_OPEN && message.id !== undefined) {
      write(failure(message.id, BUSY, `More than ${MAX_OPEN} requests wait. Wait for their answers first.`))
    } else {
      const running = answer(message)
        .catch(error => say(String(error)))
        .finally(() => open.delete(running))
      open.add(running)
    }
  }
  await Promise.all(open)
}

function parsed(line: string): Message | null {
  try {
    const message: unknown = parseJson(line)
    const isObject = typeof message === 'object' && message !== null && !Array.isArray(message)
    return isObject ? (message as Message) : null
  } catch {
    return null
  }
}
