import { BlockList, isIP } from 'node:net'
import { networkOf } from '#core/limits/network-of'
import { plainAddress } from './plain-address.ts'

/** Which proxies say the truth about their callers. */
export type TrustedProxies = {
  /**
   * The address of who called, and whether a trusted proxy says so. Each trusted proxy has added the address
   * of its own caller at the end of X-Forwarded-For, so the last address that is not a trusted proxy is the
   * caller. What stands before it came from the caller.
   */
  callerOf(peer: string | undefined, forwardedFor: string | undefined): Caller
}

export type Caller = {
  address: string | null
  /** Whether the connection comes from a trusted proxy: only then do its headers about the caller count. */
  isForwarded: boolean
  /**
   * Whose part of the connections and bytes this is (networkOf). null: of nobody alone, because a trusted
   * proxy has not said whom it speaks for.
   */
  peer: string | null
}

/** More proxies than stand behind each other anywhere. What a client writes before them is not read. */
const MAX_HOPS = 16

/**
 * `networks` are addresses and CIDR networks (isNetwork). Without any, the peer of the connection is the
 * caller.
 */
export function trustProxies(networks: readonly string[]): TrustedProxies {
  const trusted = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    trusted.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  const isTrusted = (address: string) => trusted.check(address, familyOf(address))

  return {
    callerOf(peer, forwardedFor) {
      const address = peer === undefined ? null : toAddress(peer)
      if (address === null || networks.length === 0 || !isTrusted(address))
        return { address, isForwarded: false, peer: address === null ? null : networkOf(address) }
      let caller = address
      for (const entry of (forwardedFor ?? '').split(',').slice(-MAX_HOPS).reverse()) {
        const next = toAddress(entry)
        if (next === null) break
        caller = next
        if (!isTrusted(next)) break
      }
      return { address: caller, isForwarded: true, peer: isTrusted(caller) ? null : networkOf(caller) }
    },
  }
}

/** Whether a text is an address or a network in CIDR form, such as `172.16.0.0/12`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/**
 * The plain address of a text such as `198.51.100.7`, `::ffff:198.51.100.7`, `198.51.100.7:4711` or
 * `[2001:db8::1]:4711`; null for others.
 */
function toAddress(text: string): string | null {
  const [, bracketed, v4] = /^(?:\[(.+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text.trim()) ?? []
  const address = plainAddress(bracketed ?? v4 ?? text.trim())
  return isIP(address) === 0 ? null : address
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
