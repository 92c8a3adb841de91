import type { Network, NetworkRequest, NetworkResponse } from '#core/ports'

/** What an address of a made-up site answers: the text of a page, or a response. */
export type SiteAnswer = string | (Partial<Omit<NetworkResponse, 'body'>> & { body?: string | Uint8Array })

export type SiteNetwork = Network & {
  /** Every request that was sent, in order. */
  requests: string[]
}

/**
 * A network without sockets. `answer` says what an address gives; null: 404. Every host of `example.com` and
 * `example.org` has a public address.
 */
export function createSiteNetwork(
  answer: (url: string, request: NetworkRequest) => SiteAnswer | null | Promise<SiteAnswer | null>,
): SiteNetwork {
  const requests: string[] = []
  return {
    requests,
    addresses: async host => (/(^|\.)example\.(com|org|net)$/.test(host) ? ['93.184.215.14'] : []),
    async exchange(request) {
      requests.push(request.url.href)
      const given = await answer(request.url.href, request)
      const response = given === null ? { status: 404 } : typeof given === 'string' ? { body: given } : given
      const { status = 200, headers = { 'content-type': 'text/html; charset=utf-8' }, body = '' } = response
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      return {
        status,
        headers,
        body: bytes.subarray(0, request.maxBytes),
        isCut: bytes.length > request.maxBytes,
      }
    },
  }
}
