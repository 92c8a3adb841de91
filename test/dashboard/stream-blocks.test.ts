import { expect, test } from 'vitest'
import { type StreamBlock, streamBlocks } from '#dashboard/views/live/stream-blocks'

/** The body of GET /stream, cut anywhere, gives its blocks. */

function bodyOf(pieces: readonly Uint8Array[], onCancel = () => {}): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
    cancel: onCancel,
  })
}

async function read(body: ReadableStream<Uint8Array>): Promise<StreamBlock[]> {
  const found: StreamBlock[] = []
  for await (const blocks of streamBlocks(body)) found.push(...blocks)
  return found
}

const TEXT = `event: connected
data: {"project":"shop"}
id: 01A

:heartbeat

id: 01B
event: track
data: {"event":"grün: größer"}

`

test.each([1, 2, 7, 1_000])('pieces of %i bytes give the same blocks, without heartbeats', async size => {
  const bytes = new TextEncoder().encode(TEXT)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  )
  expect(await read(bodyOf(pieces))).toEqual([
    { id: '01A', event: 'connected', data: '{"project":"shop"}' },
    { id: '01B', event: 'track', data: '{"event":"grün: größer"}' },
  ])
})

test('a block without an end is given up at four million characters, and the connection with it', async () => {
  let isCancelled = false
  const piece = new TextEncoder().encode('x'.repeat(1_000_001))
  const body = bodyOf(Array(10).fill(piece), () => {
    isCancelled = true
  })
  await expect(read(body)).rejects.toThrow('without an end')
  expect(isCancelled).toBe(true)
})
