import type { StreamRecord } from '#core/ingest/record'
import { utcDate } from '#core/time'
import type { BotCount, EventCount } from '#core/usage/counters'

/** What a batch of records adds to the counters: events by project and by account, bots by project, per UTC day of arrival. */
export function countRecords(records: readonly StreamRecord[]): {
  events: EventCount[]
  bots: BotCount[]
} {
  const events = new Map<string, EventCount>()
  const bots = new Map<string, BotCount>()
  for (const record of records) {
    const day = utcDate(record.received_at)
    if (record.kind === 'events') {
      for (const owner of [record.project_id, record.account_id]) {
        const counted = entry(events, `${owner} ${day}`, () => ({ owner, day, events: 0 }))
        counted.events += record.events.length
      }
    } else {
      const { project_id, category, actor } = record
      const counted = entry(bots, `${project_id} ${day} ${category} ${actor}`, () => ({
        project_id,
        day,
        category,
        actor,
        requests: 0,
        dropped: 0,
        last_seen_at: 0,
      }))
      counted.requests += 1
      counted.dropped += record.dropped
      counted.last_seen_at = Math.max(counted.last_seen_at, record.received_at)
    }
  }
  return { events: [...events.values()], bots: [...bots.values()] }
}

function entry<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
