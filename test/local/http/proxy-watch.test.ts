import { expect, test } from 'vitest'
import { createProxyWatch } from '#local/http/proxy-watch'
import { trustProxies } from '#local/http/trusted-proxies'

type Request = [peer: string, forwardedFor?: string]

/** What the log says after these requests, each as often as the number before it. */
function logged(trusted: string[], requests: readonly [times: number, ...request: Request][]) {
  const lines: unknown[] = []
  const proxies = trustProxies(trusted)
  const watch = createProxyWatch(trusted, (code, fields) => void lines.push([code, fields?.setting]))
  for (const [times, peer, forwardedFor] of requests)
    for (let i = 0; i < times; i++) watch(proxies.callerOf(peer, forwardedFor), forwardedFor)
  return lines
}
const told = (setting: string) => [['PROXY_NOT_TRUSTED', `TRUSTED_PROXIES=${setting}`]]

test.each<[what: string, trusted: string[], requests: [number, ...Request][], lines: unknown[]]>([
  ['a proxy on this machine', [], [[30, '127.0.0.1', '198.51.100.7']], told('127.0.0.1')],
  ['the same by IPv6', [], [[30, '::1', '198.51.100.7']], told('::1')],
  ['a proxy in another container', [], [[30, '172.18.0.3', '198.51.100.7']], told('172.18.0.3')],
  ['an address in the form of IPv6', [], [[30, '::ffff:172.18.0.3', '198.51.100.7']], told('172.18.0.3')],
  [
    'another proxy than the trusted one',
    ['127.0.0.1'],
    [[30, '10.0.0.9', '198.51.100.7']],
    told('127.0.0.1,10.0.0.9'),
  ],
  ['the bridge of a container', [], [[300, '172.17.0.1']], told('172.17.0.1')],
  [
    'a bridge beside checks of health from within',
    [],
    [
      [5, '127.0.0.1'],
      [150, '172.17.0.1'],
      [5, '127.0.0.1'],
      [150, '172.17.0.1'],
    ],
    told('172.17.0.1'),
  ],
  ['the trusted proxy', ['172.17.0.1'], [[300, '172.17.0.1', '198.51.100.7']], []],
  ['visitors from the internet, one of whom invents the header', [], [[300, '198.51.100.7', '10.0.0.1']], []],
  ['one visitor from the internet', [], [[300, '198.51.100.7']], []],
  ['programs on this machine', [], [[300, '127.0.0.1']], []],
  [
    'a try of the header by hand',
    [],
    [
      [3, '127.0.0.1', '198.51.100.7'],
      [300, '127.0.0.1'],
    ],
    [],
  ],
  [
    'two machines of an office',
    [],
    [
      [150, '192.168.1.5'],
      [1, '192.168.1.6'],
      [300, '192.168.1.5'],
    ],
    [],
  ],
])('%s', (_, trusted, requests, lines) => {
  expect(logged(trusted, requests)).toEqual(lines)
})
