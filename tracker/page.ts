import { cleanAddress, redactEmails } from './address.ts'
import { describeDevice, type Hints } from './device.ts'
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
function timeZone(): string {
  const { Temporal } = window as { Temporal?: { Now: { timeZoneId(): string } } }
  return Temporal ? Temporal.Now.timeZoneId() : Intl.DateTimeFormat().resolvedOptions().timeZone
}

/**
 * Returns the automatic properties of an event that happened at this address, under this title
 * (docs/api/tracker.md).
 */
export function pageProperties(url: URL, title: string): Record<string, string> {
  return {
    path: redactEmails(url.pathname),
    url: cleanAddress(url.href),
    title: redactEmails(title),
    referrer: cleanAddress(document.referrer),
    hostname: location.hostname,
    language: navigator.language,
    screen: `${screen.width}x${screen.height}`,
    timezone: timeZone(),
    ...describeDevice(
      navigator.userAgent,
      (navigator as Navigator & { userAgentData?: Hints }).userAgentData,
      screen.width,
    ),
  }
}
