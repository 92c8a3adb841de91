import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { good, trackFunction } from './track-function.ts'

/** Bodies with a Content-Encoding. */

const batch = {
  events: Array.from({ length: 100 }, (_, n) => ({ ...good, properties: { n, text: 'x'.repeat(3_000) } })),
}

test.each([
  ['/track', good, 'gzip'],
  ['/track/batch', batch, 'gzip'],
  ['/track/batch', batch, 'X-GZIP'],
] as const)('%s takes a body that is packed with gzip', async (path, body, encoding) => {
  const { send, events } = trackFunction()
  const packed = gzipSync(JSON.stringify(body))
  const headers = { 'content-encoding': encoding }
  expect((await send(path, packed, { headers })).status).toBe(202)
  expect(events()).toHaveLength('events' in body ? 100 : 1)
})

test('/identify takes a packed body, and the word identity packs nothing', async () => {
  const { send, packed } = trackFunction()
  const body = { token: 'aat_shop', previous_id: 'a', user_id: 'b' }
  const headers = { 'content-encoding': 'gzip' }
  expect((await send('/identify', gzipSync(JSON.stringify(body)), { headers })).status).toBe(202)
  expect((await send('/identify', body, { headers: { 'content-encoding': 'identity' } })).status).toBe(202)
  expect(packed).toHaveLength(2)
})

test.each([
  [
    'zeros that unpack to more than a body may have',
    gzipSync(Buffer.alloc(1_048_577, 0x20)),
    'gzip',
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  ['a body that is not gzip', Buffer.from(JSON.stringify(good)), 'gzip', 400, 'INVALID_BODY'],
  ['gzip that was cut', gzipSync(JSON.stringify(good)).subarray(0, 20), 'gzip', 400, 'INVALID_BODY'],
  ['brotli', brotliCompressSync(JSON.stringify(good)), 'br', 400, 'INVALID_BODY'],
  ['deflate', deflateSync(JSON.stringify(good)), 'deflate', 400, 'INVALID_BODY'],
  ['gzip in gzip', gzipSync(gzipSync(JSON.stringify(good))), 'gzip, gzip', 400, 'INVALID_BODY'],
])('%s is refused with what to do', async (_what, body, encoding, status, error) => {
  const { send, packed } = trackFunction()
  const response = await send('/track', body, { headers: { 'content-encoding': encoding } })
  expect(response).toMatchObject({ status, body: { error, message: expect.any(String) } })
  expect(response.body.message).not.toContain('UTF-8')
  expect(packed).toEqual([])
})
