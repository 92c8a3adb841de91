import { cleanAddress, redactEmails } from './address.ts'
import { describeDevice, type Hints } from './device.ts'

/**
 * Address of the current route. In a single-page application it changes after the events at the end of a route, so these
 * still have the address of their route (navigation.ts). Empty: the address of the document.
 */
let routeAddress = ''

/** Sets the address that the automatic properties describe from now on. */
export function setRouteAddress(address: string): void {
  routeAddress = address
}

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
      screen.width || innerWidth,
    ),
  }
}
