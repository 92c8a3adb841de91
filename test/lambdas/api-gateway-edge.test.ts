import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { expect, test } from 'vitest'
import { apiGateway } from '#lambdas/api-gateway'
import { exampleEvent } from '../support/lambda-events.ts'

const VIEWER = '198.51.100.23'
const CLOUDFRONT = '130.176.1.72'

/** The address that a function sees, with the headers of the request. */
async function addressSeen(headers: Record<string, string>, edgeKey: string | undefined = 'edge-1') {
  let ip: string | null = null
  const call = apiGateway(
    async (_, request) => {
      ip = request.ip
      return { status: 200, headers: {}, body: '' }
    },
    () => {},
    edgeKey,
  )
  await call(
    exampleEvent<APIGatewayProxyEventV2>('stats', event => {
      event.requestContext.http.sourceIp = CLOUDFRONT
      delete event.headers['x-forwarded-for']
      Object.assign(event.headers, headers)
    }),
  )
  return ip
}

test('behind CloudFront the address is that of its viewer', async () => {
  const forwarded = `1.1.1.1, ${VIEWER}, ${CLOUDFRONT}`
  expect(await addressSeen({ 'x-footfall-edge': 'edge-1', 'x-forwarded-for': forwarded })).toBe(VIEWER)
})

test.each([
  ['without the key', {}],
  ['with a wrong key', { 'x-footfall-edge': 'edge-2' }],
])('%s the header with addresses is not believed', async (_, headers) => {
  const forwarded = { 'x-forwarded-for': `${VIEWER}, ${CLOUDFRONT}` }
  expect(await addressSeen({ ...forwarded, ...headers })).toBe(CLOUDFRONT)
})

test('without addresses in the header the peer counts', async () => {
  expect(await addressSeen({ 'x-footfall-edge': 'edge-1' })).toBe(CLOUDFRONT)
})
