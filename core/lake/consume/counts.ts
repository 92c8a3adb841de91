import { type BotRecord, type EventsRecord, type IdentifyRecord, isEmptyEvent } from '#core/ingest/record'
import { quarterOf, utcDate } from '#core/time'
import type { BotCount, ClaimedEvents, EventTimes } from '#core/usage/counters'
import { joinTimes, timesOf } from '#core/usage/event-times'

/** What counts of the events of a record. */
type CountedEvents = { length: number; times: EventTimes | null }

/** A record of the stream, or one of which the events are counted already. */
export type CountedRecord =
  | BotRecord
  | IdentifyRecord
  | (Omit<EventsRecord, 'events'> & { events: EventsRecord['events'] | CountedEvents })

/** What the records of a claim add to the counters, by project and UTC date of arrival. */
export function countRecords(records: readonly CountedRecord[]): {
  events: ClaimedEvents[]
  bots: BotCount[]
} {
  const events = new Map<string, ClaimedEvents>()
  const bots = new Map<string, BotCount>()
  for (const record of records) {
    const day = utcDate(record.received_at)
    if (record.kind === 'events') {
      const { project_id, account_id, bucket } = record
      const count = getOrInsert(events, `${project_id} ${day}`, () => ({
        project_id,
        account_id,
        bucket,
        day,
        events: 0,
        times: timesOfRecord(record),
      }))
      count.times = joinTimes(count.times, timesOfRecord(record))
      count.events += record.events.length
    } else if (record.kind === 'bots') {
      const { project_id, category, actor } = record
      const quarter = quarterOf(record.received_at)
      const count = getOrInsert(bots, `${project_id} ${day} ${quarter} ${category} ${actor}`, () => ({
        project_id,
        day,
        quarter,
        category,
        actor,
        requests: 0,
        dropped: 0,
        last_seen_at: 0,
        rules_version: null,
      }))
      count.requests += 1
      count.dropped += record.dropped
      if (record.received_at >= count.last_seen_at) count.rules_version = record.rules_version ?? null
      count.last_seen_at = Math.max(count.last_seen_at, record.received_at)
    }
  }
  return { events: [...events.values()], bots: [...bots.values()] }
}

/** Of a record without events, which an erasure may leave: its arrival. */
function timesOfRecord({ events, received_at }: Extract<CountedRecord, { kind: 'events' }>): EventTimes {
  const times = 'times' in events ? events.times : timesOf(events.filter(event => !isEmptyEvent(event)))
  return times ?? { first: received_at, last: received_at }
}

function getOrInsert<T>(map: Map<string, T>, key: string, createValue: () => T): T {
  let value = map.get(key)
  if (value === undefined) {
    value = createValue()
    map.set(key, value)
  }
  return value
}
