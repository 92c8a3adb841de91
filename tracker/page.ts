import { redactEmails } from './address.ts'
import { routeHref } from './navigation.ts'

/** Returns the address of the current route. */
export function routeAddress(): string {
  return routeHref || location.href
}

/** Returns the path of the current route, without e-mail addresses. */
export function routePath(): string {
  return redactEmails(new URL(routeAddress()).pathname)
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
