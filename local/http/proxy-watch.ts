import { BlockList, isIP } from 'node:net'
import type { Log } from '#core/ports'
import type { Caller } from './trusted-proxies.ts'

/**
 * So many requests with X-Forwarded-For from one machine nearby: a proxy sends it with each, a test does not.
 */
const FORWARDED_REQUESTS = 10
/**
 * So many first requests, all from one address that is not this machine: a bridge, or a proxy without the
 * header.
 */
const SAME_REQUESTS = 200

const LOOPBACK = networks([
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
])
/** Addresses of proxies and bridges, which are never those of visitors of a public site. */
const PRIVATE = networks([
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
])

/**
 * Notices that all visitors look like one caller, because a proxy or the bridge of a container stands before
 * the service: then they share one limit, one country and one place in the numbers. Logs PROXY_NOT_TRUSTED
 * once, with the setting that helps. `trusted`: the setting as it is.
 */
export function createProxyWatch(trusted: readonly string[], log: Log) {
  let isDone = false
  let forwarded = 0
  let same = 0
  let first: string | null = null

  function tell(address: string, why: string): void {
    isDone = true
    log('PROXY_NOT_TRUSTED', { why, setting: `TRUSTED_PROXIES=${[...trusted, address].join(',')}` })
  }

  /** `forwardedFor`: the header as it came. */
  return ({ address, isForwarded }: Caller, forwardedFor: string | undefined): void => {
    if (isDone || address === null || isForwarded) return
    if (forwardedFor !== undefined && (isIn(LOOPBACK, address) || isIn(PRIVATE, address))) {
      forwarded += 1
      if (forwarded >= FORWARDED_REQUESTS) {
        tell(
          address,
          'requests come from a proxy that is not trusted, so its address counts for all visitors',
        )
      }
      return
    }
    // Checks of health and the operator's own commands.
    if (isIn(LOOPBACK, address)) return
    if (first === null && isIn(PRIVATE, address)) first = address
    // A second caller: they are told apart, and there is nothing to watch but the header.
    same = address === first ? same + 1 : Number.NEGATIVE_INFINITY
    if (same >= SAME_REQUESTS) {
      tell(
        address,
        'all requests come from one address, as behind the bridge of a container; let a proxy send X-Forwarded-For, or give the container the network of the host',
      )
    }
  }
}

function networks(list: readonly (readonly [address: string, bits: number, family: 'ipv4' | 'ipv6'])[]) {
  const block = new BlockList()
  for (const [address, bits, family] of list) block.addSubnet(address, bits, family)
  return block
}

function isIn(block: BlockList, address: string): boolean {
  return block.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}
