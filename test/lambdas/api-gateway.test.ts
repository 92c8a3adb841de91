import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { expect, test } from 'vitest'
import { apiGateway, timeoutResponse } from '#lambdas/api-gateway'
import type { HttpFunction, HttpRequest, HttpResponse } from '#lambdas/http'
import { type Route, routes } from '#schemas/routes'
import { exampleEvent } from '../support/lambda-events.ts'

const OK: HttpResponse = { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'ok' }

/** A gateway in front of a function that answers so, with what it was asked and what was logged. */
function gateway(answer: HttpFunction = async () => OK) {
  const asked: { route: Route; request: HttpRequest }[] = []
  const logged: unknown[] = []
  const call = apiGateway(
    (route, request) => {
      asked.push({ route, request })
      return answer(route, request)
    },
    (code, fields) => void logged.push({ code, ...fields }),
  )
  return { call, asked, logged }
}

function event(
  name: string,
  changes: Partial<APIGatewayProxyEventV2> = {},
  method?: string,
): APIGatewayProxyEventV2 {
  return exampleEvent<APIGatewayProxyEventV2>(name, made => {
    Object.assign(made, changes)
    if (method !== undefined) made.requestContext.http.method = method
  })
}

test('a request comes to the row of its route key, with its parameters as every front gives them', async () => {
  const { call, asked } = gateway()
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
  const [{ route, request } = {}] = asked
  expect(route).toBe(routes.readProject)
  expect(request).toMatchObject({ method: 'GET', path: '/projects/my%20shop', params: { id: 'my shop' } })
  expect({ ...request?.query }).toEqual({ a: '2', b: 'x y&z', key: '' })
  expect(request?.headers['x-api-key']).toMatch(/^aak_/)
  expect(request?.signal).toBe(signal)
})

test('the address of a request is the peer of the gateway, whatever its headers say', async () => {
  const { call, asked } = gateway()
  const made = event('stats')
  made.headers['cloudfront-viewer-address'] = '198.51.100.23:46532'
  made.headers['x-forwarded-for'] = '198.51.100.23'
  await call(made)
  expect(asked.map(({ request }) => request.ip)).toEqual(['130.176.1.72'])
})

test('a body is bytes, whether it came as text, in base64, or not at all', async () => {
  const { call, asked } = gateway()
  await call(event('track', { body: '{"é":1}' }))
  await call(event('track', { body: Buffer.from([0xff, 0x00]).toString('base64'), isBase64Encoded: true }))
  const none = event('track')
  delete none.body
  await call(none)
  expect(asked.map(({ request }) => Buffer.from(request.body).toString('hex'))).toEqual([
    '7b22c3a9223a317d',
    'ff00',
    '',
  ])
})

test('bytes are answered in base64, text as it is', async () => {
  expect(await gateway().call(event('stats'))).toEqual({ statusCode: 200, headers: OK.headers, body: 'ok' })
  const bytes = gateway(async () => ({ ...OK, body: Uint8Array.of(0xff, 0x00) }))
  expect(await bytes.call(event('stats'))).toMatchObject({ body: '/wA=', isBase64Encoded: true })
})

test('HEAD asks the row that GET asks, and is answered without a body', async () => {
  const { call, asked } = gateway()
  expect(await call(event('stats', { routeKey: 'HEAD /stats' }, 'HEAD'))).toEqual({
    statusCode: 200,
    headers: OK.headers,
  })
  expect(asked[0]).toMatchObject({ route: routes.stats, request: { method: 'GET' } })
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
  ['OPTIONS that is no preflight', 'OPTIONS', '/anything', 204, undefined],
])('what no row takes is answered by no function: %s', async (_, method, rawPath, status, allow) => {
  const { call, asked } = gateway()
  const answer = await call(event('default', { rawPath }, method))
  expect([answer.statusCode, answer.headers?.Allow]).toEqual([status, allow])
  expect(answer.headers?.['Access-Control-Allow-Origin']).toBe('*')
  expect(asked).toEqual([])
})

test('an error that nobody caught is a 500 without its text, and the log names the row, not the query', async () => {
  const { call, logged } = gateway(() => Promise.reject(new Error('secret detail')))
  const answer = await call(event('stats', { rawQueryString: 'key=aak_secret' }))
  expect(answer.statusCode).toBe(500)
  expect(answer.body).not.toContain('secret')
  expect(logged).toEqual([
    { code: 'REQUEST_FAILED', route: 'GET /stats', error: expect.stringContaining('secret detail') },
  ])
  expect(JSON.stringify(logged)).not.toContain('aak_')
})

test.each([
  ['no header', {}, 400],
  ['gzip refused', { 'accept-encoding': 'br, gzip;q=0' }, 400],
  ['gzip taken', { 'Accept-Encoding': 'deflate, gzip' }, 200],
])('an answer that is too large for Lambda: %s', async (_, headers, status) => {
  const body = JSON.stringify({ text: '"'.repeat(2_000_000) })
  const { call } = gateway(async () => ({ ...OK, body }))
  const answer = await call(event('stats', { headers }))
  expect(answer.statusCode).toBe(status)
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(6_291_456)
})

test('one that is too large even when compressed is refused', async () => {
  const random = Array.from({ length: 700_000 }, () => Math.random().toString(36)).join('')
  const { call } = gateway(async () => ({ ...OK, body: random }))
  const answer = await call(event('stats', { headers: { 'accept-encoding': 'gzip' } }))
  expect([answer.statusCode, JSON.parse(answer.body ?? '').error]).toEqual([400, 'MISSING_FIELDS'])
})

test('a call that would be cut off is answered as busy, with CORS and when to come again, and told', async () => {
  const logged: string[] = []
  const { statusCode, headers, body } = await timeoutResponse(code => void logged.push(code)).respond()
  expect(logged).toEqual(['REQUEST_LATE'])
  expect([statusCode, headers?.['Retry-After']]).toEqual([503, '5'])
  expect(headers?.['Access-Control-Allow-Origin']).toBe('*')
  expect(JSON.parse(body ?? '').error).toBe('UNAVAILABLE')
})

test('where something has to be called off, the call ends so much earlier, and its answer waits for that', async () => {
  const order: string[] = []
  const settled = async (withinMs: number) => {
    await Promise.resolve()
    order.push(`called off within ${withinMs} ms`)
  }
  const log = () => {}
  const { before, respond } = timeoutResponse(log, settled)
  expect(before).toBe(timeoutResponse(log).before + 1_000)
  await respond().then(() => order.push('answered'))
  expect(order).toEqual(['called off within 1000 ms', 'answered'])
})
