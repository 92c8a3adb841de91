import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { trustProxies } from '#local/http/trusted-proxies'
import { createProbes } from '#local/watch/probes'
import { createFakeClock } from '#test/support/fake-clock'

function open() {
  const clock = createFakeClock(1_000_000)
  const probes = createProbes({ proxies: trustProxies(['127.0.0.1']), clock })
  function ask(url: string, headers: Record<string, string> = {}): object | null {
    let body: string | null = null
    const response = {
      writeHead() {},
      end(text: string) {
        body = text
      },
    } as unknown as ServerResponse
    const request = { url, headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage
    return probes.serve(request, response) && body !== null ? JSON.parse(body) : null
  }
  return { clock, probes, ask }
}

test('an open path answers once what the service sees of its caller', () => {
  const { probes, ask } = open()
  const { path } = probes.open()
  expect(ask(path, { 'x-forwarded-for': '198.51.100.7' })).toEqual({
    peer: '127.0.0.1',
    forwarded_for: '198.51.100.7',
    is_trusted: true,
    caller: '198.51.100.7',
  })
  expect(ask(path)).toBeNull()
})

test('a path that nobody opened, and one that is over a minute old, is no path', () => {
  const { clock, probes, ask } = open()
  expect(ask('/probe/0123456789abcdef0123456789abcdef')).toBeNull()
  const { path } = probes.open()
  clock.advance(60_001)
  expect(ask(path)).toBeNull()
})

test('at most sixteen paths are open, and an answer repeats at most 200 characters of a header', () => {
  const { probes, ask } = open()
  const paths = Array.from({ length: 17 }, () => probes.open().path)
  expect(ask(paths[0] as string)).toBeNull()
  const answer = ask(paths[16] as string, { 'x-forwarded-for': 'x'.repeat(5_000) })
  expect(answer).toMatchObject({ forwarded_for: 'x'.repeat(200) })
})
