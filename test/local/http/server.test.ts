import { once } from 'node:events'
import { createConnection } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { HttpResponse } from '#lambdas/http/http'
import { jsonResponse } from '#lambdas/http/response'
import { trustProxies } from '#local/http/trusted-proxies'
import { sendBytes, startFront } from './start-front.ts'

describe('a request', () => {
  test('reaches the function of its route, with parameters, query, headers and body', async () => {
    const { base, received } = await startFront()
    await fetch(`${base}/projects/sh%C3%B6p%2F1?a=1&b=x+%26&a=2`, {
      method: 'PATCH',
      headers: { 'X-API-Key': 'aak_1' },
      body: '{"name":"ä"}',
    })
    const [{ route, request } = expect.unreachable()] = received
    expect(route.path).toBe('/projects/{id}')
    expect(request).toMatchObject({
      method: 'PATCH',
      params: { id: 'shöp/1' },
      ip: expect.stringMatching(/127\.0\.0\.1/),
    })
    expect({ ...request.query }).toEqual({ a: '2', b: 'x &' })
    expect(request.headers['x-api-key']).toBe('aak_1')
    expect(Buffer.from(request.body).toString()).toBe('{"name":"ä"}')
  })

  test('may have a parameter of any length', async () => {
    const { base, received } = await startFront()
    const id = 'a'.repeat(8_000)
    await fetch(`${base}/projects/${id}`)
    expect(received[0]?.request.params).toEqual({ id })
  })

  test.each([
    ['DELETE', '/users/{id}'],
    ['GET', '/projects/{id}'],
    ['PATCH', '/portfolios/{idOrSlug}'],
    ['DELETE', '/experiments/{id}'],
    ['GET', '/erasures/{id}'],
  ])('may have any character in a parameter: %s %s', async (method, path) => {
    const { base, received } = await startFront()
    for (const id of ['a\nb', '\n', '\r\n', 'a\u2028b', '\u0000', 'a\tb', '日本', 'a/b?c#d%25']) {
      await fetch(base + path.replace(/\{\w+\}/, encodeURIComponent(id)), { method })
      const { route, request } = received.at(-1) ?? expect.unreachable()
      expect([route.path, Object.values(request.params)]).toEqual([path, [id]])
    }
  })

  test('without a body reaches the function with an empty body', async () => {
    const { base, received } = await startFront()
    await fetch(`${base}/health`)
    expect(received[0]?.request.body).toHaveLength(0)
  })

  test('in chunks reaches the function with its whole body', async () => {
    const { front, received } = await startFront()
    await sendBytes(
      front,
      'POST /track HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n3\r\na":\r\n2\r\n1}\r\n0\r\n\r\n',
    )
    expect(Buffer.from(received[0]?.request.body ?? []).toString()).toBe('{"a":1}')
  })

  test('for a script may have an invalid query, which is ignored', async () => {
    const { base, received } = await startFront()
    expect((await fetch(`${base}/tracker.js?v=100%`)).status).toBe(200)
    expect(Object.keys(received[0]?.request.query ?? {})).toEqual([])
  })

  test('with HEAD gets the response of GET without the body', async () => {
    const { base } = await startFront()
    const response = await fetch(`${base}/health`, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '11',
      '',
    ])
  })

  test('with OPTIONS gets a CORS response on any path, without a credential', async () => {
    const { base, received } = await startFront()
    for (const path of ['/track', '/nowhere', '/projects/x']) {
      const response = await fetch(base + path, { method: 'OPTIONS' })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-methods')).toBe(
        'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      )
      expect(response.headers.get('access-control-allow-headers')).toBe(
        'Content-Type, X-API-Key, Authorization, If-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
      )
    }
    expect(received).toEqual([])
  })

  test('that matches no route can get a page that only this machine has', async () => {
    const { base } = await startFront(undefined, {
      localPages: (request, response) => {
        if (request.url !== '/demo/') return false
        response.end('demo')
        return true
      },
    })
    expect(await (await fetch(`${base}/demo/`)).text()).toBe('demo')
    expect((await fetch(`${base}/other`)).status).toBe(404)
  })
})

describe('the caller’s address', () => {
  const proxies = trustProxies(['127.0.0.1'])

  async function received(headers: Record<string, string>, overrides: Parameters<typeof startFront>[1] = {}) {
    const { base, received } = await startFront(undefined, { countryHeader: 'cf-ipcountry', ...overrides })
    await fetch(`${base}/health`, { headers })
    return (received[0] ?? expect.unreachable()).request
  }

  test('is the last address that a trusted proxy adds, and the country is that of the header', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7', 'CF-IPCountry': 'DE' }
    const request = await received(headers, { proxies })
    expect([request.ip, request.headers['cf-ipcountry']]).toEqual(['198.51.100.7', 'DE'])
  })

  test('is the address of the connection without a trusted proxy, and the country of the header does not count', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'CF-IPCountry': 'DE' }
    for (const overrides of [{}, { proxies: trustProxies(['10.0.0.0/8']) }]) {
      const request = await received(headers, overrides)
      expect([request.ip, request.headers['cf-ipcountry']]).toEqual(['127.0.0.1', undefined])
    }
  })

  test('is the address of the connection when the proxy adds none', async () => {
    for (const headers of [{}, { 'X-Forwarded-For': ' ' }]) {
      expect((await received(headers as Record<string, string>, { proxies })).ip).toBe('127.0.0.1')
    }
  })
})

describe('the error of the front is JSON with CORS headers for', () => {
  test.each([
    ['an unknown path', 'GET', '/nowhere', 404, 'NOT_FOUND'],
    ['a path with an extra slash', 'GET', '/health/', 404, 'NOT_FOUND'],
    ['a path with an empty id', 'GET', '/projects/', 404, 'NOT_FOUND'],
    ['a known path with another method', 'GET', '/track', 405, 'METHOD_NOT_ALLOWED'],
    ['a method that no route has', 'PROPFIND', '/track', 405, 'METHOD_NOT_ALLOWED'],
    ['bad percent-encoding in the path', 'GET', '/projects/%E0%A4%A', 400, 'MISSING_FIELDS'],
    ['bad percent-encoding in the query', 'GET', '/stats?project=%zz', 400, 'MISSING_FIELDS'],
  ])('%s', async (_, method, path, status, error) => {
    const { base, received } = await startFront()
    const response = await fetch(base + path, { method })
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ error, message: expect.any(String) })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(received).toEqual([])
  })

  test('a method that the path does not have, with the methods that it has', async () => {
    const { base } = await startFront()
    const response = await fetch(`${base}/projects`, { method: 'DELETE' })
    expect(response.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS')
  })

  test('a request that is not HTTP', async () => {
    const { front } = await startFront()
    const response = await sendBytes(front, 'GET /health\u0001 nonsense\r\n\r\n')
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(response).toContain('Access-Control-Allow-Origin: *')
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'INVALID_BODY' })
  })

  test('too large headers', async () => {
    const { front } = await startFront()
    const response = await sendBytes(
      front,
      `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(response).toContain('larger than 16 kB')
  })

  test('a function that throws, without the text of its error', async () => {
    const codes: string[] = []
    const { base } = await startFront(() => Promise.reject(new Error('secret text')), {
      log: code => codes.push(code),
    })
    const response = await fetch(`${base}/health`)
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')])
    expect(codes).toEqual(['REQUEST_FAILED'])
  })
})

test('a report gets a signal that aborts when its caller disconnects, and ingestion gets no signal', async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const { base, received } = await startFront(request => {
    request.signal?.addEventListener('abort', () => resolve())
    return request.path === '/stats' ? aborted.then(() => jsonResponse(200, {})) : jsonResponse(202, {})
  })
  await fetch(`${base}/track`, { method: 'POST', body: '{}' })
  const caller = new AbortController()
  const outcome = fetch(`${base}/stats`, { signal: caller.signal }).catch(() => 'disconnected')
  await expect.poll(() => received.length).toBe(2)
  caller.abort()
  await aborted
  expect([await outcome, received[0]?.request.signal]).toEqual(['disconnected', undefined])
})

describe('closing', () => {
  test('sends the responses of open requests, and ends idle connections', async () => {
    const { promise: response, resolve } = Promise.withResolvers<HttpResponse>()
    const { front, received, base } = await startFront(() => response)
    const waiting = fetch(`${base}/health`)
    await expect.poll(() => received.length).toBe(1)
    const closed = front.close()
    resolve(jsonResponse(200, { ok: true }))
    expect((await waiting).status).toBe(200)
    await closed
    await expect(fetch(`${base}/health`)).rejects.toThrow()
  })

  test('does not wait for a connection that has sent nothing', async () => {
    const { front } = await startFront()
    const silent = createConnection(front.port, '127.0.0.1').resume()
    await once(silent, 'connect')
    // The front accepts connections in order, so it has accepted the silent one when this one gets its
    // response.
    await sendBytes(front, 'GET /health HTTP/1.0\r\n\r\n')
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    // With fake timers a close that waits for a timeout would never end.
    await Promise.all([front.close(), once(silent, 'close')])
  })

  test('a start on a used port rejects', async () => {
    const { front } = await startFront()
    await expect(startFront(undefined, { port: front.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
