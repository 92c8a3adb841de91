import { cleanAddress, redactEmails } from './address.ts'
import { describeDevice, type Hints } from './device.ts'

/** Returns the title of the page, without e-mail addresses. */
export function pageTitle(): string {
  return redactEmails(document.title)
}

/** Returns the automatic properties of an event (contract 4.4). It reads them for each event, because a page may change. */
export function pageProperties(): Record<string, string> {
  const hints = (navigator as Navigator & { userAgentData?: Hints }).userAgentData
  return {
    url: cleanAddress(location.href),
    path: redactEmails(location.pathname),
    hostname: location.hostname,
    title: pageTitle(),
    referrer: cleanAddress(document.referrer),
    language: navigator.language,
    screen: `${screen.width}x${screen.height}`,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...describeDevice(navigator.userAgent, hints, screen.width || innerWidth),
  }
}
