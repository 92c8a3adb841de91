import { expect, test } from 'vitest'
import { sendBytes, startFront } from './start-front.ts'

/**
 * Request smuggling: a proxy before the service and the service read the end of a body differently, so that a
 * part of one client's body is the next request on a connection that clients share. Each message is
 * ambiguous, so it must be refused with 400, its connection closed, and what follows it never reach a
 * function.
 */
const SMUGGLED = 'GET /stats HTTP/1.1\r\nHost: smuggled\r\n\r\n'
const HEAD = 'POST /track HTTP/1.1\r\nHost: x\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

const messages: Record<string, string> = {
  'Content-Length before Transfer-Encoding': `${HEAD}Content-Length: 5\r\n${CHUNKED}\r\n0\r\n\r\n`,
  'Transfer-Encoding before Content-Length': `${HEAD}${CHUNKED}Content-Length: 5\r\n\r\n0\r\n\r\n`,
  'two different Content-Lengths': `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  'two equal Content-Lengths': `${HEAD}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  'a list of Content-Lengths': `${HEAD}Content-Length: 2, 2\r\n\r\n{}`,
  'a signed Content-Length': `${HEAD}Content-Length: +2\r\n\r\n{}`,
  'a negative Content-Length': `${HEAD}Content-Length: -1\r\n\r\n{}`,
  'a Content-Length in hex': `${HEAD}Content-Length: 0x2\r\n\r\n{}`,
  'a Content-Length that overflows': `${HEAD}Content-Length: 18446744073709551618\r\n\r\n{}`,
  'a folded header': `${HEAD}X-A: b\r\n Content-Length: 2\r\n\r\n{}`,
  'a folded Transfer-Encoding': `${HEAD}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`,
  'a header that ends with a bare LF': `${HEAD}Content-Length: 2\n\r\n{}`,
  'a request line that ends with a bare LF': 'POST /track HTTP/1.1\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  'headers that end with a bare LF': `${HEAD}Content-Length: 2\r\n\n{}`,
  'a bare CR in a header': `${HEAD}X-A: b\rContent-Length: 2\r\n\r\n{}`,
  'a space before the colon': `${HEAD}Content-Length : 2\r\n\r\n{}`,
  'a NUL in a header': `${HEAD}X-A: b\u0000\r\nContent-Length: 2\r\n\r\n{}`,
  'chunked that is not the last encoding': `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  'chunked twice': `${HEAD}${CHUNKED}${CHUNKED}\r\n0\r\n\r\n`,
  'an unknown encoding': `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'a size of a chunk that ends with a bare LF': `${HEAD}${CHUNKED}\r\n2\n{}\r\n0\r\n\r\n`,
  'a chunk that is longer than its size': `${HEAD}${CHUNKED}\r\n2\r\n{}{}\r\n0\r\n\r\n`,
  'a chunk that ends with a bare LF': `${HEAD}${CHUNKED}\r\n2\r\n{}\n0\r\n\r\n`,
  'a signed size of a chunk': `${HEAD}${CHUNKED}\r\n+2\r\n{}\r\n0\r\n\r\n`,
  'a size of a chunk with 0x': `${HEAD}${CHUNKED}\r\n0x2\r\n{}\r\n0\r\n\r\n`,
  'a size of a chunk that overflows': `${HEAD}${CHUNKED}\r\n10000000000000002\r\n{}\r\n0\r\n\r\n`,
  'a bare LF in an extension of a chunk': `${HEAD}${CHUNKED}\r\n2;a\n{}\r\n0\r\n\r\n`,
  'a trailer that ends with a bare LF': `${HEAD}${CHUNKED}\r\n0\r\nX-A: b\n\r\n`,
}

test.each(Object.entries(messages))('%s is refused, and no request follows it', async (_, message) => {
  const { front, received } = await startFront()
  const responses = await sendBytes(front, message + SMUGGLED)
  expect(responses.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
  expect(responses).toMatch(/Connection: close\r\n/)
  expect(received).toEqual([])
})
