import { cleanAddress, redactEmails } from './address.ts'
import { campaignProperties } from './attribution.ts'
import { bare, cleanProperties, fitProperties, type Properties } from './clean.ts'
import { userId } from './identity.ts'
import { isReady, later, settle } from './later.ts'
import { whenShown } from './lifecycle.ts'
import { pathOf, routeAddress, timeZone } from './page.ts'
import { pageTime } from './page-time.ts'
import { IS_FULL } from './parts.ts'
import { enqueue } from './queue.ts'
import { touchSession } from './session.ts'
import { dataset } from './settings.ts'
import { hasOptedOut, read } from './storage.ts'

const NAME_CHARS = 256

/** What `set` adds to every event of this page. */
let fixedProperties: Properties = {}

/**
 * Records an event with user, session, time and page. Event properties win over those of `set`, and these
 * over automatic ones (docs/api/tracker.md). Names that the service would refuse are ignored. The event is
 * completed later: the first access to a storage takes several ms. `since`: when it happened, by `pageTime`.
 */
export function track(event: unknown, properties?: unknown, since?: number): void {
  whenShown(() => {
    if (isReady) settle()
    if (typeof event !== 'string' || !event || event[NAME_CHARS]) return
    // What may change until the event is completed is read now.
    const now = Date.now()
    const at = since || pageTime()
    const address = routeAddress()
    const title = redactEmails(document.title)
    const fixed = fixedProperties
    const given = cleanProperties(properties)
    later(() => {
      if (hasOptedOut()) return
      const url = new URL(address)
      const merged = bare({
        path: pathOf(url),
        url: cleanAddress(address),
        title,
        referrer: cleanAddress(document.referrer),
        hostname: location.hostname,
        language: navigator.language,
        screen: `${screen.width}x${screen.height}`,
        timezone: timeZone(),
        ...touchSession(now),
        ...(IS_FULL && campaignProperties(url.searchParams)),
        ...fixed,
        ...(event === 'page_view' && { page: title }),
        ...given,
      })
      enqueue(
        {
          project: dataset.project!,
          token: dataset.token,
          event,
          properties: IS_FULL ? fitProperties(merged) : merged,
          user_id: userId(),
          session_id: read('sid')!,
        },
        at,
      )
    })
  })
}

/** The next person has none of the properties that the page has set. */
export function clearProperties(): void {
  fixedProperties = {}
}

/** Adds properties to every later event of this page. A null value removes a property. */
export function setProperties(properties: unknown): void {
  fixedProperties = cleanProperties({ ...fixedProperties, ...cleanProperties(properties) })
  for (const key in fixedProperties) fixedProperties[key] ?? delete fixedProperties[key]
}
