/** A block of a server-sent stream. Its data is JSON. */
export type StreamBlock = { id: string | null; event: string | null; data: string }

/** No block of the service is so long; a connection that sends more is given up. */
const MAX_BLOCK_CHARS = 4_000_000

/**
 * Splits the body of GET /stream into its blocks: those that came with one piece of the body together.
 * Heartbeats are no blocks. Throws RangeError for a block without an end.
 */
export async function* streamBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamBlock[]> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      if (rest.length > MAX_BLOCK_CHARS) throw new RangeError('The stream sends a block without an end.')
      const read = blocks.flatMap(readBlock)
      if (read.length > 0) yield read
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function readBlock(text: string): StreamBlock[] {
  const block: StreamBlock = { id: null, event: null, data: '' }
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    if (name === 'id') block.id = value
    else if (name === 'event') block.event = value
    else if (name === 'data') block.data += value
  }
  return block.event === null ? [] : [block]
}
