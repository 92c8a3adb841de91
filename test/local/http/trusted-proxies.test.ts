import { describe, expect, test } from 'vitest'
import { isNetwork, trustProxies } from '#local/http/trusted-proxies'

const CONTAINERS = ['172.16.0.0/12', 'fd00::/8', '127.0.0.1', '::1']

describe('without trusted proxies', () => {
  test.each(['203.0.113.9', '1.1.1.1, 127.0.0.1', ''])(
    'the peer is the caller, whatever X-Forwarded-For says: %j',
    header => {
      expect(trustProxies([]).callerOf('127.0.0.1', header)).toEqual({
        address: '127.0.0.1',
        isForwarded: false,
        peer: '127.0.0.1',
      })
    },
  )
})

describe('with trusted proxies', () => {
  test.each<[what: string, peer: string, header: string | undefined, address: string, isForwarded: boolean]>([
    ['a proxy in a container', '172.18.0.2', '203.0.113.9', '203.0.113.9', true],
    ['its address as IPv6 sockets show it', '::ffff:172.18.0.2', '203.0.113.9', '203.0.113.9', true],
    ['a proxy with an IPv6 address', 'fd12::5', '2001:db8::7', '2001:db8::7', true],
    ['two proxies behind each other', '127.0.0.1', '203.0.113.9, 172.18.0.3', '203.0.113.9', true],
    ['what the client has written before', '127.0.0.1', '6.6.6.6, 203.0.113.9', '203.0.113.9', true],
    [
      'a trusted address that the client has written',
      '127.0.0.1',
      '172.16.0.1, 203.0.113.9',
      '203.0.113.9',
      true,
    ],
    ['an address with a port', '127.0.0.1', '203.0.113.9:51234', '203.0.113.9', true],
    ['an IPv6 address with a port', '::1', '[2001:db8::7]:443', '2001:db8::7', true],
    ['a proxy that adds no header', '172.18.0.2', undefined, '172.18.0.2', true],
    ['a header that is no address', '172.18.0.2', 'unknown', '172.18.0.2', true],
    ['nothing but proxies', '127.0.0.1', '172.18.0.9', '172.18.0.9', true],
    ['a client that calls directly', '203.0.113.9', '198.51.100.1', '203.0.113.9', false],
    ['a neighbour of the trusted network', '172.32.0.1', '198.51.100.1', '172.32.0.1', false],
  ])('%s', (_what, peer, header, address, isForwarded) => {
    expect(trustProxies(CONTAINERS).callerOf(peer, header)).toMatchObject({ address, isForwarded })
  })

  test('a connection that has ended has no address', () => {
    expect(trustProxies(CONTAINERS).callerOf(undefined, '203.0.113.9')).toEqual({
      address: null,
      isForwarded: false,
      peer: null,
    })
  })

  test.each([
    ['the address before the proxies', '172.18.0.2', '203.0.113.9', '203.0.113.9'],
    ['the whole /64 of an IPv6 address', '172.18.0.2', '2001:db8::7', '2001:db8:0:0::/64'],
    ['the client that calls directly', '2001:db8:0:0:1::9', '203.0.113.9', '2001:db8:0:0::/64'],
    ['nobody, when the proxy names none', '172.18.0.2', undefined, null],
    ['nobody, when it names proxies alone', '172.18.0.2', '172.18.0.9', null],
  ])('the peer is %s', (_, connected, header, peer) => {
    expect(trustProxies(CONTAINERS).callerOf(connected, header).peer).toBe(peer)
  })

  test('of a long header only the last entries are read', () => {
    const header = `6.6.6.6, ${Array(40).fill('172.18.0.2').join(', ')}`
    expect(trustProxies(CONTAINERS).callerOf('127.0.0.1', header).address).toBe('172.18.0.2')
  })
})

test.each(['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0'])(
  '%s is an address or a network',
  text => {
    expect(isNetwork(text)).toBe(true)
  },
)

test.each([
  '',
  'localhost',
  '10.0.0.0/33',
  '10.0.0/8',
  '::1/129',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  '10.0.0.0/-1',
])('%j is neither', text => {
  expect(isNetwork(text)).toBe(false)
})
