import type { Project } from '#core/projects/project'
import type { EventsRecord } from './build-lake.ts'
import { NOW } from './random-history.ts'

type Event = EventsRecord['events'][number]

/**
 * A record that arrived at NOW with these events of a project. What an event lacks is null, and it happened
 * at NOW.
 */
export function recordOf(
  project: Pick<Project, 'id' | 'bucket'>,
  events: readonly (Pick<Event, 'event'> & Partial<Event>)[],
  seq = 1,
): EventsRecord {
  const rest = { properties: null, user_id: null, session_id: null, timestamp: NOW, event_id: null }
  return {
    kind: 'events',
    project_id: project.id,
    account_id: 'acc_1',
    bucket: project.bucket,
    received_at: NOW,
    seq,
    country: null,
    events: events.map(event => ({ ...rest, ...event })),
  }
}
