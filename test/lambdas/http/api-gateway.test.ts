import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { expect, test } from 'vitest'
import { apiGateway, timeoutResponse } from '#lambdas/http/api-gateway'
import type { HttpFunction, HttpRequest, HttpResponse } from '#lambdas/http/http'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { exampleEvent } from '#test/support/lambda-events'

const OK: HttpResponse = { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'ok' }

/** A gateway in front of an HTTP function, with the requests that the function got and the log. */
function gateway(serve: HttpFunction = async () => OK) {
  const received: { route: Route; request: HttpRequest }[] = []
  const logged: unknown[] = []
  const call = apiGateway(
    (route, request) => {
      received.push({ route, request })
      return serve(route, request)
    },
    (code, fields) => void logged.push({ code, ...fields }),
    '',
  )
  return { call, received, logged }
}

function event(
  name: string,
  changes: Partial<APIGatewayProxyEventV2> = {},
  method?: string,
): APIGatewayProxyEventV2 {
  return exampleEvent<APIGatewayProxyEventV2>(name, example => {
    Object.assign(example, changes)
    if (method !== undefined) example.requestContext.http.method = method
  })
}

test('a request reaches the row of its route key, with decoded parameters', async () => {
  const { call, received } = gateway()
  const signal = new AbortController().signal
  await call(
    event('stats', {
      routeKey: 'GET /projects/{id}',
      rawPath: '/projects/my%20shop',
      rawQueryString: 'a=1&a=2&b=x+y%26z&key',
      pathParameters: { id: 'my shop' },
    }),
    signal,
  )
  const [{ route, request } = {}] = received
  expect(route).toBe(routes.readProject)
  expect(request).toMatchObject({ method: 'GET', path: '/projects/my%20shop', params: { id: 'my shop' } })
  expect({ ...request?.query }).toEqual({ a: '2', b: 'x y&z', key: '' })
  expect(request?.headers['x-api-key']).toMatch(/^aak_/)
  expect(request?.signal).toBe(signal)
})

test('an id with a line break reaches its row', async () => {
  const { call, received } = gateway()
  await call(
    event('stats', {
      routeKey: 'DELETE /users/{id}',
      rawPath: '/users/a%0Ab',
      pathParameters: { id: 'a\nb' },
    }),
  )
  expect(received[0]).toMatchObject({ route: routes.erasePerson, request: { params: { id: 'a\nb' } } })
})

test('the address of a request is the client of the gateway, not an address in a header', async () => {
  const { call, received } = gateway()
  const stats = event('stats')
  stats.headers['cloudfront-viewer-address'] = '198.51.100.23:46532'
  stats.headers['x-forwarded-for'] = '198.51.100.23'
  await call(stats)
  expect(received.map(({ request }) => request.ip)).toEqual(['130.176.1.72'])
})

test('cookies do not reach a row that takes none', async () => {
  const { call, received } = gateway()
  await call(event('track', { cookies: ['session=secret'] }))
  expect(JSON.stringify(received)).not.toContain('secret')
})

test('a body becomes bytes from text, from base64, and when it is absent', async () => {
  const { call, received } = gateway()
  await call(event('track', { body: '{"é":1}' }))
  await call(event('track', { body: Buffer.from([0xff, 0x00]).toString('base64'), isBase64Encoded: true }))
  const withoutBody = event('track')
  delete withoutBody.body
  await call(withoutBody)
  expect(received.map(({ request }) => Buffer.from(request.body).toString('hex'))).toEqual([
    '7b22c3a9223a317d',
    'ff00',
    '',
  ])
})

test('a response of bytes is sent in base64, a response of text unchanged', async () => {
  expect(await gateway().call(event('stats'))).toEqual({ statusCode: 200, headers: OK.headers, body: 'ok' })
  const bytes = gateway(async () => ({ ...OK, body: Uint8Array.of(0xff, 0x00) }))
  expect(await bytes.call(event('stats'))).toMatchObject({ body: '/wA=', isBase64Encoded: true })
})

test('HEAD runs the row of GET, and its response has no body', async () => {
  const { call, received } = gateway()
  expect(await call(event('stats', { routeKey: 'HEAD /stats' }, 'HEAD'))).toEqual({
    statusCode: 200,
    headers: OK.headers,
  })
  expect(received[0]).toMatchObject({ route: routes.stats, request: { method: 'GET' } })
})

test.each([
  ['an unknown path', 'GET', '/no/such/path', 404, undefined],
  ['a path that ends in a slash', 'GET', '/stats/', 404, undefined],
  ['a parameter without a value', 'GET', '/projects/', 404, undefined],
  ['another method', 'PUT', '/projects', 405, 'GET, POST, HEAD, OPTIONS'],
  [
    'another method of a path with a parameter',
    'POST',
    '/projects/a%2Fb',
    405,
    'GET, PATCH, DELETE, HEAD, OPTIONS',
  ],
  ['OPTIONS without a preflight', 'OPTIONS', '/anything', 204, undefined],
])('a request without a row reaches no function: %s', async (_, method, rawPath, status, allow) => {
  const { call, received } = gateway()
  const response = await call(event('default', { rawPath }, method))
  expect([response.statusCode, response.headers?.Allow]).toEqual([status, allow])
  expect(response.headers?.['Access-Control-Allow-Origin']).toBe('*')
  expect(received).toEqual([])
})

test.each(['GET', 'HEAD'])('%s of a stream where the API gets it is 501 with what to poll', async method => {
  const { call, received } = gateway()
  const response = await call(
    event('default', { rawPath: '/stream', rawQueryString: 'project=demo' }, method),
  )
  expect(response.statusCode).toBe(501)
  if (method === 'GET')
    expect(JSON.parse(response.body!)).toMatchObject({
      error: 'STREAMS_OFF',
      message: expect.stringContaining('GET /live with `after` every 5 seconds'),
    })
  expect(received).toEqual([])
})

test('an unexpected error is a 500 without its text, and the log has the row but not the query string', async () => {
  const { call, logged } = gateway(() => Promise.reject(new Error('secret detail')))
  const response = await call(event('stats', { rawQueryString: 'key=aak_secret' }))
  expect(response.statusCode).toBe(500)
  expect(response.body).not.toContain('secret')
  expect(logged).toEqual([
    { code: 'REQUEST_FAILED', route: 'GET /stats', error: expect.stringContaining('secret detail') },
  ])
  expect(JSON.stringify(logged)).not.toContain('aak_')
})

test.each([
  ['no header', {}, 400],
  ['gzip refused', { 'accept-encoding': 'br, gzip;q=0' }, 400],
  ['gzip accepted', { 'Accept-Encoding': 'deflate, gzip' }, 200],
  ['everything accepted', { 'accept-encoding': '*' }, 200],
  ['another encoding accepted', { 'accept-encoding': 'br' }, 400],
])('a response that is too large for Lambda: %s', async (_, headers, status) => {
  const body = JSON.stringify({ text: '"'.repeat(2_000_000) })
  const { call } = gateway(async () => ({ ...OK, body }))
  const response = await call(event('stats', { headers }))
  expect(response.statusCode).toBe(status)
  expect(Buffer.byteLength(JSON.stringify(response))).toBeLessThan(6_291_456)
})

test('a response that is too large even when compressed is refused', async () => {
  const random = Array.from({ length: 700_000 }, () => Math.random().toString(36)).join('')
  const { call } = gateway(async () => ({ ...OK, body: random }))
  const response = await call(event('stats', { headers: { 'accept-encoding': 'gzip' } }))
  expect([response.statusCode, JSON.parse(response.body ?? '').error]).toEqual([400, 'MISSING_FIELDS'])
})

test('a call that takes too long gets 503 with CORS and Retry-After, and is logged', async () => {
  const logged: string[] = []
  const { statusCode, headers, body } = await timeoutResponse(code => void logged.push(code)).respond()
  expect(logged).toEqual(['REQUEST_LATE'])
  expect([statusCode, headers?.['Retry-After']]).toEqual([503, '5'])
  expect(headers?.['Access-Control-Allow-Origin']).toBe('*')
  expect(JSON.parse(body ?? '').error).toBe('UNAVAILABLE')
})

test('where statements must be cancelled, the timeout response is made earlier and waits for the engine', async () => {
  const order: string[] = []
  const waitUntilIdle = async (withinMs: number) => {
    await Promise.resolve()
    order.push(`idle within ${withinMs} ms`)
  }
  const log = () => {}
  const { before, respond } = timeoutResponse(log, waitUntilIdle)
  expect(before).toBe(timeoutResponse(log).before + 1_000)
  await respond().then(() => order.push('response'))
  expect(order).toEqual(['idle within 1000 ms', 'response'])
})
