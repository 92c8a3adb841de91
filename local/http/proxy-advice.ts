import { existsSync, readFileSync } from 'node:fs'
import type { Settings } from '#local/settings'

type ProxySettings = Pick<Settings, 'BASE_URL' | 'HOST' | 'TRUSTED_PROXIES'>

/** Files that Docker and Podman put into each container. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv']
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

/**
 * What the start says when visitors may all count as one caller, before they do; null when there is nothing
 * to say. `network`: that of the bridge, in a container.
 */
export function proxyAdvice(
  { BASE_URL, HOST, TRUSTED_PROXIES }: ProxySettings,
  network: string | null,
): string | null {
  if (TRUSTED_PROXIES !== undefined) return null
  // A service that listens on loopback alone is not called over the bridge.
  if (network !== null && !LOOPBACK.test(HOST))
    return `This is a container, and callers come from its network ${network}. If a proxy is in that network, set TRUSTED_PROXIES=${network}, or all visitors count as one caller. Leave it out if the port is published without a proxy: a caller could then choose the address that counts.`
  if (BASE_URL?.startsWith('https:'))
    return 'BASE_URL is https, so a proxy stands before the service. Set TRUSTED_PROXIES to its address (127.0.0.1,::1 on this machine), or all visitors count as one caller.'
  return null
}

/**
 * The network of the bridge of this container, such as `172.18.0.0/16`. Null outside of a container, in one
 * with the network of its host, and where the system does not say.
 */
export function bridgeNetwork(): string | null {
  try {
    if (!CONTAINER_FILES.some(path => existsSync(path))) return null
    return networkOfRoutes(readFileSync('/proc/net/route', 'utf8'), isOneEndOfPair)
  } catch {
    return null
  }
}

/**
 * The network of the default route in the text of /proc/net/route, of an interface that `isBridged` accepts.
 * Addresses there are hexadecimal, with the last byte first.
 */
export function networkOfRoutes(routes: string, isBridged: (name: string) => boolean): string | null {
  const rows = routes.split('\n').slice(1)
  const fields = rows.map(row => row.trim().split(/\s+/)).filter(({ length }) => length > 7)
  const way = fields.find(([, destination]) => destination === '00000000')
  const name = way?.[0]
  if (name === undefined || !isBridged(name)) return null
  const own = fields.find(each => each[0] === name && each[1] !== '00000000' && each[2] === '00000000')
  if (own === undefined) return null
  const [, destination = '', , , , , , mask = ''] = own
  const bits = bytesOf(mask).reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
  return `${bytesOf(destination).join('.')}/${bits}`
}

function bytesOf(hex: string): number[] {
  return [6, 4, 2, 0].map(at => Number.parseInt(hex.slice(at, at + 2), 16))
}

/**
 * A container has one end of a pair of interfaces, and the bridge the other. A card of the host is no pair.
 */
function isOneEndOfPair(name: string): boolean {
  const read = (file: string) => readFileSync(`/sys/class/net/${name}/${file}`, 'utf8').trim()
  return read('iflink') !== read('ifindex')
}
