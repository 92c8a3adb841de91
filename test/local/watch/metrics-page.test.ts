import { createServer, request } from 'node:http'
import { type AddressInfo, createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createMetricsPage } from '#local/watch/metrics-page'

/** Who may read `GET /metrics`. */

const SECRET = 'a-secret-of-a-monitor'

async function open({
  read = async () => 'footfall_info 1\n',
  secret = undefined as string | undefined,
} = {}) {
  const lines: unknown[] = []
  const page = createMetricsPage({ secret, read, log: code => void lines.push(code) })
  const server = createServer((asked, response) => {
    if (!page(asked, response)) response.writeHead(404).end()
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const ask = (headers: Record<string, string> = {}, path = '/metrics', method = 'GET') =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async response =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: await text(response),
        }),
      )
        .on('error', reject)
        .end()
    })
  return { ask, port, lines }
}

test('a program of this machine reads it by an address of this machine, without a secret', async () => {
  const { ask, port } = await open()
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    const { status, headers, body } = await ask({ Host: host })
    expect([status, body]).toEqual([200, 'footfall_info 1\n'])
    expect(headers['content-type']).toContain('text/plain; version=0.0.4')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
  expect(await ask({}, '/metrics?x=1', 'HEAD')).toMatchObject({ status: 200, body: '' })
})

test.each([
  ['X-Forwarded-For', '198.51.100.7'],
  ['X-Real-IP', '198.51.100.7'],
  ['Forwarded', 'for=198.51.100.7'],
  ['Via', '1.1 proxy'],
  ['X-Forwarded-Proto', 'https'],
  ['Host', 'stats.example.com'],
  ['Host', 'localhost.example.com'],
])('a proxy of this machine, and a name that leads here, get no numbers: %s %s', async (name, value) => {
  const { ask } = await open()
  const { status, body } = await ask({ [name]: value })
  expect([status, body]).toEqual([401, expect.stringContaining('METRICS_SECRET')])
})

test('a proxy that speaks HTTP/1.0 and sends nothing about its caller gets no numbers', async () => {
  const { port } = await open()
  const socket = createConnection(port, '127.0.0.1')
  socket.write(`GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /)
})

test('the secret opens it from everywhere, and nothing else does', async () => {
  const { ask } = await open({ secret: SECRET })
  const far = { 'X-Forwarded-For': '198.51.100.7', Host: 'stats.example.com' }
  expect(await ask({ ...far, Authorization: `Bearer ${SECRET}` })).toMatchObject({ status: 200 })
  for (const value of [`Bearer ${SECRET}x`, 'Bearer ', 'Bearer undefined', `Basic ${SECRET}`, SECRET])
    expect(await ask({ ...far, Authorization: value })).toMatchObject({ status: 401 })
})

test('without the setting no bearer token opens it', async () => {
  const { ask } = await open()
  const far = { 'X-Forwarded-For': '198.51.100.7' }
  for (const token of ['undefined', '', 'x'])
    expect(await ask({ ...far, Authorization: `Bearer ${token}` })).toMatchObject({ status: 401 })
})

test('other paths and methods are not its own, and a state that cannot be read is 503 and a line', async () => {
  const { ask, lines } = await open({ read: () => Promise.reject(new Error('away')) })
  expect(await ask({}, '/metrics/')).toMatchObject({ status: 404 })
  expect(await ask({}, '/metrics', 'POST')).toMatchObject({ status: 404 })
  expect(await ask()).toMatchObject({ status: 503, body: expect.stringContaining('Try again') })
  expect(lines).toEqual(['TIMER_FAILED'])
})
