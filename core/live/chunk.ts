import type { EventEraser } from '#core/erasure/event-eraser'
import { arrivalLag, eventUlid } from '#core/ingest/ids'
import { type EventsRecord, isEmptyEvent, packText, unpackText } from '#core/ingest/record'
import { isBeyond } from '#core/lake/sequence'

/**
 * The text of a chunk of the live buffer, with the events of one batch of one shard: a line for each project, of a line break, the
 * id of the project, a space and its records as JSON. The records keep their sequences, so that a stream can go on after any event.
 * One compression of all lines takes less time than one of each, and a reader parses the line of its project alone.
 */

/** A record of the stream inside a chunk. `first` is the index of its first event here: a large record fills several chunks. */
export type LiveRecord = Pick<EventsRecord, 'received_at' | 'seq' | 'country' | 'events' | 'credentialed'> & {
  sequence: string
  first: number
}

/** Where an event lies in its shard: the sequence of its record, and its index in the record. */
export type Position = { sequence: string; index: number }

/** An event in the live buffer. */
export type LiveEvent = {
  id: string
  event_id: string | null
  /** Its event_id wins over the same one of an event without a credential. */
  credentialed: boolean
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
const MAX_CHUNK_BYTES = 350_000
/** Characters of a chunk before it is compressed. A reader unpacks one chunk at a time, so this bounds its memory. */
const MAX_CHUNK_CHARS = 1_000_000

/** The line of a project. JSON has no line breaks, so no other line looks like it. */
export function toLine(projectId: string, records: readonly LiveRecord[]): string {
  return `${lineStart(projectId)}${JSON.stringify(records)}`
}

function lineStart(projectId: string): string {
  return `\n${projectId} `
}

/** Packs records of one project, in ascending order of their sequences, into as few chunks as the limit of an item allows. */
export function packEvents(
  projectId: string,
  records: readonly LiveRecord[],
): { bytes: Uint8Array; first: Position }[] {
  const [record] = records
  if (record === undefined) return []
  const line = toLine(projectId, records)
  const canHalve = countEvents(records) > 1
  if (!canHalve || line.length <= MAX_CHUNK_CHARS) {
    const bytes = packText(line)
    if (!canHalve || bytes.length <= MAX_CHUNK_BYTES) return [{ bytes, first: firstPosition(record) }]
  }
  return halve(records).flatMap(half => packEvents(projectId, half))
}

/** The position of the first event of a record. */
export function firstPosition({ sequence, first }: LiveRecord): Position {
  return { sequence, index: first }
}

/** Reads the events of a project from a chunk, in their order; none if the chunk has no line of the project. */
export function unpackEvents(projectId: string, bytes: Uint8Array): LiveEvent[] {
  const text = unpackText(bytes)
  const prefix = lineStart(projectId)
  const start = text.indexOf(prefix)
  if (start === -1) return []
  const end = text.indexOf('\n', start + 1)
  const json = text.slice(start + prefix.length, end === -1 ? undefined : end)
  return (JSON.parse(json) as LiveRecord[]).flatMap(toLiveEvents)
}

/** Returns the chunk without the erased events of all projects; null if it has none. */
export function eraseFromChunk(bytes: Uint8Array, { projects, eraseEvents }: EventEraser): Uint8Array | null {
  const lines = unpackText(bytes).split('\n')
  const changed = lines.map(line => {
    const projectId = line.slice(0, line.indexOf(' '))
    if (!projects.has(projectId)) return line
    const records: LiveRecord[] = JSON.parse(line.slice(projectId.length + 1))
    const rest = records.map(record => ({ ...record, events: eraseEvents(projectId, record) }))
    const isSame = rest.every(({ events }, i) => events === records[i]?.events)
    return isSame ? line : toLine(projectId, rest).slice(1)
  })
  return changed.every((line, i) => line === lines[i]) ? null : packText(changed.join('\n'))
}

/** The events of a record, in their order, without erased ones. */
export function toLiveEvents(record: LiveRecord): LiveEvent[] {
  const { sequence, first, received_at, seq, country, events, credentialed = false } = record
  return events.flatMap((event, i) => {
    if (isEmptyEvent(event)) return []
    const index = first + i
    const lag = arrivalLag(event.timestamp, received_at)
    return {
      ...event,
      id: eventUlid(event.timestamp, lag, seq + index),
      country,
      credentialed,
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
