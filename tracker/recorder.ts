import { campaignProperties } from './attribution.ts'
import { cleanProperties, fitProperties, type Properties } from './clean.ts'
import type { Config } from './config.ts'
import { readIdentity } from './identity.ts'
import { pageProperties } from './page.ts'
import type { QueuedEvent } from './queue.ts'
import { touchSession } from './session.ts'
import type { Store } from './storage.ts'

export type Recorder = {
  /** Creates an event with the current time. Returns null for a name that the service would refuse. */
  record(event: unknown, properties?: unknown): QueuedEvent | null
  /** Adds properties to every later event of this page. A null value removes a property. */
  set(properties: unknown): void
}

const NAME_CHARS = 256
/** The service accepts up to 8192 bytes (contract 1.1). Properties stay below that. */
const PROPERTIES_BYTES = 8192

/** Creates the recorder, which adds user, session, time and page to an event. Event properties win (contract 4.4). */
export function createRecorder(config: Config, local: Store, tab: Store): Recorder {
  let fixedProperties: Properties = {}
  return {
    record(event, properties) {
      if (typeof event !== 'string' || event === '' || event.length > NAME_CHARS) return null
      const now = Date.now()
      const session = touchSession(local, tab, now)
      const { anonymousId, userId } = readIdentity(local)
      const automatic = {
        ...pageProperties(),
        session_count: session.count,
        days_since_first_visit: session.daysSinceFirstVisit,
        ...campaignProperties(local, tab),
      }
      const merged = { ...cleanProperties(automatic), ...fixedProperties, ...cleanProperties(properties) }
      return {
        project: config.project,
        token: config.token,
        event,
        properties: fitProperties(merged, PROPERTIES_BYTES),
        user_id: userId ?? anonymousId,
        session_id: session.id,
        timestamp: now,
      }
    },
    set(properties) {
      const merged = { ...fixedProperties, ...cleanProperties(properties) }
      fixedProperties = cleanProperties(
        Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)),
      )
    },
  }
}
