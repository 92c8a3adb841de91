import { join } from './identify.ts'
import { anonymousId } from './identity.ts'
import { later } from './later.ts'
import { dataset } from './settings.ts'

/**
 * Returns the query without its question mark and `_aa`, or with this id as its only `_aa`. All other
 * parameters keep their bytes.
 */
export function withLinkedId(query: string, id?: string): string {
  return (query.replace(/[?&]_aa=[^&]*/g, '') + (id ? `&_aa=${id}` : '')).slice(1)
}

/** Returns whether the host is a related domain, or below one. */
export function isListed(host: string): boolean | undefined {
  return dataset.linkDomains
    ?.split(/[\s,]+/)
    .some(domain => domain && `.${host}`.endsWith(`.${domain.toLowerCase()}`))
}

/** Removes an id that arrives from a related domain from the address bar, and joins its user to ours. */
export function receiveLink(): void {
  const address = new URL(location.href)
  const id = dataset.linkDomains && address.searchParams.get('_aa')
  if (id == null) return
  address.search = withLinkedId(address.search)
  history.replaceState(history.state, '', address)
  // Anybody can write a link, so only what looks like an id of a tracker is passed on, and never an e-mail
  // address.
  if (/^anon_[\w-]+$/.test(id)) later(() => join(id, anonymousId()))
}
