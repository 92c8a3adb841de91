import { createConnection } from 'node:net'
import { onTestFinished } from 'vitest'
import { eventually } from './eventually.ts'

/** A block of server-sent events, by the names of its lines. A comment has only `comment`. */
export type Block = { event?: string; id?: string; data?: Record<string, unknown>; comment?: string }

export type EventStreamClient = {
  /** The bytes so far, with the head of the response and the chunk sizes. */
  raw(): string
  status(): number
  header(name: string): string | undefined
  /** The blocks so far. */
  blocks(): Block[]
  /** The events so far. */
  tracked(): Record<string, unknown>[]
  /** Resolves when there are so many blocks. */
  waitFor(blocks: number): Promise<void>
  /** Resolves when the service has ended the response. */
  ended: Promise<void>
  close(): void
}

/** Opens GET /stream on a raw socket, which shows every byte. It closes when the test ends. */
export function openEventStream(
  { port, host = '127.0.0.1' }: { port: number; host?: string },
  target: string,
  headers: Record<string, string> = {},
): EventStreamClient {
  const socket = createConnection(port, host)
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let raw = ''
  socket.setEncoding('utf8')
  socket.on('data', text => {
    raw += text
  })
  socket.on('error', () => {})
  const ended = new Promise<void>(resolve => socket.once('close', () => resolve()))
  const head = () => raw.split('\r\n\r\n', 1)[0] ?? ''
  const blocks = () => parseBlocks(removeChunkSizes(raw.slice(head().length + 4)))
  onTestFinished(() => void socket.destroy())
  return {
    raw: () => raw,
    status: () => Number(head().split(' ')[1]),
    header: name => new RegExp(`^${name}: (.*)$`, 'im').exec(head())?.[1],
    blocks,
    tracked: () => blocks().flatMap(({ event, data }) => (event === 'track' && data ? [data] : [])),
    waitFor: count =>
      eventually(
        () => {
          if (blocks().length < count) throw new Error(`${blocks().length} of ${count} blocks: ${raw}`)
        },
        { everyMs: 20 },
      ),
    ended,
    close: () => socket.destroy(),
  }
}

/** Undoes the chunked transfer encoding. The sizes count bytes, so this reads bytes. */
function removeChunkSizes(text: string): string {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end === -1) break
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (!(size > 0)) break
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(parts).toString()
}

/** Reads whole blocks. Throws on a line that docs/api/live.md does not have. */
function parseBlocks(text: string): Block[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map(block =>
      Object.fromEntries(
        block.split('\n').map(line => {
          if (line.startsWith(':')) return ['comment', line.slice(1)]
          const [, name = '', value = ''] = /^(event|id|data): (.*)$/.exec(line) ?? []
          if (name === '') throw new Error(`unknown line ${JSON.stringify(line)}`)
          return [name, name === 'data' ? JSON.parse(value) : value]
        }),
      ),
    )
}
