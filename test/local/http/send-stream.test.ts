import { createServer } from 'node:http'
import { type AddressInfo, createConnection } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendStream } from '#local/http/send-stream'
import { eventually } from '#test/support/eventually'
import { startFront } from './start-front.ts'

const CHUNK_BYTES = 65_536

/** A body without an end. `state` tells how many chunks were read, and whether it was cancelled. */
function endlessBody() {
  const state = { chunks: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        state.chunks += 1
        controller.enqueue(new Uint8Array(CHUNK_BYTES).fill(0x61))
      },
      cancel() {
        state.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { state, body }
}

test('a body is read no faster than the client reads it, and is cancelled when the client leaves', async () => {
  const { state, body } = endlessBody()
  const { front } = await startFront(() => ({ status: 200, headers: {}, body }))
  const socket = createConnection(front.port, '127.0.0.1').pause()
  socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n')
  await eventually(() => expect(state.chunks).toBeGreaterThan(0))
  let before = -1
  // The buffers of the connection fill up, then nothing more is read.
  await eventually(() => {
    const isStill = state.chunks === before
    before = state.chunks
    expect(isStill).toBe(true)
  })
  expect(state.chunks * CHUNK_BYTES).toBeLessThan(32_000_000)
  expect(state.isCancelled).toBe(false)
  socket.destroy()
  await eventually(() => expect(state.isCancelled).toBe(true))
})

test('a body that fails ends the response', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('broken')) })
  const { base } = await startFront(() => ({ status: 200, headers: {}, body }))
  expect(await (await fetch(`${base}/stream`)).text()).toBe('')
})

test('the response to HEAD cancels the body unread', async () => {
  const { state, body } = endlessBody()
  const { base } = await startFront(() => ({
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body,
  }))
  const response = await fetch(`${base}/stream`, { method: 'HEAD' })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  await eventually(() => expect(state).toEqual({ chunks: 0, isCancelled: true }))
})

test('a client that stops reading is disconnected, and its body is cancelled', async () => {
  const { state, body } = endlessBody()
  const server = createServer((_, response) => {
    sendStream(response, { status: 200, headers: {}, body }, body, 50)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1').pause()
  onTestFinished(() => void socket.destroy())
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await eventually(() => expect(state.isCancelled).toBe(true))
})
