import { expect, onTestFinished, test } from 'vitest'
import { createAdmission } from '#local/http/admission'
import { createBodyRates, MIN_BYTES } from '#local/http/body-rates'
import { eventually } from '#test/support/eventually'
import { openConnection, startFront } from './start-front.ts'

function watchAll(...names: string[]) {
  const rates = createBodyRates(() => {})
  const cut: string[] = []
  const bodies = names.map(name => rates.watch(() => cut.push(name)))
  return { ...rates, bodies, cut }
}

test('a body that brings less than the minimum between two looks is cut off once, and others stay', () => {
  const { look, bodies, cut } = watchAll('silent', 'slow', 'fast', 'ended')
  look()
  // All are new at the first look.
  expect(cut).toEqual([])
  bodies[1]?.count(MIN_BYTES - 1)
  bodies[2]?.count(MIN_BYTES)
  bodies[3]?.end()
  look()
  expect(cut).toEqual(['silent', 'slow'])
  bodies[2]?.end()
  look()
  expect(cut).toEqual(['silent', 'slow'])
})

test('a fast beginning does not excuse the last byte that never comes', () => {
  const { look, bodies, cut } = watchAll('body')
  bodies[0]?.count(1_048_574)
  look()
  look()
  expect(cut).toEqual(['body'])
})

test('a client with a slow body gets 408 with what to do, and its connection is closed', async () => {
  const admission = createAdmission({ connections: 100, bodyBytes: 4_000_000 }, () => {})
  const { front, received } = await startFront(undefined, { admission })
  const { socket, response } = await openConnection(front)
  socket.write('POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{')
  // The front looks as often as it takes: the first look may come before the request.
  const looking = setInterval(admission.rates.look, 5)
  onTestFinished(() => clearInterval(looking))
  const text = await response
  expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  expect(text).toMatch(/Retry-After: 5\r\n/i)
  expect(text).toMatch(/Connection: close\r\n/i)
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toEqual({
    error: 'REQUEST_TIMEOUT',
    message: expect.stringContaining('Send the request again'),
  })
  expect(received).toEqual([])
})

test.each([
  ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n'],
  ['that was refused before, as too large', 'Content-Length: 9000000\r\n\r\n{'],
  ['after Expect: 100-continue', 'Expect: 100-continue\r\nContent-Length: 50\r\n\r\n'],
])('the connection of a slow body %s is closed too', async (_, rest) => {
  const admission = createAdmission({ connections: 100, bodyBytes: 4_000_000 }, () => {})
  const { front } = await startFront(undefined, { admission })
  const { socket } = await openConnection(front)
  socket.write(`POST /track HTTP/1.1\r\nHost: x\r\n${rest}`)
  await eventually(() => {
    admission.rates.look()
    expect(socket.closed).toBe(true)
  })
})
