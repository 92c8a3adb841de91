import { arrivalLag, eventUlid } from '#core/ingest/ids'
import { endsOfItems } from '#core/ingest/json-scan'
import { packBytes, packText, unpackText } from '#core/ingest/packing'
import { type EventsRecord, isEmptyEvent } from '#core/ingest/record'
import type { EventEraser } from '#core/lake/erase/event-eraser'
import { isBeyond } from '#core/lake/model/sequence'
import { eraseFromPassedOn, isPassedOn, passOn, readPassedOn } from './passed-record.ts'

/**
 * The text of a chunk of the live buffer, with the events of one batch of one shard: a line for each project,
 * of a line break, the id of the project, a space and its records as JSON. The records keep their sequences,
 * so that a stream can go on after any event. One compression of all lines takes less time than one of each,
 * and a reader parses the line of its project alone. A large record is a chunk of another form
 * (passed-record.ts).
 */

/**
 * A record of the stream inside a chunk. `first` is the index of its first event here: a large record fills
 * several chunks.
 */
export type LiveRecord = Pick<EventsRecord, 'received_at' | 'seq' | 'country' | 'events' | 'credentialed'> & {
  sequence: string
  first: number
}

/**
 * A record before it is in a chunk: its events are the JSON that ingestion wrote, in UTF-8. `packed`: the
 * bytes of the whole record in the stream.
 */
export type WrittenLiveRecord = Omit<LiveRecord, 'events'> & { eventsJson: Buffer; packed?: Uint8Array }

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
/**
 * Bytes of a chunk before it is compressed. A reader unpacks one chunk at a time, so this bounds its
 * memory.
 */
const MAX_UNPACKED_BYTES = 1_000_000

const [OPEN_LIST, CLOSE_LIST] = [Buffer.from('['), Buffer.from(']')]

/** The line of a project. JSON has no line breaks, so no other line looks like it. */
export function toLine(projectId: string, records: readonly WrittenLiveRecord[]): Buffer {
  const parts = records.flatMap(({ eventsJson, packed: _, ...head }, i) => [
    Buffer.from(
      `${i === 0 ? `${lineStart(projectId)}[` : '},'}${JSON.stringify(head).slice(0, -1)},"events":`,
    ),
    eventsJson,
  ])
  return Buffer.concat([...parts, Buffer.from('}]')])
}

/** Writes the events of a record as JSON. */
export function toWritten({ events, ...head }: LiveRecord): WrittenLiveRecord {
  return { ...head, eventsJson: Buffer.from(JSON.stringify(events)) }
}

export function toParsed({ eventsJson, packed: _, ...head }: WrittenLiveRecord): LiveRecord {
  return { ...head, events: JSON.parse(eventsJson.toString()) }
}

function lineStart(projectId: string): string {
  return `\n${projectId} `
}

type PackedChunk = { bytes: Uint8Array; first: Position }

/**
 * Packs records of one project, in ascending order of their sequences, into as few chunks as the limit of an
 * item allows. A large record is a chunk of its own, as the stream has packed it.
 */
export function packEvents(projectId: string, records: readonly WrittenLiveRecord[]): PackedChunk[] {
  const chunks: PackedChunk[] = []
  let together: WrittenLiveRecord[] = []
  for (const record of records) {
    const bytes = record.packed === undefined ? null : passOn(record.sequence, record.packed)
    if (bytes === null) together.push(record)
    else {
      chunks.push(...packTogether(projectId, together), { bytes, first: firstPosition(record) })
      together = []
    }
  }
  return [...chunks, ...packTogether(projectId, together)]
}

function packTogether(projectId: string, records: readonly WrittenLiveRecord[]): PackedChunk[] {
  const [record] = records
  if (record === undefined) return []
  const isLong = lineLength(records) > MAX_UNPACKED_BYTES
  const bytes = isLong ? null : packBytes(toLine(projectId, records))
  if (bytes !== null && bytes.length <= MAX_CHUNK_BYTES) return [{ bytes, first: firstPosition(record) }]
  const halves = halve(records)
  if (halves.length === 1)
    return [{ bytes: bytes ?? packBytes(toLine(projectId, records)), first: firstPosition(record) }]
  return halves.flatMap(half => packTogether(projectId, half))
}

/** Bytes of a line with these records, without those of the fields beside the events. */
export function lineLength(records: readonly WrittenLiveRecord[]): number {
  return records.reduce((sum, { eventsJson }) => sum + eventsJson.length, 0)
}

/** The position of the first event of a record. */
export function firstPosition({ sequence, first }: WrittenLiveRecord): Position {
  return { sequence, index: first }
}

/**
 * Reads the events of a project from a chunk, in their order; none if the chunk has no line of the project.
 * `bytes`: how much JSON that was.
 */
export function unpackEvents(projectId: string, chunk: Uint8Array): { events: LiveEvent[]; bytes: number } {
  const passedOn = readPassedOn(chunk)
  if (passedOn !== null) {
    const { sequence, record, bytes } = passedOn
    if (record.project_id !== projectId) return NO_EVENTS
    return { events: toLiveEvents({ ...record, sequence, first: 0 }), bytes }
  }
  const text = unpackText(chunk)
  const prefix = lineStart(projectId)
  const start = text.indexOf(prefix)
  if (start === -1) return NO_EVENTS
  const end = text.indexOf('\n', start + 1)
  const json = text.slice(start + prefix.length, end === -1 ? undefined : end)
  const events = (JSON.parse(json) as LiveRecord[]).flatMap(toLiveEvents)
  return { events, bytes: Buffer.byteLength(json) }
}

const NO_EVENTS = { events: [], bytes: 0 }

/** Returns the chunk without the erased events of all projects; null if it has none. */
export function eraseFromChunk(bytes: Uint8Array, eraser: EventEraser): Uint8Array | null {
  if (isPassedOn(bytes)) return eraseFromPassedOn(bytes, eraser)
  const { projects, eraseEvents } = eraser
  const lines = unpackText(bytes).split('\n')
  const changed = lines.map(line => {
    const projectId = line.slice(0, line.indexOf(' '))
    if (!projects.has(projectId)) return line
    const records: LiveRecord[] = JSON.parse(line.slice(projectId.length + 1))
    const rest = records.map(record => ({ ...record, events: eraseEvents(projectId, record) }))
    const isSame = rest.every(({ events }, i) => events === records[i]?.events)
    return isSame ? line : toLine(projectId, rest.map(toWritten)).toString('utf8', 1)
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

/**
 * Splits between two records, or a single record between two of its events. A record of one event stays
 * whole.
 */
function halve(records: readonly WrittenLiveRecord[]): WrittenLiveRecord[][] {
  const half = Math.ceil(records.length / 2)
  if (records.length > 1) return [records.slice(0, half), records.slice(half)]
  return records.flatMap(record => {
    const { eventsJson: json } = record
    const ends = endsOfItems(json)
    if (ends.length < 2) return [[record]]
    const middle = Math.ceil(ends.length / 2)
    const cut = ends[middle - 1] as number
    return [
      [{ ...record, eventsJson: Buffer.concat([json.subarray(0, cut), CLOSE_LIST]) }],
      [
        {
          ...record,
          first: record.first + middle,
          eventsJson: Buffer.concat([OPEN_LIST, json.subarray(cut + 1)]),
        },
      ],
    ]
  })
}
