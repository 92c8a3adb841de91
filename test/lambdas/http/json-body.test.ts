import { expect, test } from 'vitest'
import { jsonBody } from '#lambdas/http/json-body'

test('a body is read as JSON, and of a repeated key the last value counts', () => {
  expect(jsonBody(Buffer.from('{"a":1,"a":"ä"}'))).toEqual({ a: 'ä' })
})

test('a byte order mark is skipped', () => {
  expect(jsonBody(Buffer.from('\uFEFF{}'))).toEqual({})
})

test.each([
  ['an empty body', Buffer.alloc(0)],
  ['text that is not JSON', Buffer.from('{"a":')],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ['an array', Buffer.from('[{}]')],
  ['null', Buffer.from('null')],
  ['a string', Buffer.from('"{}"')],
])('%s is refused with INVALID_BODY', (_, bytes) => {
  expect(() => jsonBody(bytes)).toThrow(expect.objectContaining({ code: 'INVALID_BODY' }))
})

test('the limit counts bytes, and is checked before the JSON', () => {
  expect(jsonBody(Buffer.from(`{"ä":1}`), { maxBodyBytes: 8 })).toEqual({ ä: 1 })
  expect(() => jsonBody(Buffer.from('not JSON'), { maxBodyBytes: 7 })).toThrow(
    expect.objectContaining({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('more than 7 bytes'),
    }),
  )
})
