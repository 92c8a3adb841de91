/** Names that are not for the public DNS, as the service has them (core/outbound/public-url.ts). */
const LOCAL_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa|onion)$/
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const HOST = /^([\w.-]+|\[[0-9a-f:.]+\])$/

/** Whether an address is of the machine of its reader, as the tracker judges it (tracker/settings.ts). */
export function isLocalAddress(address: string): boolean {
  return /^(localhost$|127\.|\[::1])/.test(URL.parse(address)?.hostname ?? '')
}

/**
 * Whether the service can analyse the website of an origin: its host is a public name, and it has no port.
 */
export function isPublicSite(origin: string): boolean {
  const url = URL.parse(origin)
  if (url === null || url.port !== '') return false
  const { hostname } = url
  return hostname.includes('.') && !/^[\d.]+$/.test(hostname) && !LOCAL_NAMES.test(hostname)
}

/**
 * The origin of an address as a person types it, with or without a scheme and a path; null: it is none. A
 * bare host is https, as the service reads it, but one of this machine http: it rarely has a certificate.
 */
export function typedOrigin(text: string): string | null {
  const typed = text.trim()
  const address = HAS_SCHEME.test(typed)
    ? typed
    : `${isLocalAddress(`http://${typed}`) ? 'http' : 'https'}://${typed}`
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && HOST.test(url.hostname) ? url.origin : null
}

/**
 * Addresses as a person types them, as `allowed_origins`. The service says what is wrong with a part that is
 * no address.
 */
export function typedOrigins(site: string): string {
  return site
    .split(',')
    .map(part => typedOrigin(part) ?? part.trim())
    .join(',')
}
