import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import { functionUrl } from '#lambdas/http/function-url'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { jsonResponse } from '#lambdas/http/response'

type Request = { method?: string; path?: string; query?: string; headers?: Record<string, string> }

function event({ method = 'GET', path = '/stream', query = '', headers = {} }: Request = {}) {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { 'x-footfall-edge': 'edge-1', 'x-footfall-host': 'stats.example.com', ...headers },
    cookies: ['__Host-footfall-session=1'],
    requestContext: { http: { method, path, sourceIp: '192.0.2.1' } },
    isBase64Encoded: false,
  } as unknown as LambdaFunctionURLEvent
}

function openFunction(response: () => HttpResponse = () => jsonResponse(200, { ok: true })) {
  const received: { baseUrl: string; request: HttpRequest }[] = []
  const serve = (baseUrl: string) => async (_: unknown, request: HttpRequest) => {
    received.push({ baseUrl, request })
    return response()
  }
  return { received, handle: functionUrl(serve, () => expect.unreachable(), 'edge-1') }
}

const parse = ({ body }: { body: unknown }) => JSON.parse(String(body))

test('a request reaches the function with its query, its credentials, and the address that the caller used', async () => {
  const { received, handle } = openFunction()
  const headers = { Authorization: 'Bearer aas_1', 'last-event-id': '01' }
  const result = await handle(event({ query: 'project=shop&filter=path:/a%3Bb', headers }))
  expect([result.statusCode, parse(result)]).toEqual([200, { ok: true }])
  const [{ baseUrl, request } = expect.unreachable()] = received
  expect(baseUrl).toBe('https://stats.example.com')
  expect({ ...request.query }).toEqual({ project: 'shop', filter: 'path:/a;b' })
  expect(request.headers).toMatchObject({
    authorization: 'Bearer aas_1',
    'last-event-id': '01',
    cookie: '__Host-footfall-session=1',
  })
})

test('a request that did not come through CloudFront is refused before anything else', async () => {
  const { received, handle } = openFunction()
  for (const edge of ['', 'edge-2']) {
    const result = await handle(event({ headers: { 'x-footfall-edge': edge } }))
    expect([result.statusCode, parse(result).error]).toEqual([403, 'FORBIDDEN'])
  }
  expect(received).toEqual([])
})

test('a preflight request is answered, and other methods and paths are refused as elsewhere', async () => {
  const { handle } = openFunction()
  const preflight = await handle(event({ method: 'OPTIONS' }))
  expect([preflight.statusCode, preflight.headers['Access-Control-Allow-Origin'], preflight.body]).toEqual([
    204,
    '*',
    '',
  ])
  const post = await handle(event({ method: 'POST' }))
  expect([post.statusCode, post.headers.Allow, parse(post).error]).toEqual([
    405,
    'GET, HEAD, OPTIONS',
    'METHOD_NOT_ALLOWED',
  ])
  // The row of another function.
  expect((await handle(event({ path: '/nowhere' }))).statusCode).toBe(404)
})

test('a stream is passed on, and HEAD cancels it', async () => {
  let isCancelled = false
  const body = () =>
    new ReadableStream<Uint8Array>({
      cancel() {
        isCancelled = true
      },
    })
  const { handle } = openFunction(() => ({ status: 200, headers: {}, body: body() }))
  expect((await handle(event())).body).toBeInstanceOf(ReadableStream)
  expect(isCancelled).toBe(false)
  expect((await handle(event({ method: 'HEAD' }))).body).toBe('')
  expect(isCancelled).toBe(true)
})

test('bad percent-encoding is refused', async () => {
  const result = await openFunction().handle(event({ query: 'project=%' }))
  expect([result.statusCode, parse(result).error]).toEqual([400, 'MISSING_FIELDS'])
})

test.each<[what: string, forwarded: string | undefined, address: string]>([
  ['the viewer that CloudFront names', '203.0.113.9', '203.0.113.9'],
  ['what the viewer has written before', '6.6.6.6, 203.0.113.9', '203.0.113.9'],
  ['CloudFront itself behind the viewer', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
  ['no header', undefined, '192.0.2.1'],
])('the address of the caller is not that of CloudFront: %s', async (_what, forwarded, address) => {
  const { received, handle } = openFunction()
  await handle(event({ headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }))
  expect(received.map(({ request }) => request.ip)).toEqual([address])
})

test('without CloudFront the address is that of the connection, whatever a header says', async () => {
  const ips: (string | null)[] = []
  const serve =
    () =>
    async (_: unknown, { ip }: HttpRequest) => {
      ips.push(ip)
      return jsonResponse(200, {})
    }
  const handle = functionUrl(serve, () => {}, '')
  await handle(event({ headers: { host: 'x.example', 'x-forwarded-for': '203.0.113.9' } }))
  expect(ips).toEqual(['192.0.2.1'])
})
