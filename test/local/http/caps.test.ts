import { expect, test } from 'vitest'
import { jsonResponse } from '#lambdas/http/response'
import { CAPS, createAdmission } from '#local/http/admission'
import { trustProxies } from '#local/http/trusted-proxies'
import { eventually } from '#test/support/eventually'
import { openConnection, startFront } from './start-front.ts'

const unavailable = { error: 'UNAVAILABLE', message: expect.stringContaining('ry again in 5 seconds') }
const admissionOf = (caps: Partial<typeof CAPS>) => createAdmission({ ...CAPS, ...caps }, () => {})
/** Bytes of the events of a usual batch. */
const BATCH = 20_000

test('a new connection takes the place of the oldest idle one of its peer', async () => {
  const { front, base } = await startFront(undefined, { admission: admissionOf({ connections: 8 }) })
  const idle = [await openConnection(front), await openConnection(front)]
  for (const { socket } of idle) socket.write('POST /track HTTP/1.1\r\n')
  expect((await fetch(`${base}/stats`, { headers: { Connection: 'close' } })).status).toBe(200)
  await eventually(() => expect(idle[0]?.socket.closed).toBe(true))
  expect(idle[1]?.socket.closed).toBe(false)
})

test('while all connections of a peer are busy, another gets 503 with Retry-After, and is served when one is free', async () => {
  const held = Promise.withResolvers<void>()
  const { base, received } = await startFront(
    async () => {
      await held.promise
      return jsonResponse(200, { ok: true })
    },
    { admission: admissionOf({ connections: 8 }) },
  )
  const get = () => fetch(`${base}/stats`, { headers: { Connection: 'close' } })
  const busy = [get(), get()]
  await eventually(() => expect(received).toHaveLength(2))
  const refused = await get()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toEqual(unavailable)
  expect(received).toHaveLength(2)
  held.resolve()
  for (const response of busy) expect((await response).status).toBe(200)
  await eventually(async () => expect((await get()).status).toBe(200))
})

test('a stream counts as busy until it ends', async () => {
  const { base } = await startFront(
    ({ path }) =>
      path === '/stats'
        ? jsonResponse(200, {})
        : {
            status: 200,
            headers: {},
            body: new ReadableStream({ start: each => each.enqueue(Buffer.from('a')) }),
          },
    { admission: admissionOf({ connections: 8 }) },
  )
  const streams = [await fetch(`${base}/stream`), await fetch(`${base}/stream`)]
  const get = () => fetch(`${base}/stats`, { headers: { Connection: 'close' } })
  expect((await get()).status).toBe(503)
  await streams[0]?.body?.cancel()
  await eventually(async () => expect((await get()).status).toBe(200))
  await streams[1]?.body?.cancel()
})

test('behind a trusted proxy the forwarded address counts, for connections and for bodies', async () => {
  const held = Promise.withResolvers<void>()
  const { base, received } = await startFront(
    async () => {
      await held.promise
      return jsonResponse(202, { ok: true })
    },
    {
      admission: admissionOf({ connections: 8, bodyBytes: 4 * BATCH }),
      proxies: trustProxies(['127.0.0.1']),
    },
  )
  const send = (address: string, bytes: number) =>
    fetch(`${base}/track`, {
      method: 'POST',
      body: Buffer.alloc(bytes, 0x20),
      headers: { Connection: 'close', 'X-Forwarded-For': address },
    })
  const waiting = [send('203.0.113.1', 10), send('203.0.113.1', 10)]
  await eventually(() => expect(received).toHaveLength(2))
  expect((await send('203.0.113.1', 10)).status).toBe(503)
  waiting.push(send('203.0.113.2', BATCH / 2))
  await eventually(() => expect(received).toHaveLength(3))
  expect((await send('203.0.113.2', BATCH)).status).toBe(503)
  waiting.push(send('203.0.113.3', BATCH / 2))
  held.resolve()
  for (const response of waiting) expect((await response).status).toBe(202)
})

/** One peer may have 1,000 bytes of the room for small bodies alone, and 3,000 of the rest. */
const BODY_BYTES = 16_000

test('bodies over the bytes that the front holds get 503 with Retry-After, until others have their responses', async () => {
  const held = Promise.withResolvers<void>()
  const { base, received } = await startFront(
    async () => {
      await held.promise
      return jsonResponse(202, { ok: true })
    },
    { admission: admissionOf({ bodyBytes: BODY_BYTES }) },
  )
  const post = (bytes: number) => fetch(`${base}/track`, { method: 'POST', body: Buffer.alloc(bytes, 0x20) })
  const first = post(3_000)
  await eventually(() => expect(received).toHaveLength(1))
  const refused = await post(3_000)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toEqual(unavailable)
  // A smaller body has room, and one without a body needs none.
  const second = post(1_000)
  const third = fetch(`${base}/stats`)
  await eventually(() => expect(received).toHaveLength(3))
  held.resolve()
  expect((await Promise.all([first, second, third])).map(({ status }) => status)).toEqual([202, 202, 202])
  expect((await post(3_000)).status).toBe(202)
})

test('a body whose connection breaks off gives its bytes back', async () => {
  const { front, base } = await startFront(undefined, { admission: admissionOf({ bodyBytes: BODY_BYTES }) })
  const { socket } = await openConnection(front)
  socket.write(`POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n${' '.repeat(2_900)}`)
  const post = () => fetch(`${base}/track`, { method: 'POST', body: Buffer.alloc(2_000, 0x20) })
  await eventually(async () => expect((await post()).status).toBe(503))
  socket.destroy()
  await eventually(async () => expect((await post()).status).toBe(200))
})
