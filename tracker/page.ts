import { redactEmails } from './address.ts'
import { routeHref } from './navigation.ts'
import { IS_FULL } from './parts.ts'
import { isOn } from './settings.ts'

/** Returns the address of the current route. */
export function routeAddress(): string {
  return routeHref || location.href
}

/**
 * Returns the path of a route, without e-mail addresses: with `data-track-hash` that of its fragment, if that
 * is one (`#/a`, `#!/a`). Empty for a document of an app, whose path is one of the user's disk.
 */
export function pathOf({ href, pathname }: URL): string {
  const hashPath = IS_FULL && isOn('trackHash') && /#!?(\/[^?]*)/.exec(href)
  return /^http/.test(href) ? redactEmails(hashPath ? hashPath[1]! : pathname) : ''
}

/** Returns the elements for a selector, also those in open shadow trees. */
export function findAll(selector: string, root: Document | ShadowRoot = document): Element[] {
  const found = [...root.querySelectorAll(selector)]
  for (const { shadowRoot } of root.querySelectorAll('*'))
    if (shadowRoot) found.push(...findAll(selector, shadowRoot))
  return found
}

/**
 * The time zone of the browser. The first `Intl.DateTimeFormat` of a page takes 15 ms of processor time, so
 * it is only for browsers without `Temporal`.
 */
export function timeZone(): string {
  return (
    (window as { Temporal?: { Now: { timeZoneId(): string } } }).Temporal?.Now.timeZoneId() ||
    Intl.DateTimeFormat().resolvedOptions().timeZone
  )
}
