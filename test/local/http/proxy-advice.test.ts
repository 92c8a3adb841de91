import { expect, test } from 'vitest'
import { networkOfRoutes, proxyAdvice } from '#local/http/proxy-advice'

const HEAD = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT'
const row = (name: string, destination: string, gateway: string, mask: string) =>
  `${name}\t${destination}\t${gateway}\t0003\t0\t0\t0\t${mask}\t0\t0\t0`

test.each([
  // As a container of Docker has it: the default route and its own network.
  [
    '172.18.0.0/16',
    [row('eth0', '00000000', '010012AC', '00000000'), row('eth0', '000012AC', '00000000', '0000FFFF')],
  ],
  [
    '10.88.4.0/22',
    [row('eth0', '0004580A', '00000000', '00FCFFFF'), row('eth0', '00000000', '0104580A', '00000000')],
  ],
  // Two networks: the one of the way out.
  [
    '192.168.96.0/20',
    [
      row('eth1', '000012AC', '00000000', '0000FFFF'),
      row('eth0', '00000000', '0160A8C0', '00000000'),
      row('eth0', '0060A8C0', '00000000', '00F0FFFF'),
    ],
  ],
  // An internal network has no way out.
  [null, [row('eth0', '000012AC', '00000000', '0000FFFF')]],
  [null, []],
])('the network of the bridge is %s', (network, rows) => {
  expect(networkOfRoutes([HEAD, ...rows, ''].join('\n'), () => true)).toBe(network)
  expect(networkOfRoutes([HEAD, ...rows, ''].join('\n'), () => false)).toBe(null)
})

const settings = { HOST: '0.0.0.0', BASE_URL: 'https://stats.example.com', TRUSTED_PROXIES: undefined }

test('in a container the start names the setting, and when not to use it', () => {
  const text = proxyAdvice(settings, '172.18.0.0/16')
  expect(text).toContain('TRUSTED_PROXIES=172.18.0.0/16')
  expect(text).toContain('published without a proxy')
})

test('nothing is said where the setting is there, and where only this machine calls', () => {
  expect(proxyAdvice({ ...settings, TRUSTED_PROXIES: ['172.18.0.0/16'] }, '172.18.0.0/16')).toBe(null)
  const local = { HOST: 'localhost', BASE_URL: undefined, TRUSTED_PROXIES: undefined }
  expect(proxyAdvice(local, '172.18.0.0/16')).toBe(null)
  expect(proxyAdvice(local, null)).toBe(null)
})

test('with https and no container the proxy is on this machine', () => {
  expect(proxyAdvice(settings, null)).toContain('127.0.0.1,::1')
  expect(proxyAdvice({ ...settings, HOST: 'localhost' }, '172.18.0.0/16')).toContain('127.0.0.1,::1')
})
