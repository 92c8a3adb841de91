import { arrivalLag, eventUlid } from '#core/ingest/ids'
import { type EventsRecord, packJson, unpackJson } from '#core/ingest/record'
import { isBeyond } from '#core/lake/sequence'

/**
 * The events of one project in a chunk of the live buffer, from one batch of one shard. The records keep their sequences, so
 * that a stream can go on after any event.
 */

/** A record of the stream inside a chunk. `first` is the index of its first event here: a large record fills several chunks. */
export type LiveRecord = Pick<EventsRecord, 'received_at' | 'seq' | 'country' | 'events'> & {
  sequence: string
  first: number
}

/** Where an event lies in its shard: the sequence of its record, and its index in the record. */
export type Position = { sequence: string; index: number }

/** An event in the live buffer. */
export type LiveEvent = {
  id: string
  event_id: string | null
  event: string
  properties: Record<string, unknown> | null
  user_id: string | null
  session_id: string | null
  /** Unix ms. */
  timestamp: number
  country: string | null
  /** Arrival, Unix ms. */
  received_at: number
  /** Order of arrival within a second of one process. */
  seq: number
  position: Position
}

/** DynamoDB takes items of 400 KB. The rest is for the keys. */
export const MAX_CHUNK_BYTES = 350_000
/** Characters of a chunk before it is compressed. A reader unpacks one chunk at a time, so this bounds its memory. */
const MAX_CHUNK_CHARS = 1_000_000

/** Packs records, in ascending order of their sequences, into as few parts as the limit of an item allows. */
export function packEvents(records: readonly LiveRecord[]): { bytes: Uint8Array; first: Position }[] {
  const json = JSON.stringify(records)
  const [record] = records
  if (record === undefined) return []
  const canHalve = countEvents(records) > 1
  if (!canHalve || json.length <= MAX_CHUNK_CHARS) {
    const bytes = packJson(json)
    if (!canHalve || bytes.length <= MAX_CHUNK_BYTES) {
      return [{ bytes, first: { sequence: record.sequence, index: record.first } }]
    }
  }
  return halve(records).flatMap(packEvents)
}

/** Reads packed events, in their order. */
export function unpackEvents(bytes: Uint8Array): LiveEvent[] {
  return (unpackJson(bytes) as LiveRecord[]).flatMap(toLiveEvents)
}

/** The events of a record, in their order. */
export function toLiveEvents(record: LiveRecord): LiveEvent[] {
  const { sequence, first, received_at, seq, country, events } = record
  return events.map((event, i) => {
    const index = first + i
    const lag = arrivalLag(event.timestamp, received_at)
    return {
      ...event,
      id: eventUlid(event.timestamp, lag, seq + index),
      country,
      received_at,
      seq: seq + index,
      position: { sequence, index },
    }
  })
}

/** Whether a position comes after another one of the same shard. */
export function isAfter(position: Position, other: Position): boolean {
  if (position.sequence === other.sequence) return position.index > other.index
  return isBeyond(position.sequence, other.sequence)
}

function countEvents(records: readonly LiveRecord[]): number {
  return records.reduce((sum, { events }) => sum + events.length, 0)
}

/** Splits between two records, or a single record between two of its events. */
function halve(records: readonly LiveRecord[]): LiveRecord[][] {
  const half = Math.ceil(records.length / 2)
  if (records.length > 1) return [records.slice(0, half), records.slice(half)]
  return records.flatMap(record => {
    const middle = Math.ceil(record.events.length / 2)
    return [
      [{ ...record, events: record.events.slice(0, middle) }],
      [{ ...record, first: record.first + middle, events: record.events.slice(middle) }],
    ]
  })
}
