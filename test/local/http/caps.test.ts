import { once } from 'node:events'
import { createConnection } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { jsonResponse } from '#lambdas/response'
import { eventually } from '#test/support/eventually'
import { startFront } from './start-front.ts'

const unavailable = { error: 'UNAVAILABLE', message: expect.stringContaining('Try again in 5 seconds') }

async function connect(port: number) {
  const socket = createConnection(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

test('a request on a connection over the cap gets 503 with Retry-After, and is served when others have closed', async () => {
  const { front, base, received } = await startFront(undefined, {
    caps: { connections: 2, bodyBytes: 1_000 },
  })
  const idle = [await connect(front.port), await connect(front.port)]
  const get = () => fetch(`${base}/stats`, { headers: { Connection: 'close' } })
  // The front has seen both connections when it answers the third.
  const refused = await get()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toEqual(unavailable)
  expect(received).toEqual([])
  for (const socket of idle) {
    socket.destroy()
    await once(socket, 'close')
  }
  await eventually(async () => expect((await get()).status).toBe(200))
  expect(received).toHaveLength(1)
})

test('bodies over the bytes that the front holds get 503 with Retry-After, until others have their responses', async () => {
  const held = Promise.withResolvers<void>()
  const { base, received } = await startFront(
    async () => {
      await held.promise
      return jsonResponse(202, { ok: true })
    },
    { caps: { connections: 100, bodyBytes: 1_000 } },
  )
  const post = (bytes: number) => fetch(`${base}/track`, { method: 'POST', body: Buffer.alloc(bytes, 0x20) })
  const first = post(600)
  await eventually(() => expect(received).toHaveLength(1))
  const refused = await post(600)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toEqual(unavailable)
  // A smaller body has room, and one without a body needs none.
  const second = post(400)
  const third = fetch(`${base}/stats`)
  await eventually(() => expect(received).toHaveLength(3))
  held.resolve()
  expect((await Promise.all([first, second, third])).map(({ status }) => status)).toEqual([202, 202, 202])
  expect((await post(1_000)).status).toBe(202)
})

test('a body whose connection breaks off gives its bytes back', async () => {
  const { front, base } = await startFront(undefined, { caps: { connections: 100, bodyBytes: 1_000 } })
  const socket = await connect(front.port)
  socket.write(`POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${' '.repeat(900)}`)
  const post = () => fetch(`${base}/track`, { method: 'POST', body: Buffer.alloc(600, 0x20) })
  await eventually(async () => expect((await post()).status).toBe(503))
  socket.destroy()
  await eventually(async () => expect((await post()).status).toBe(200))
})
