import type { Clock, Network, NetworkResponse } from '#core/ports'
import { ACCEPTED_ENCODINGS, decodeBody } from './decode-body.ts'
import { OutboundFailure } from './outbound-failure.ts'
import { isAddress } from './public-addresses.ts'
import { type AddressPolicy, hostOf, invalidUrl, PUBLIC_INTERNET, parsePublicUrl } from './public-url.ts'

export type OutboundOptions = {
  method?: 'GET' | 'POST'
  body?: Uint8Array
  /** Further request headers by lower-case name. They are sent to the first host only. */
  headers?: Readonly<Record<string, string>>
  /** Bytes of a body that are read, and bytes that they may have decompressed. The rest is cut off. */
  maxBytes: number
  /** For everything together: DNS, redirects and the body, ms. */
  timeoutMs: number
  /** Redirects that are followed, default 5. With 0 the response is the redirect itself. */
  maxRedirects?: number
  signal?: AbortSignal | undefined
}

export type OutboundResponse = {
  /** The address that answered. */
  url: string
  /** Each address that redirected, in order. Empty: the first one answered. */
  redirects: readonly string[]
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>
  /** Decompressed. */
  body: Uint8Array
  /** The body was longer than `maxBytes`. */
  isCut: boolean
}

export type OutboundClient = {
  /**
   * Fetches a URL that somebody else has chosen. Throws INVALID_URL for an address that is not of the public
   * internet, also as the target of a redirect, before it connects there; OutboundFailure when the server
   * gives no usable response. Any status is a response.
   */
  fetch(url: string, options: OutboundOptions): Promise<OutboundResponse>
}

export type OutboundServices = {
  network: Network
  /** Who asks, with an address at which the owner of a site can learn more. */
  userAgent: string
  clock: Pick<Clock, 'deadline'>
  /** Only tests have another one than the default, to serve their sites from loopback. */
  policy?: AddressPolicy
}

const MAX_REDIRECTS = 5
/** Addresses of a host that are tried before it counts as unreachable. */
const MAX_ADDRESSES = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * The one client for addresses that strangers choose. It looks a name up once, refuses it if any of its
 * addresses is not public, and connects to the address that it has checked. So a name that changes its
 * address between check and connection (DNS rebinding) gains nothing. Each redirect starts these checks
 * again.
 */
export function createOutboundClient({
  network,
  userAgent,
  clock,
  policy = PUBLIC_INTERNET,
}: OutboundServices): OutboundClient {
  /** The checked addresses of a host. IPv4 comes first: functions on AWS have no way to IPv6. */
  async function checkedAddresses(url: URL, signal: AbortSignal): Promise<string[]> {
    const host = hostOf(url)
    if (isAddress(host)) return [host]
    const addresses = await network.addresses(host, signal)
    if (addresses.length === 0) {
      throw new OutboundFailure('dns', `The host ${host} has no address in the DNS.`)
    }
    if (!addresses.every(policy.isAllowedAddress)) throw invalidUrl(url.href, 'leads to no public address')
    return addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')))
  }

  async function exchange(
    url: URL,
    isFirst: boolean,
    options: OutboundOptions,
    signal: AbortSignal,
  ): Promise<NetworkResponse> {
    const { method = 'GET', body, headers = {}, maxBytes } = options
    const request = {
      url,
      method,
      maxBytes,
      signal,
      headers: {
        accept: '*/*',
        ...(isFirst && headers),
        'accept-encoding': ACCEPTED_ENCODINGS,
        'user-agent': userAgent,
      },
      ...(isFirst && { body }),
    }
    const addresses = (await checkedAddresses(url, signal)).slice(0, MAX_ADDRESSES)
    for (const [tries, address] of addresses.entries()) {
      try {
        return await network.exchange({ ...request, address })
      } catch (error) {
        const isLast = tries + 1 === addresses.length
        if (isLast || !(error instanceof OutboundFailure) || error.reason !== 'connect') throw error
      }
    }
    throw new Error('a host without addresses has thrown before')
  }

  async function follow(
    first: URL,
    options: OutboundOptions,
    signal: AbortSignal,
  ): Promise<OutboundResponse> {
    const { maxRedirects = MAX_REDIRECTS, maxBytes } = options
    const redirects: string[] = []
    for (let url = first; ; ) {
      const response = await exchange(url, redirects.length === 0, options, signal)
      const { location } = response.headers
      if (maxRedirects === 0 || !REDIRECTS.has(response.status) || location === undefined) {
        const decoded = await decodeBody(response.body, response.headers['content-encoding'] ?? '', maxBytes)
        const isCut = response.isCut || decoded.isCut
        return { ...response, ...decoded, isCut, url: url.href, redirects }
      }
      if (redirects.length === maxRedirects) {
        throw new OutboundFailure('redirects', `The address redirects more than ${maxRedirects} times.`)
      }
      redirects.push(url.href)
      const target = URL.parse(location, url.href)
      if (target === null) throw new OutboundFailure('response', 'The server redirects to what is not a URL.')
      // Another parser than ours may read another host in it.
      if (/[\\\p{Cc}]/u.test(location)) throw invalidUrl(location, 'is not a URL')
      url = parsePublicUrl(target.href, policy)
    }
  }

  return {
    async fetch(text, options) {
      const url = parsePublicUrl(text, policy)
      const { method = 'GET', maxRedirects, timeoutMs } = options
      // A redirected POST would send the body to a host that the caller does not know.
      if (method === 'POST' && maxRedirects !== 0) throw new TypeError('a POST follows no redirects')
      const deadline = clock.deadline(timeoutMs)
      const signal = AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])])
      try {
        return await follow(url, options, signal)
      } catch (error) {
        if (!deadline.aborted || options.signal?.aborted || error instanceof OutboundFailure) throw error
        throw new OutboundFailure('timeout', `The server did not answer within ${timeoutMs / 1000} s.`, error)
      }
    },
  }
}
