import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOutboundClient } from '#core/outbound/outbound-client'
import { isPublicAddress } from '#core/outbound/public-addresses'
import { type AddressPolicy, PUBLIC_INTERNET, parsePublicUrl } from '#core/outbound/public-url'
import type { Network } from '#core/ports'
import { createNetwork } from '#providers/network'
import { eventually } from '#test/support/eventually'
import { createFakeClock } from '#test/support/fake-clock'
import { REFUSED_PORTS, refusedAddresses } from './refused-addresses.ts'

/** The rules for addresses of the default policy, at any port, so that the listener could be reached. */
const ANY_PORT: AddressPolicy = { isAllowedAddress: isPublicAddress, isAllowedPort: () => true }
const OPTIONS = { maxBytes: 1_000, timeoutMs: 5_000 }

const clock = createFakeClock()
let listener: Server
let port: number
let connections = 0

beforeAll(async () => {
  listener = createServer((_, response) => response.end('reached'))
  listener.on('connection', () => connections++)
  await new Promise<void>(resolve => listener.listen(0, resolve))
  port = (listener.address() as AddressInfo).port
})

afterAll(() => new Promise(resolve => listener.close(resolve)))

/** A real network whose DNS is a table. It counts the exchanges that it is asked for. */
function countingNetwork(dns: Readonly<Record<string, readonly string[]>> = {}) {
  const network = createNetwork()
  const exchanges: string[] = []
  const counting: Network = {
    addresses: async host => [...(dns[host] ?? [])],
    exchange: request => {
      exchanges.push(request.url.href)
      return network.exchange(request)
    },
  }
  return { network: counting, exchanges }
}

test('every address of the list is refused with INVALID_URL, and the listener has no connection', async () => {
  const { network, exchanges } = countingNetwork()
  const list = refusedAddresses(port)
  expect(list.length).toBeGreaterThan(120)
  connections = 0
  for (const policy of [ANY_PORT, undefined]) {
    const client = createOutboundClient({ network, userAgent: 'test', clock, ...(policy && { policy }) })
    for (const [kind, address] of list) {
      const error = await client.fetch(address, OPTIONS).catch(error => error)
      expect([kind, address, error.code]).toEqual([kind, address, 'INVALID_URL'])
    }
  }
  expect(exchanges).toEqual([])
  expect(connections).toBe(0)
})

test('without the rules for addresses, the same list reaches the listener: the test above can fail', async () => {
  const { network } = countingNetwork()
  const policy = { isAllowedAddress: () => true, isAllowedPort: () => true }
  const client = createOutboundClient({ network, userAgent: 'test', clock, policy })
  connections = 0
  const fetches = refusedAddresses(port).map(([, address]) => client.fetch(address, OPTIONS).catch(() => {}))
  await eventually(() => expect(connections).toBeGreaterThan(20), { everyMs: 20 })
  // Many of the addresses belong to nobody here, so nothing else ends their fetches.
  clock.advance(OPTIONS.timeoutMs)
  await Promise.all(fetches)
})

test.each(REFUSED_PORTS)('%s is refused for its port', async address => {
  const { network, exchanges } = countingNetwork({ 'www.example.com': ['93.184.215.14'] })
  const client = createOutboundClient({ network, userAgent: 'test', clock })
  await expect(client.fetch(address, OPTIONS)).rejects.toMatchObject({ code: 'INVALID_URL' })
  expect(exchanges).toEqual([])
})

test('a redirect to any address of the list is refused with INVALID_URL before a connection', async () => {
  const exchanges: string[] = []
  let location = ''
  const network: Network = {
    addresses: async host => (host === 'start.example.com' ? ['93.184.215.14'] : []),
    exchange: async ({ url }) => {
      exchanges.push(url.hostname)
      return { status: 302, headers: { location }, body: new Uint8Array(), isCut: false }
    },
  }
  const client = createOutboundClient({ network, userAgent: 'test', clock, policy: ANY_PORT })
  // The rest is not an absolute address, so it leads to a path of the same host, as in a browser.
  const targets = refusedAddresses(port).filter(([, target]) => isAbsolute(target))
  expect(targets.length).toBeGreaterThan(100)
  for (const [, target] of targets) {
    location = target
    exchanges.length = 0
    const error = await client.fetch('https://start.example.com/', OPTIONS).catch(error => error)
    expect([target, error.code ?? error.reason]).toEqual([
      target,
      URL.parse(target, 'https://start.example.com/') === null ? 'response' : 'INVALID_URL',
    ])
    expect(exchanges).toEqual(['start.example.com'])
  }
})

test.each([
  ['one loopback address', ['127.0.0.1']],
  ['a public and a private address', ['93.184.215.14', '10.0.0.1']],
  ['an address that is mapped to IPv6', ['::ffff:127.0.0.1']],
  ['an address of NAT64', ['64:ff9b::7f00:1']],
  ['a public IPv4 and a private IPv6 address', ['93.184.215.14', 'fd00::1']],
  ['something that is no address', ['www.example.com']],
])('a name with %s is refused', async (_, addresses) => {
  const { network, exchanges } = countingNetwork({ 'www.example.com': addresses })
  const client = createOutboundClient({ network, userAgent: 'test', clock, policy: ANY_PORT })
  await expect(client.fetch('https://www.example.com/', OPTIONS)).rejects.toMatchObject({
    code: 'INVALID_URL',
  })
  expect(exchanges).toEqual([])
})

test.each([
  'http://example.com:0/',
  'https://example.com:0/',
  'example.com:0',
  'http://example.com:8080/',
  'http://example.com:00/',
])('%s has a port that no website has', address => {
  expect(() => parsePublicUrl(address, PUBLIC_INTERNET)).toThrow(/port other than 80 and 443/)
})

test('public addresses are not refused', () => {
  for (const address of [
    '8.8.8.8',
    '93.184.215.14',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ]) {
    expect([address, isPublicAddress(address)]).toEqual([address, true])
  }
})

function isAbsolute(target: string): boolean {
  return (
    /^([a-z-]+:|\/\/)/i.test(target) &&
    !/^http:[^/\\]|^http:\/[^/]/.test(target) &&
    !/^localhost:/.test(target)
  )
}
