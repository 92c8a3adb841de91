import { getDomain } from 'tldts'
import { type AddressPolicy, hostOf, parsePublicUrl } from '#core/outbound/public-url'

/** The first page of an analysis. */
export type FirstAddresses = {
  /** The address that the analysis is named after. */
  url: string
  /** What is tried for it, in this order, when a host cannot be reached. */
  addresses: string[]
  hostname: string
}

/**
 * The addresses for the first page of what a caller has sent. Without `isRoot` it is the page itself, and
 * with it the page `/` of the root domain: `https://app.example.com/pricing` becomes `https://example.com/`,
 * or the host that was sent where the root domain has no website. A text without a scheme is tried by https,
 * then by http. Throws INVALID_URL.
 */
export function firstAddresses(
  text: string,
  { isRoot, policy }: { isRoot: boolean; policy: AddressPolicy },
): FirstAddresses {
  const sent = parsePublicUrl(text, policy)
  const page = new URL(isRoot ? '/' : sent.href, sent)
  const root = isRoot ? rootOf(page) : page
  const addresses = [root, page].flatMap(url => (text.includes('://') ? [url.href] : [url.href, toHttp(url)]))
  return { url: root.href, addresses: [...new Set(addresses)], hostname: hostOf(root) }
}

/** The page of the domain that somebody can register; an address of a machine has none. */
function rootOf(page: URL): URL {
  const domain = getDomain(hostOf(page), { allowPrivateDomains: true })
  const root = new URL(page)
  if (domain !== null) root.hostname = domain
  return root
}

function toHttp(url: URL): string {
  return url.href.replace(/^https:/, 'http:')
}
