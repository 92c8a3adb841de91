import { guarded } from './api.ts'
import { campaignProperties } from './attribution.ts'
import { cleanProperties, fitProperties, type Properties } from './clean.ts'
import { userId } from './identity.ts'
import { whenShown } from './lifecycle.ts'
import { settleRoute } from './navigation.ts'
import { pageProperties, routeUrl } from './page.ts'
import { enqueue } from './queue.ts'
import { touchSession } from './session.ts'
import { dataset, project } from './settings.ts'
import { hasOptedOut } from './storage.ts'

const NAME_CHARS = 256

/** What `set` adds to every event of this page. */
let fixedProperties: Properties = {}

/**
 * Records an event with user, session, time and page. Event properties win over those of `set`, and these over automatic
 * ones (contract 4.4). Names that the service would refuse are ignored. It never throws.
 */
export function track(event: unknown, properties?: unknown): void {
  whenShown(
    guarded(() => {
      settleRoute()
      if (typeof event !== 'string' || !event || event.length > NAME_CHARS || hasOptedOut()) return
      const timestamp = Date.now()
      const session = touchSession(timestamp)
      const campaign = campaignProperties(routeUrl().searchParams)
      const merged = {
        ...pageProperties(),
        ...session.properties,
        ...campaign,
        ...fixedProperties,
        ...cleanProperties(properties),
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
    }),
  )
}

/** Adds properties to every later event of this page. A null value removes a property. */
export function setProperties(properties: unknown): void {
  fixedProperties = cleanProperties({ ...fixedProperties, ...cleanProperties(properties) })
  for (const key in fixedProperties) if (fixedProperties[key] === null) delete fixedProperties[key]
}
