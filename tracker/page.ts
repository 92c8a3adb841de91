import { cleanAddress, redactEmails } from './address.ts'
import { describeDevice, type Hints } from './device.ts'

/** The page's title, without e-mail addresses. */
export function pageTitle(): string {
  return redactEmails(document.title)
}

/** What every event says of the page and the browser (contract 4.4), read anew each time: a page may change both. */
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
