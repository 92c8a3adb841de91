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

/** Returns the properties that describe where the user is, without queries and e-mail addresses. */
export function routeProperties() {
  const address = routeAddress || location.href
  return {
    path: redactEmails(new URL(address).pathname),
    url: cleanAddress(address),
    title: redactEmails(document.title),
    referrer: cleanAddress(document.referrer),
  }
}

/** Returns the automatic properties of an event (contract 4.4). It reads them for each event, because a page may change. */
export function pageProperties(): Record<string, string> {
  return {
    ...routeProperties(),
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
