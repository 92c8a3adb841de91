import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gate, startGate } from '#rehearsal/gate'

/**
 * What API Gateway does to headers, played by the gate of the rehearsal in front of an API that answers as
 * our functions do.
 */

const API = '/_aws/execute-api/abc/$default/projects'
let api: Server
let gate: Gate
let received: IncomingHttpHeaders[] = []

beforeAll(async () => {
  api = createServer((incoming, response) => {
    received.push(incoming.headers)
    response
      .writeHead(401, {
        'WWW-Authenticate': 'Bearer resource_metadata="https://a.example/x"',
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'application/json',
      })
      .end('{"error":"AUTH_REQUIRED"}')
  }).listen(0, '127.0.0.1')
  await once(api, 'listening')
  gate = await startGate()
  gate.forwardTo(`http://127.0.0.1:${(api.address() as AddressInfo).port}`)
})
afterAll(async () => {
  await gate?.stop()
  api?.close()
})

async function get(path: string, headers: Record<string, string> = {}) {
  received = []
  const outgoing = request(gate.endpoint + path, { headers }).end()
  const [response] = await once(outgoing, 'response')
  response.resume()
  return { status: response.statusCode as number, headers: response.headers as IncomingHttpHeaders }
}

test('WWW-Authenticate is renamed, and CORS headers are dropped where the API saw no Origin', async () => {
  const { status, headers } = await get(API)
  expect(status).toBe(401)
  expect(headers).toMatchObject({
    'x-amzn-remapped-www-authenticate': 'Bearer resource_metadata="https://a.example/x"',
    'content-type': 'application/json',
  })
  expect(headers).not.toHaveProperty('www-authenticate')
  expect(headers).not.toHaveProperty('access-control-allow-origin')
})

test('CORS headers stay where the API saw an Origin', async () => {
  const { headers } = await get(API, { Origin: 'https://shop.example' })
  expect(headers['access-control-allow-origin']).toBe('*')
})

test('a request line and headers over 10,240 bytes are refused before a function sees them', async () => {
  const size = 10_240 - API.length - 300
  expect((await get(API, { Cookie: 'x'.repeat(size) })).status).toBe(401)
  expect((await get(API, { Cookie: 'x'.repeat(size + 300) })).status).toBe(431)
  expect(received).toEqual([])
  expect((await get(`${API}?q=${'x'.repeat(10_240)}`)).status).toBe(431)
})

test('calls of other services of AWS stay as they are', async () => {
  const { status, headers } = await get('/', { Cookie: 'x'.repeat(11_000) })
  expect(status).toBe(401)
  expect(headers).toHaveProperty('www-authenticate')
  expect(headers).toHaveProperty('access-control-allow-origin')
})
