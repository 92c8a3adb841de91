import {
  type BotRecord,
  type BotRequests,
  type EventsRecord,
  type IdentifyRecord,
  isEmptyEvent,
} from '#core/ingest/record'
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
      for (const requests of [record, ...(record.more ?? [])]) addBots(record, requests)
    }
  }
  return { events: [...events.values()], bots: [...bots.values()] }

  function addBots(
    { project_id, received_at }: BotRecord,
    { category, actor, purpose, requests = 1, dropped, rules_version }: BotRequests,
  ): void {
    const day = utcDate(received_at)
    const quarter = quarterOf(received_at)
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
    if (purpose !== undefined) count.purpose = purpose
    count.requests += requests
    count.dropped += dropped
    if (received_at >= count.last_seen_at) count.rules_version = rules_version ?? null
    count.last_seen_at = Math.max(count.last_seen_at, received_at)
  }
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
