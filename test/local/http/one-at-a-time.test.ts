import { once } from 'node:events'
import { expect, test } from 'vitest'
import { jsonResponse } from '#lambdas/http/response'
import { MAX_WAITING_REQUESTS } from '#local/http/one-at-a-time'
import { eventually } from '#test/support/eventually'
import { openConnection, startFront } from './start-front.ts'

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

test('requests that come at once get their responses one after the other, with their bodies', async () => {
  let open = 0
  let most = 0
  const { front, received } = await startFront(async ({ query }) => {
    most = Math.max(most, ++open)
    await new Promise(resolve => setImmediate(resolve))
    open--
    return jsonResponse(200, { n: query.n })
  })
  const { socket, response } = await openConnection(front)
  const body = '{"token":"x"}'
  socket.write(
    get('/stats?n=1') +
      `POST /track?n=2 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
      get('/nowhere') +
      get('/stats?n=3', 'Connection: close\r\n'),
  )
  const statuses = (await response).match(/HTTP\/1\.1 \d+/g)
  expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
  expect(received.map(({ request }) => request.query.n)).toEqual(['1', '2', '3'])
  expect(Buffer.from(received[1]?.request.body ?? []).toString()).toBe(body)
  expect(most).toBe(1)
})

test.each([
  ['GET /health', get('/health')],
  ['an unknown path', get('/nowhere')],
  ['OPTIONS', 'OPTIONS /track HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a chunked body', 'POST /track HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
])('a connection with 1,000 requests at once is closed, and few of them are begun: %s', async (_, bytes) => {
  const { front, received } = await startFront()
  const { socket, response } = await openConnection(front)
  socket.write(bytes.repeat(1_000))
  const text = await response.catch(() => '')
  expect(text.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1 + MAX_WAITING_REQUESTS)
  expect(received.length).toBeLessThanOrEqual(1 + MAX_WAITING_REQUESTS)
})

test('what waits is not begun once the client has gone', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const { front, received } = await startFront(async () => {
    await answer
    return jsonResponse(200, {})
  })
  const { socket } = await openConnection(front)
  socket.write(get('/health').repeat(10))
  await eventually(() => expect(received).toHaveLength(1))
  socket.destroy()
  await once(socket, 'close')
  resolve()
  const other = await fetch(`http://127.0.0.1:${front.port}/health`)
  expect([other.status, received.length]).toEqual([200, 2])
})

test('a connection goes on after many requests, one after the other', async () => {
  const { front, received } = await startFront()
  const { socket } = await openConnection(front)
  for (let i = 1; i <= 3 * MAX_WAITING_REQUESTS; i++) {
    socket.write(get('/health'))
    await eventually(() => expect(received).toHaveLength(i))
  }
})
