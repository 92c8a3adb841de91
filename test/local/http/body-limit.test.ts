import { once } from 'node:events'
import { type IncomingHttpHeaders, request as send } from 'node:http'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { HttpServer } from '#local/http/server'
import { MAX_BODY_BYTES } from '#schemas/route'
import { sendBytes, startFront } from './start-front.ts'

describe('a body limit of 1 MiB', () => {
  const tooLarge = {
    error: 'PAYLOAD_TOO_LARGE',
    message: expect.stringContaining(`more than ${MAX_BODY_BYTES} bytes`),
  }

  test('accepts a body of exactly this size', async () => {
    const { base, received } = await startFront()
    const response = await fetch(`${base}/track`, {
      method: 'POST',
      body: Buffer.alloc(MAX_BODY_BYTES, 0x20),
    })
    expect([response.status, received[0]?.request.body.length]).toEqual([200, MAX_BODY_BYTES])
  })

  test('refuses a larger Content-Length before the body is read', async () => {
    const { front, received } = await startFront()
    const head = `POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`
    const socket = createConnection(front.port, '127.0.0.1')
    socket.write(head)
    const [response] = await once(socket, 'data')
    socket.destroy()
    expect(String(response)).toMatch(/^HTTP\/1\.1 413 /)
    expect(received).toEqual([])
  })

  test('refuses a body of unknown length when it exceeds the limit', async () => {
    const { front, received } = await startFront()
    const [status, body] = await post(
      front,
      { 'transfer-encoding': 'chunked' },
      Buffer.alloc(MAX_BODY_BYTES + 1, 0x20),
    )
    expect([status, JSON.parse(body)]).toEqual([413, tooLarge])
    expect(received).toEqual([])
  })

  test('refuses a client that sends Expect: 100-continue before it sends a larger body', async () => {
    const { front } = await startFront()
    const request = send({
      port: front.port,
      method: 'POST',
      path: '/track',
      headers: { expect: '100-continue', 'content-length': 2_000_000 },
    })
    request.flushHeaders()
    const outcome = await Promise.race([
      once(request, 'response').then(([response]) => response.statusCode),
      once(request, 'continue').then(() => 'continue'),
    ])
    request.on('error', () => {})
    request.destroy()
    expect(outcome).toBe(413)
  })

  test('lets a client that sends Expect: 100-continue send a small body', async () => {
    const { front } = await startFront()
    const request = send({
      port: front.port,
      method: 'POST',
      path: '/track',
      headers: { expect: '100-continue', 'content-length': 2 },
    })
    request.flushHeaders()
    await once(request, 'continue')
    request.end('{}')
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(200)
    response.resume()
  })

  test('keeps the connection usable for the next request after a refusal', async () => {
    const { front } = await startFront()
    const big = Buffer.alloc(MAX_BODY_BYTES + 1, 0x20)
    const first = Buffer.from(`POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: ${big.length}\r\n\r\n`)
    const second = Buffer.from('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const responses = await sendBytes(front, Buffer.concat([first, big, second]))
    expect(responses.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  async function post({ port }: HttpServer, headers: IncomingHttpHeaders, body: Buffer) {
    const request = send({ port, method: 'POST', path: '/track', headers: headers as Record<string, string> })
    request.end(body)
    const [response] = await once(request, 'response')
    return [response.statusCode, await text(response)] as const
  }
})
