import type { Item } from '../../tracker/queue.ts'

/** An item as the tracker queues it. */
export function itemNamed(event: string, properties: Record<string, unknown> = {}): Item {
  return {
    project: 'shop',
    token: 'aat_1',
    event,
    properties,
    user_id: 'anon_1',
    session_id: 'sess_1',
    timestamp: 1_763_715_600_000,
  }
}
