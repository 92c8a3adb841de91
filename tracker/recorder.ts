import { campaignProperties } from './attribution.ts'
import { cleanProperties, fitProperties, type Properties } from './clean.ts'
import type { Config } from './config.ts'
import { readIdentity } from './identity.ts'
import { pageProperties } from './page.ts'
import type { Item } from './queue.ts'
import { touchSession } from './session.ts'
import type { Store } from './storage.ts'

export type Recorder = {
  /** Makes the item of an event that happens now. Null for a name that the service would refuse. */
  record(event: unknown, properties?: unknown): Item | null
  /** Adds properties to every later event of this page; null takes one away. */
  set(properties: unknown): void
}

const NAME_CHARS = 256
/** The service takes 8192 bytes (contract 1.1); we stay below. */
const PROPERTIES_BYTES = 8192

/** Puts together who, when, where and what. Later parts of the properties win (contract 4.4, merge order). */
export function createRecorder(config: Config, local: Store, tab: Store): Recorder {
  let always: Properties = {}
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
      const merged = { ...cleanProperties(automatic), ...always, ...cleanProperties(properties) }
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
      const merged = { ...always, ...cleanProperties(properties) }
      always = cleanProperties(
        Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)),
      )
    },
  }
}
