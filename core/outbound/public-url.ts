import { ApiError } from '#core/errors'
import { quoted } from '#core/text/clean-text'
import { isAddress, isPublicAddress } from './public-addresses.ts'

/** Which machines the service may connect to. Only tests have another one than PUBLIC_INTERNET. */
export type AddressPolicy = {
  isAllowedAddress(address: string): boolean
  isAllowedPort(port: number): boolean
}

/**
 * Machines of the public internet, at the ports of the web. Another port may be a service that takes its
 * commands from any text, such as a mail server.
 */
export const PUBLIC_INTERNET: AddressPolicy = {
  isAllowedAddress: isPublicAddress,
  isAllowedPort: port => port === 80 || port === 443,
}

/** Longest URL that is taken, characters; longer ones are no addresses that people use. */
export const MAX_URL_CHARS = 2_048
/** Names that are not for the public DNS (RFC 6761, 6762, 7686, 8375, and clouds' names for metadata). */
const LOCAL_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa|onion)$/
const HOST = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/
/** White space and characters that URL parsers drop or change, so that two parsers may see two addresses. */
const AMBIGUOUS = /[\s\\\p{Cc}]/u

/**
 * Parses the URL of a machine of the public internet, without a fragment. A text without a scheme becomes
 * https. Throws INVALID_URL. A name is not looked up: the client checks each address of it before it
 * connects.
 */
export function parsePublicUrl(text: string, policy: AddressPolicy): URL {
  const trimmed = text.trim()
  if (trimmed.length > MAX_URL_CHARS) throw invalidUrl(text, `has more than ${MAX_URL_CHARS} characters`)
  const url = URL.parse(trimmed.includes('://') ? trimmed : `https://${trimmed}`)
  if (url === null || AMBIGUOUS.test(trimmed)) throw invalidUrl(text, 'is not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidUrl(text, 'is not http or https')
  if (url.username !== '' || url.password !== '') throw invalidUrl(text, 'has a user name or password')
  if (!policy.isAllowedPort(portOf(url))) throw invalidUrl(text, 'has a port other than 80 and 443')
  requirePublicHost(url, text, policy)
  url.hash = ''
  return url
}

/** The error for an address that must not be fetched. */
export function invalidUrl(sent: string, problem: string): ApiError {
  return new ApiError(
    'INVALID_URL',
    `The address ${quoted(sent)} ${problem}. Send a public http or https address such as \`https://www.example.com/\`.`,
  )
}

/** The host of a URL for DNS and for comparisons: without brackets and without the dot of the root. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

export function portOf(url: URL): number {
  // Port 0 is a port of its own, and no address has it.
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function requirePublicHost(url: URL, text: string, policy: AddressPolicy): void {
  const host = hostOf(url)
  if (isAddress(host)) {
    if (!policy.isAllowedAddress(host)) throw invalidUrl(text, 'is no public address')
    return
  }
  if (!HOST.test(host) || host.length > 253 || LOCAL_NAMES.test(host)) {
    throw invalidUrl(text, 'has no public host name')
  }
}
