import { cleanAddress, redactEmails } from './address.ts'
import { describeDevice, type Hints } from './device.ts'
import { routeAddress } from './navigation.ts'

/** Returns the address of the current route. */
export function routeUrl(): URL {
  return new URL(routeAddress || location.href)
}

/** Returns the path of the current route, without e-mail addresses. */
export function routePath(): string {
  return redactEmails(routeUrl().pathname)
}

/** Returns the title of the page, without e-mail addresses. */
export function pageTitle(): string {
  return redactEmails(document.title)
}

/** Returns the automatic properties of an event (contract 4.4). It reads them for each event, because a page may change. */
export function pageProperties(): Record<string, string> {
  return {
    path: routePath(),
    url: cleanAddress(routeUrl().href),
    title: pageTitle(),
    referrer: cleanAddress(document.referrer),
    hostname: location.hostname,
    language: navigator.language,
    screen: `${screen.width}x${screen.height}`,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...describeDevice(
      navigator.userAgent,
      (navigator as Navigator & { userAgentData?: Hints }).userAgentData,
      screen.width,
    ),
  }
}
