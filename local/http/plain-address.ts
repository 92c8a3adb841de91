import { isLoopback } from '#providers/openid'

/**
 * An address without the prefix `::ffff:`, which a socket for both IPv4 and IPv6 gives to an IPv4 address.
 */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** Whether an address or a host name is of this machine. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || isLoopback(plainAddress(address))
}
