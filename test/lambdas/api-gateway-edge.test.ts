import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { expect, test } from 'vitest'
import { apiGateway } from '#lambdas/http/api-gateway'
import { exampleEvent } from '#test/support/lambda-events'

const VIEWER = '198.51.100.23'
const CLOUDFRONT = '130.176.1.72'

/**
 * What a gateway answers to a request with these headers, and the address that the function sees; null: it
 * was not called.
 */
async function call(headers: Record<string, string>, edgeKey = 'edge-1') {
  let ip: string | null = null
  const handle = apiGateway(
    async (_, request) => {
      ip = request.ip
      return { status: 200, headers: {}, body: '' }
    },
    () => {},
    edgeKey,
  )
  const { statusCode } = await handle(
    exampleEvent<APIGatewayProxyEventV2>('stats', event => {
      event.requestContext.http.sourceIp = CLOUDFRONT
      delete event.headers['x-forwarded-for']
      Object.assign(event.headers, headers)
    }),
  )
  return [statusCode, ip]
}

test('behind CloudFront the address is that of its viewer', async () => {
  const forwarded = `1.1.1.1, ${VIEWER}, ${CLOUDFRONT}`
  const headers = { 'x-footfall-edge': 'edge-1', 'x-forwarded-for': forwarded }
  expect(await call(headers)).toEqual([200, VIEWER])
})

test.each([
  ['without the key', {}],
  ['with an empty key', { 'x-footfall-edge': '' }],
  ['with a wrong key', { 'x-footfall-edge': 'edge-2' }],
  ['with a part of the setting', { 'x-footfall-edge': 'edge-1,' }],
])('a direct call %s is refused', async (_, headers) => {
  expect(await call(headers as Record<string, string>)).toEqual([403, null])
  expect(await call(headers as Record<string, string>, 'edge-3,edge-1')).toEqual([403, null])
})

test('both keys are accepted while one replaces the other', async () => {
  for (const key of ['edge-1', 'edge-2'])
    expect(await call({ 'x-footfall-edge': key }, 'edge-1,edge-2')).toEqual([200, CLOUDFRONT])
})

test('without CloudFront direct calls are good, and the header with addresses is not believed', async () => {
  expect(await call({ 'x-forwarded-for': `${VIEWER}, ${CLOUDFRONT}` }, '')).toEqual([200, CLOUDFRONT])
})

test('without addresses in the header the peer counts', async () => {
  expect(await call({ 'x-footfall-edge': 'edge-1' })).toEqual([200, CLOUDFRONT])
})

/**
 * What a function with a URL answers there, with the row and the address that it saw. The events of a URL
 * have no route key.
 */
async function callUrl(method: string, path: string, headers: Record<string, string> = {}) {
  const seen: unknown[] = []
  const handle = apiGateway(
    async (route, request) => {
      seen.push(`${route.method} ${route.path}`, request.ip)
      return { status: 200, headers: {}, body: '' }
    },
    () => {},
    'edge-1',
    'track',
  )
  const { statusCode } = await handle(
    exampleEvent<APIGatewayProxyEventV2>('track', event => {
      event.routeKey = '$default'
      event.rawPath = path
      Object.assign(event.requestContext.http, { method, path, sourceIp: CLOUDFRONT })
      delete event.headers['x-forwarded-for']
      Object.assign(event.headers, { 'x-footfall-edge': 'edge-1', ...headers })
    }),
  )
  return [statusCode, ...seen]
}

test('the URL of a function serves its own rows by their paths, and no row of another function', async () => {
  expect(await callUrl('POST', '/track')).toEqual([200, 'POST /track', CLOUDFRONT])
  expect(await callUrl('POST', '/track/batch')).toEqual([200, 'POST /track/batch', CLOUDFRONT])
  expect(await callUrl('GET', '/nothing')).toEqual([404])
  expect(await callUrl('GET', '/projects')).toEqual([405])
  expect(await callUrl('GET', '/track')).toEqual([405])
  expect(await callUrl('OPTIONS', '/track')).toEqual([204])
})

test('the URL of a function refuses calls past CloudFront, and sees the viewer, whatever the viewer wrote', async () => {
  expect(await callUrl('POST', '/track', { 'x-footfall-edge': 'edge-2' })).toEqual([403])
  for (const forwarded of [`1.1.1.1, ${VIEWER}`, `1.1.1.1, ${VIEWER}, ${CLOUDFRONT}`])
    expect(await callUrl('POST', '/track', { 'x-forwarded-for': forwarded })).toEqual([
      200,
      'POST /track',
      VIEWER,
    ])
})
