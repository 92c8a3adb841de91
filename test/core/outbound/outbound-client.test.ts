import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createOutboundClient, type OutboundOptions } from '#core/outbound/outbound-client'
import type { Clock, Network } from '#core/ports'
import { createNetwork } from '#providers/network'
import { createFakeClock } from '#test/support/fake-clock'

const LIMITS = { maxBytes: 1_000_000, timeoutMs: 20_000 }
/** Loopback counts as public, at any port: the sites of the tests are served there. */
const LOOPBACK = { isAllowedAddress: (address: string) => address === '127.0.0.1', isAllowedPort: () => true }

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

/** Serves a site at `<name>.example.com`, a name that only the DNS of the test knows. */
async function serve(listener: RequestListener): Promise<{ port: number; connections: () => number }> {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => connections++)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** The time limit of a fetch is over only when a test says so. */
function openClient(
  addresses: Network['addresses'] = async () => ['127.0.0.1'],
  clock: Pick<Clock, 'deadline'> = createFakeClock(),
) {
  const network = { ...createNetwork(), addresses }
  return createOutboundClient({
    network,
    userAgent: 'Test/1.0 (+https://example.com/)',
    clock,
    policy: LOOPBACK,
  })
}

function fetchPage(port: number, path = '/', options: Partial<OutboundOptions> = {}) {
  return openClient().fetch(`http://shop.example.com:${port}${path}`, { ...LIMITS, ...options })
}

test('a page is fetched with its status, headers and address, by a request that names us and no more', async () => {
  let received: Record<string, unknown> = {}
  const { port } = await serve((request, response) => {
    received = request.headers
    response.writeHead(404, { 'Content-Type': 'text/html; charset=utf-8' }).end('<h1>Gone</h1>')
  })
  const response = await fetchPage(port, '/a?b=1#c')
  expect(response).toMatchObject({
    url: `http://shop.example.com:${port}/a?b=1`,
    redirects: [],
    status: 404,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    isCut: false,
  })
  expect(Buffer.from(response.body).toString()).toBe('<h1>Gone</h1>')
  expect(received).toEqual({
    host: `shop.example.com:${port}`,
    accept: '*/*',
    'accept-encoding': 'gzip, br, zstd',
    connection: 'close',
    'user-agent': 'Test/1.0 (+https://example.com/)',
  })
})

describe('encodings', () => {
  const text = 'Plain text. '.repeat(1_000)
  test.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['GZIP', gzipSync(text)],
    ['identity', Buffer.from(text)],
  ])('a body in %s is decompressed', async (encoding, body) => {
    const { port } = await serve((_, response) => response.setHeader('Content-Encoding', encoding).end(body))
    expect(Buffer.from((await fetchPage(port)).body).toString()).toBe(text)
  })

  const zeros = Buffer.alloc(100_000_000)
  test.each([
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync(zeros)],
  ])('a bomb in %s is decompressed up to the limit and no further', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(1_000_000)
    const { port } = await serve((_, response) => response.setHeader('Content-Encoding', encoding).end(bomb))
    const before = process.memoryUsage().arrayBuffers
    const { body, isCut } = await fetchPage(port)
    expect([body.length, isCut]).toEqual([LIMITS.maxBytes, true])
    // The zeros themselves have 100 MB.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000)
  })

  test.each([
    ['two encodings', 'gzip, gzip', gzipSync(gzipSync(text))],
    ['an unknown encoding', 'compress', Buffer.from(text)],
    ['a name that every object has', 'constructor', Buffer.from(text)],
    ['bytes that are not of the encoding', 'br', Buffer.from(text)],
    ['a window that is too large', 'zstd', Buffer.from('28b52ffd00f8', 'hex')],
  ])('%s is a failure of the server', async (_, encoding, body) => {
    const { port } = await serve((_, response) => response.setHeader('Content-Encoding', encoding).end(body))
    await expect(fetchPage(port)).rejects.toMatchObject({ name: 'OutboundFailure', reason: 'response' })
  })

  test('a compressed body that ends early is used as far as it goes', async () => {
    const { port } = await serve((_, response) =>
      response.setHeader('Content-Encoding', 'gzip').end(gzipSync(text).subarray(0, -10)),
    )
    expect(Buffer.from((await fetchPage(port)).body).toString()).toContain('Plain text. Plain text.')
  })
})

test('a body without end is cut at the limit, and the connection is closed', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const { port } = await serve((request, response) => {
    request.once('close', resolve)
    const write = () => {
      while (response.write(Buffer.alloc(65_536, 'x')));
    }
    response.on('drain', write)
    write()
  })
  const { body, isCut } = await fetchPage(port)
  expect([body.length, isCut]).toEqual([LIMITS.maxBytes, true])
  await closed
})

test.each<[string, (response: ServerResponse, wait: () => void) => unknown]>([
  ['never answers', (_, wait) => wait()],
  ['never ends its answer', (response, wait) => response.write('x', wait)],
])('a server that %s is given up after the time limit, and not before', async (_, answer) => {
  const clock = createFakeClock()
  const requested = Promise.withResolvers<void>()
  const { port } = await serve((_, response) => answer(response, requested.resolve))
  const url = `http://shop.example.com:${port}/`
  const fetched = openClient(undefined, clock).fetch(url, { ...LIMITS, timeoutMs: 300 })
  const failure = vi.fn()
  fetched.catch(failure)
  await requested.promise
  clock.advance(299)
  await nextTurn()
  expect(failure).not.toHaveBeenCalled()
  clock.advance(1)
  await expect(fetched).rejects.toMatchObject({
    reason: 'timeout',
    message: 'The server did not answer within 0.3 s.',
  })
})

test('redirects are followed up to the limit, and each is named', async () => {
  const { port } = await serve(({ url = '' }, response) => {
    const step = Number(url.slice(1))
    if (step === 0) response.end('arrived')
    else response.writeHead(301, { Location: `/${step - 1}` }).end()
  })
  const response = await fetchPage(port, '/5')
  expect(response.url).toBe(`http://shop.example.com:${port}/0`)
  expect(response.redirects.map(address => new URL(address).pathname)).toEqual(['/5', '/4', '/3', '/2', '/1'])
  await expect(fetchPage(port, '/6')).rejects.toMatchObject({ reason: 'redirects' })
  const unfollowed = await fetchPage(port, '/6', { maxRedirects: 0 })
  expect([unfollowed.status, unfollowed.headers.location]).toEqual([301, '/5'])
})

test('headers of the caller do not reach the target of a redirect, and a POST follows none', async () => {
  const seen: (string | undefined)[] = []
  const { port } = await serve(({ headers, url }, response) => {
    seen.push(headers.authorization)
    if (url === '/') response.writeHead(302, { Location: `http://other.example.com:${port}/2` })
    response.end()
  })
  await fetchPage(port, '/', { headers: { authorization: 'Bearer secret' } })
  expect(seen).toEqual(['Bearer secret', undefined])
  await expect(fetchPage(port, '/', { method: 'POST' })).rejects.toThrow(TypeError)
})

test('a name whose address changes after the check is still connected to the checked address', async () => {
  const { port, connections } = await serve((_, response) => response.end('checked'))
  let lookUps = 0
  const client = openClient(async () => (lookUps++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']))
  const url = `http://rebind.example.com:${port}/`
  expect(Buffer.from((await client.fetch(url, LIMITS)).body).toString()).toBe('checked')
  expect([lookUps, connections()]).toEqual([1, 1])
  await expect(client.fetch(url, LIMITS)).rejects.toMatchObject({ code: 'INVALID_URL' })
  expect([lookUps, connections()]).toEqual([2, 1])
})

test('Alt-Svc and Link headers of a server lead to no other connection', async () => {
  const other = await serve((_, response) => response.end())
  const { port, connections } = await serve((_, response) => {
    response.setHeader('Alt-Svc', `h2="127.0.0.1:${other.port}"; ma=86400, http/1.1=":${other.port}"`)
    response.setHeader('Link', `<http://127.0.0.1:${other.port}/>; rel=preload`)
    response.setHeader('Refresh', `0; url=http://127.0.0.1:${other.port}/`)
    response.end()
  })
  await fetchPage(port)
  await fetchPage(port)
  expect([connections(), other.connections()]).toEqual([2, 0])
})

test('proxies of the environment are not used', async () => {
  const proxy = await serve((_, response) => response.end('from the proxy'))
  const site = await serve((_, response) => response.end('from the site'))
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  const script = `
    import { createOutboundClient } from '#core/outbound/outbound-client'
    import { createNetwork } from '#providers/network'
    import { systemClock } from '#providers/system-clock'
    const network = { ...createNetwork(), addresses: async () => ['127.0.0.1'] }
    const policy = { isAllowedAddress: () => true, isAllowedPort: () => true }
    const client = createOutboundClient({ network, userAgent: 'test', clock: systemClock, policy })
    const { body } = await client.fetch('http://shop.example.com:${site.port}/', ${JSON.stringify(LIMITS)})
    console.log(Buffer.from(body).toString())`
  const names = ['http_proxy', 'https_proxy', 'all_proxy']
  const env = Object.fromEntries(
    [...names, ...names.map(name => name.toUpperCase())].map(name => [name, proxyUrl]),
  )
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: process.cwd(),
    env: { ...process.env, ...env, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' },
  })
  expect(stdout.trim()).toBe('from the site')
  expect([site.connections(), proxy.connections()]).toEqual([1, 0])
})

describe('TLS', () => {
  const [key, cert] = ['key', 'certificate'].map(name =>
    readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'utf8'),
  ) as [string, string]
  const trusted = getCACertificates('default')
  afterEach(() => setDefaultCACertificates(trusted))

  async function serveTls() {
    const names: unknown[] = []
    const server = createTlsServer({ key, cert }, (_, response) => response.end('encrypted'))
    server.on('secureConnection', socket => names.push(socket.servername))
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return { port: (server.address() as AddressInfo).port, names }
  }

  test('the certificate is checked against the name, though the connection goes to the checked address', async () => {
    setDefaultCACertificates([...trusted, cert])
    const { port, names } = await serveTls()
    const { body } = await openClient().fetch(`https://shop.example.com:${port}/`, LIMITS)
    expect(Buffer.from(body).toString()).toBe('encrypted')
    expect(names).toEqual(['shop.example.com'])
    const other = openClient().fetch(`https://other.example.com:${port}/`, LIMITS)
    await expect(other).rejects.toMatchObject({ reason: 'tls' })
  })

  test('a certificate that nobody has signed is refused', async () => {
    const { port } = await serveTls()
    await expect(openClient().fetch(`https://shop.example.com:${port}/`, LIMITS)).rejects.toMatchObject({
      reason: 'tls',
      message: `The server of shop.example.com:${port} has no certificate that can be trusted.`,
    })
  })

  test('a server without TLS is a failure', async () => {
    const { port } = await serve((_, response) => response.end())
    const failure = openClient().fetch(`https://shop.example.com:${port}/`, LIMITS)
    await expect(failure).rejects.toMatchObject({ reason: 'tls' })
  })
})

test('the next address is tried when one does not accept a connection', async () => {
  const { port } = await serve((_, response) => response.end('second'))
  const policy = { isAllowedAddress: () => true, isAllowedPort: () => true }
  // Nothing listens at this address of loopback.
  const network = { ...createNetwork(), addresses: async () => ['::1', '127.0.0.9', '127.0.0.1'] }
  const client = createOutboundClient({ network, userAgent: 'test', clock: createFakeClock(), policy })
  const { body } = await client.fetch(`http://shop.example.com:${port}/`, LIMITS)
  expect(Buffer.from(body).toString()).toBe('second')
})

describe('a server that breaks the protocol gives a failure with a reason', () => {
  const RAW = {
    'no HTTP': 'SSH-2.0-OpenSSH_9.2\r\n',
    'nothing at all': '',
    'headers without end': `HTTP/1.1 200 OK\r\n${'X-Filler: 0123456789\r\n'.repeat(10_000)}`,
    'a body that ends early': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort',
    'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  }
  test.each(Object.entries(RAW))('%s', async (_, raw) => {
    const server = createTcpServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(raw))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const failure = fetchPage((server.address() as AddressInfo).port)
      await expect(failure).rejects.toMatchObject({ name: 'OutboundFailure', reason: 'response' })
    } finally {
      await new Promise(resolve => server.close(resolve))
    }
  })

  test('a closed port', async () => {
    const failure = fetchPage(1)
    await expect(failure).rejects.toMatchObject({
      reason: 'connect',
      message: 'The server of shop.example.com:1 does not accept a connection.',
    })
  })

  test('a name without an address', async () => {
    const failure = openClient(async () => []).fetch('http://none.example.com/', LIMITS)
    await expect(failure).rejects.toMatchObject({
      reason: 'dns',
      message: 'The host none.example.com has no address in the DNS.',
    })
  })
})

test('the signal of the caller ends a fetch with its own reason', async () => {
  const { port } = await serve(() => {})
  const stop = new AbortController()
  const fetched = fetchPage(port, '/', { signal: stop.signal })
  stop.abort(new Error('stopped'))
  await expect(fetched).rejects.toThrow('stopped')
})
