import type { QueuedEvent } from '#tracker/queued-event'

/** Builds an event as the tracker queues it. */
export function queuedEvent(event: string, properties: Record<string, unknown> = {}): QueuedEvent {
  return {
    project: 'shop',
    token: 'aat_1',
    event,
    properties,
    user_id: 'anon_1',
    session_id: 'sess_1',
  }
}
