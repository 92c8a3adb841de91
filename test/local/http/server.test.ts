import { once } from 'node:events'
import { type IncomingHttpHeaders, request as send } from 'node:http'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { HttpRequest, HttpResponse } from '#lambdas/http'
import { jsonResponse } from '#lambdas/response'
import { type HttpOptions, type HttpServer, startHttp } from '#local/http/server'
import { MAX_BODY_BYTES, type Route } from '#schemas/routes'

type Seen = { route: Route; request: HttpRequest }

/** A front whose functions all answer by `answer`; what reaches them is kept in `seen`. */
async function startFront(
  answer: (request: HttpRequest) => HttpResponse | Promise<HttpResponse> = () =>
    jsonResponse(200, { ok: true }),
  overrides: Partial<HttpOptions> = {},
) {
  const seen: Seen[] = []
  const all = async (route: Route, request: HttpRequest) => {
    seen.push({ route, request })
    return answer(request)
  }
  const functions = { track: all, reports: all, control: all, site: all }
  const front = await startHttp({ port: 0, functions, log: () => {}, ...overrides })
  onTestFinished(() => front.close())
  return { front, seen, base: `http://127.0.0.1:${front.port}` }
}

/** The bytes of what the front answers to bytes that no HTTP client would send. */
async function exchange({ port }: HttpServer, bytes: string | Buffer): Promise<string> {
  const socket = createConnection(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

describe('a request', () => {
  test('goes to the function of its route, with parameters, query, headers and body', async () => {
    const { base, seen } = await startFront()
    await fetch(`${base}/projects/sh%C3%B6p%2F1?a=1&b=x+%26&a=2`, {
      method: 'PATCH',
      headers: { 'X-API-Key': 'aak_1' },
      body: '{"name":"ä"}',
    })
    const [{ route, request } = expect.unreachable()] = seen
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
    const { base, seen } = await startFront()
    const id = 'a'.repeat(8_000)
    await fetch(`${base}/projects/${id}`)
    expect(seen[0]?.request.params).toEqual({ id })
  })

  test('without a body has an empty one', async () => {
    const { base, seen } = await startFront()
    await fetch(`${base}/health`)
    expect(seen[0]?.request.body).toHaveLength(0)
  })

  test('in chunks arrives whole', async () => {
    const { front, seen } = await startFront()
    await exchange(
      front,
      'POST /track HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n3\r\na":\r\n2\r\n1}\r\n0\r\n\r\n',
    )
    expect(Buffer.from(seen[0]?.request.body ?? []).toString()).toBe('{"a":1}')
  })

  test('for a script has no query that could be wrong', async () => {
    const { base, seen } = await startFront()
    expect((await fetch(`${base}/tracker.js?v=100%`)).status).toBe(200)
    expect(Object.keys(seen[0]?.request.query ?? {})).toEqual([])
  })

  test('by HEAD is answered as GET, without the body', async () => {
    const { base } = await startFront()
    const answer = await fetch(`${base}/health`, { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
      200,
      '11',
      '',
    ])
  })

  test('by OPTIONS is answered on any path, without a credential', async () => {
    const { base, seen } = await startFront()
    for (const path of ['/track', '/nowhere', '/projects/x']) {
      const answer = await fetch(base + path, { method: 'OPTIONS' })
      expect(answer.status).toBe(204)
      expect(answer.headers.get('access-control-allow-methods')).toBe(
        'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      )
      expect(answer.headers.get('access-control-allow-headers')).toBe(
        'Content-Type, X-API-Key, Authorization',
      )
    }
    expect(seen).toEqual([])
  })

  test('that no row knows may go to a page that only this machine has', async () => {
    const { base } = await startFront(undefined, {
      extra: (request, response) => {
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
  async function addressSeen(forwarded?: string) {
    const { base, seen } = await startFront()
    await fetch(`${base}/health`, {
      headers: forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded },
    })
    return seen[0]?.request.ip
  }

  test('is the last that a proxy on this machine names', async () => {
    expect(await addressSeen('203.0.113.9, 198.51.100.7')).toBe('198.51.100.7')
  })

  test('is the peer’s when no proxy names one', async () => {
    expect(await addressSeen()).toMatch(/127\.0\.0\.1$/)
    expect(await addressSeen(' ')).toMatch(/127\.0\.0\.1$/)
  })
})

describe('an error of the front is JSON with CORS:', () => {
  test.each([
    ['an unknown path', 'GET', '/nowhere', 404, 'NOT_FOUND'],
    ['a path with a slash too many', 'GET', '/health/', 404, 'NOT_FOUND'],
    ['a path whose id is empty', 'GET', '/projects/', 404, 'NOT_FOUND'],
    ['a known path by another method', 'GET', '/track', 405, 'METHOD_NOT_ALLOWED'],
    ['a method that no route has', 'PROPFIND', '/track', 405, 'METHOD_NOT_ALLOWED'],
    ['bad percent-encoding in the path', 'GET', '/projects/%E0%A4%A', 400, 'MISSING_FIELDS'],
    ['bad percent-encoding in the query', 'GET', '/stats?project=%zz', 400, 'MISSING_FIELDS'],
  ])('%s', async (_, method, path, status, error) => {
    const { base, seen } = await startFront()
    const answer = await fetch(base + path, { method })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual({ error, message: expect.any(String) })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(seen).toEqual([])
  })

  test('405 names the methods of the path', async () => {
    const { base } = await startFront()
    const answer = await fetch(`${base}/projects`, { method: 'DELETE' })
    expect(answer.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS')
  })

  test('what is not HTTP', async () => {
    const { front } = await startFront()
    const answer = await exchange(front, 'GET /health\u0001 nonsense\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toContain('Access-Control-Allow-Origin: *')
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'INVALID_BODY' })
  })

  test('headers that are too large', async () => {
    const { front } = await startFront()
    const answer = await exchange(
      front,
      `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(answer).toContain('larger than 16 kB')
  })

  test('a function that throws after all', async () => {
    const codes: string[] = []
    const { base } = await startFront(() => Promise.reject(new Error('secret text')), {
      log: code => codes.push(code),
    })
    const answer = await fetch(`${base}/health`)
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('secret')])
    expect(codes).toEqual(['REQUEST_FAILED'])
  })
})

describe('a body over 1 MiB', () => {
  const tooLarge = { error: 'PAYLOAD_TOO_LARGE', message: `the body may have up to ${MAX_BODY_BYTES} bytes` }

  test('of that size exactly is taken', async () => {
    const { base, seen } = await startFront()
    const answer = await fetch(`${base}/track`, { method: 'POST', body: Buffer.alloc(MAX_BODY_BYTES, 0x20) })
    expect([answer.status, seen[0]?.request.body.length]).toEqual([200, MAX_BODY_BYTES])
  })

  test('by its announced length is refused before it is read', async () => {
    const { front, seen } = await startFront()
    const head = `POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`
    const socket = createConnection(front.port, '127.0.0.1')
    socket.write(head)
    const [answer] = await once(socket, 'data')
    socket.destroy()
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /)
    expect(seen).toEqual([])
  })

  test('of unknown length is refused when it gets there', async () => {
    const { front, seen } = await startFront()
    const [status, body] = await post(
      front,
      { 'transfer-encoding': 'chunked' },
      Buffer.alloc(MAX_BODY_BYTES + 1, 0x20),
    )
    expect([status, JSON.parse(body)]).toEqual([413, tooLarge])
    expect(seen).toEqual([])
  })

  test('is not even sent by a client that asks first', async () => {
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

  test('that is small is asked for', async () => {
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

  test('does not spoil the connection for the next request', async () => {
    const { front } = await startFront()
    const big = Buffer.alloc(MAX_BODY_BYTES + 1, 0x20)
    const first = Buffer.from(`POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: ${big.length}\r\n\r\n`)
    const second = Buffer.from('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const answers = await exchange(front, Buffer.concat([first, big, second]))
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  async function post({ port }: HttpServer, headers: IncomingHttpHeaders, body: Buffer) {
    const request = send({ port, method: 'POST', path: '/track', headers: headers as Record<string, string> })
    request.end(body)
    const [response] = await once(request, 'response')
    return [response.statusCode, await text(response)] as const
  }
})

test('a report is told when its caller goes away; ingestion is not troubled with it', async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const { base, seen } = await startFront(request => {
    request.signal?.addEventListener('abort', () => resolve())
    return request.path === '/stats' ? aborted.then(() => jsonResponse(200, {})) : jsonResponse(202, {})
  })
  await fetch(`${base}/track`, { method: 'POST', body: '{}' })
  const leaving = new AbortController()
  const left = fetch(`${base}/stats`, { signal: leaving.signal }).catch(() => 'left')
  await expect.poll(() => seen.length).toBe(2)
  leaving.abort()
  await aborted
  expect([await left, seen[0]?.request.signal]).toEqual(['left', undefined])
})

describe('closing', () => {
  test('answers what is under way, and ends idle connections', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<HttpResponse>()
    const { front, seen, base } = await startFront(() => answer)
    const waiting = fetch(`${base}/health`)
    await expect.poll(() => seen.length).toBe(1)
    const closed = front.close()
    resolve(jsonResponse(200, { ok: true }))
    expect((await waiting).status).toBe(200)
    await closed
    await expect(fetch(`${base}/health`)).rejects.toThrow()
  })

  test('does not wait for a connection that has not sent anything', async () => {
    const { front } = await startFront()
    const silent = createConnection(front.port, '127.0.0.1').resume()
    await once(silent, 'connect')
    // Connections are taken in their order.
    await exchange(front, 'GET /health HTTP/1.0\r\n\r\n')
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    // Nothing that waits for a time would ever end.
    await Promise.all([front.close(), once(silent, 'close')])
  })

  test('a port that is taken is an error of the start', async () => {
    const { front } = await startFront()
    await expect(startFront(undefined, { port: front.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
