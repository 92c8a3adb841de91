import { campaignProperties } from './attribution.ts'
import { cleanProperties, fitProperties, type Properties } from './clean.ts'
import { userId } from './identity.ts'
import { isReady, later } from './later.ts'
import { whenShown } from './lifecycle.ts'
import { settleRoute } from './navigation.ts'
import { pageProperties, routeAddress } from './page.ts'
import { enqueue } from './queue.ts'
import { touchSession } from './session.ts'
import { dataset, project } from './settings.ts'
import { hasOptedOut } from './storage.ts'

const NAME_CHARS = 256

/** What `set` adds to every event of this page. */
let fixedProperties: Properties = {}

/**
 * Records an event with user, session, time and page. Event properties win over those of `set`, and these
 * over automatic ones (docs/api/tracker.md). Names that the service would refuse are ignored. The event is
 * completed later: the first access to a storage takes several ms.
 */
export function track(event: unknown, properties?: unknown): void {
  whenShown(() => {
    if (isReady) settleRoute()
    if (typeof event !== 'string' || !event || event.length > NAME_CHARS) return
    // What may change until the event is completed is read now.
    const timestamp = Date.now()
    const address = routeAddress()
    const { title } = document
    const fixed = fixedProperties
    const given = properties && cleanProperties(properties)
    later(() => {
      if (hasOptedOut()) return
      const session = touchSession(timestamp)
      const url = new URL(address)
      const automatic = pageProperties(url, title)
      const merged = {
        ...automatic,
        ...session.properties,
        ...campaignProperties(url.searchParams),
        ...fixed,
        ...(event === 'page_view' && { page: automatic.title }),
        ...(given as Properties),
      }
      enqueue({
        project: project(),
        token: dataset.token,
        event,
        properties: fitProperties(merged),
        user_id: userId(),
        session_id: session.id,
        timestamp,
      })
    })
  })
}

/** Adds properties to every later event of this page. A null value removes a property. */
export function setProperties(properties: unknown): void {
  fixedProperties = cleanProperties({ ...fixedProperties, ...cleanProperties(properties) })
  for (const key in fixedProperties) if (fixedProperties[key] === null) delete fixedProperties[key]
}
