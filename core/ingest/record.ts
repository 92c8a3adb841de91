import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Refusal } from '#core/identity/who-may-link'
import type { JsonObject } from '#core/json-object'

/** One accepted event inside a record. Keys of e-mail addresses are already removed from `properties`. */
export type RecordedEvent = {
  event: string
  properties: Record<string, unknown> | null
  user_id: string | null
  session_id: string | null
  /** Unix ms. */
  timestamp: number
  event_id: string | null
}

/**
 * Replaces an erased event in a record, so that the events after it keep their positions. It has only an
 * empty name, because a record must not get longer. No other event has an empty name. Readers of events skip
 * it.
 */
export const EMPTY_EVENT = { event: '' } as RecordedEvent

export function isEmptyEvent({ event }: Pick<RecordedEvent, 'event'>): boolean {
  return event === ''
}

type RecordHead = {
  project_id: string
  account_id: string
  /** Arrival, Unix ms. */
  received_at: number
}

/**
 * The events of one request. `seq` belongs to the first event (schemas/columns.ts); it grows by one for each
 * event.
 */
export type EventsRecord = RecordHead & {
  kind: 'events'
  bucket: number
  seq: number
  country: string | null
  events: RecordedEvent[]
  /**
   * The request came with a credential of the project's account. Absent otherwise, and where no event has an
   * event_id.
   */
  credentialed?: true
}

/** One request of a bot, which is only counted. */
export type BotRecord = RecordHead & {
  kind: 'bots'
  category: string
  actor: string
  dropped: number
  /** The rules that recognised the bot; absent in made-up traffic. */
  rules_version?: string
}

/** One identify request. Its e-mail address is already a keyed hash (core/identity/traits/email-hash.ts). */
export type IdentifyRecord = RecordHead & {
  kind: 'identify'
  seq: number
  /** Equal to user_id if the request links no ids. */
  previous_id: string
  user_id: string
  traits: JsonObject | null
  email_hash: string | null
  /** A credential of the account came with the request. Absent otherwise. */
  has_credential?: boolean
  /** Why the ids of the request are not linked. Then previous_id is equal to user_id. */
  refused?: Refusal
}

/** What one request puts on the stream, for one project. */
export type StreamRecord = EventsRecord | BotRecord | IdentifyRecord

/** The kinds of records that this version of the service reads. */
const KINDS: readonly unknown[] = ['events', 'bots', 'identify'] satisfies StreamRecord['kind'][]

/** A record whose kind this version does not know: a newer version wrote it, and will read it. */
export class UnknownKindError extends Error {
  constructor(kind: unknown) {
    super(`unknown kind ${String(kind)}`)
    this.name = 'UnknownKindError'
  }
}

/** A record of events, with the properties as the JSON text that ingestion has already written. */
export type WrittenEventsRecord = Omit<EventsRecord, 'events'> & { events: readonly WrittenEvent[] }
export type WrittenEvent = Omit<RecordedEvent, 'properties'> & { propertiesJson: string | null }

/** Packs a record for the stream. */
export function packRecord(record: StreamRecord): Uint8Array {
  if (record.kind !== 'events') return packText(JSON.stringify(record))
  const events = record.events.map(event => ({ ...event, propertiesJson: JSON.stringify(event.properties) }))
  return packWrittenRecord({ ...record, events })
}

/** The same for a record whose properties are JSON text. */
export function packWrittenRecord(record: WrittenEventsRecord): Uint8Array {
  return packText(writeRecord(record))
}

const writeEvent = objectWriter<RecordedEvent, WrittenEvent>({
  event: ({ event }) => JSON.stringify(event),
  properties: ({ propertiesJson }) => String(propertiesJson),
  user_id: ({ user_id }) => JSON.stringify(user_id),
  session_id: ({ session_id }) => JSON.stringify(session_id),
  timestamp: ({ timestamp }) => String(timestamp),
  event_id: ({ event_id }) => JSON.stringify(event_id),
})

/** A new field comes before `events`, so that `unpackUnparsed` finds their end. */
const writeRecord = objectWriter<EventsRecord, WrittenEventsRecord>({
  kind: ({ kind }) => JSON.stringify(kind),
  project_id: ({ project_id }) => JSON.stringify(project_id),
  account_id: ({ account_id }) => JSON.stringify(account_id),
  received_at: ({ received_at }) => String(received_at),
  bucket: ({ bucket }) => String(bucket),
  seq: ({ seq }) => String(seq),
  country: ({ country }) => JSON.stringify(country),
  events: ({ events }) => `[${events.map(writeEvent).join(',')}]`,
  credentialed: ({ credentialed }) => (credentialed === true ? 'true' : null),
})

/**
 * Makes a function that writes the JSON text of a T, field by field. A field without a writer is a type
 * error. A field whose writer returns null is left out; the first field never is.
 */
function objectWriter<T, Source>(writers: Record<keyof T & string, (source: Source) => string | null>) {
  const fields = Object.entries<(source: Source) => string | null>(writers).map(([name, write], i) => ({
    prefix: `${i === 0 ? '{' : ','}"${name}":`,
    write,
  }))
  return (source: Source): string => {
    let text = ''
    for (const { prefix, write } of fields) {
      const value = write(source)
      if (value !== null) text += prefix + value
    }
    return `${text}}`
  }
}

/** Below this size compression saves nothing: Kinesis bills whole kilobytes, and a log page is 4 kB. */
const COMPRESS_FROM_BYTES = 1024
/**
 * Far more than a record of ours unpacks to, as a request has 1 MiB at most. A larger record was not packed
 * here.
 */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024

/** The first byte of a record names how the rest is packed. PLAIN: the JSON text. */
const PLAIN = 0x01
/** The length of the text in 4 bytes, little-endian, then its zstd frame. 2 was the frame without it. */
const ZSTD = 0x03
const LENGTH_BYTES = 4
/**
 * Put before the bytes of a record whose checksum was wrong when the log was read. No record is packed like
 * this.
 */
export const DAMAGED = 0x00

/** Packs the JSON text of a record, or the text of a live chunk. */
export function packText(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length < COMPRESS_FROM_BYTES) return Buffer.concat([Buffer.of(PLAIN), bytes])
  const head = Buffer.alloc(1 + LENGTH_BYTES)
  head.writeUInt8(ZSTD)
  head.writeUInt32LE(bytes.length, 1)
  return Buffer.concat([head, zstdCompressSync(bytes)])
}

/**
 * Returns packed JSON with as many bytes as `length`, if it has fewer. Readers ignore blanks after JSON and
 * bytes after a zstd frame.
 */
export function padPacked(bytes: Uint8Array, length: number): Uint8Array {
  const padding = Buffer.alloc(Math.max(0, length - bytes.length), bytes[0] === PLAIN ? ' ' : 0)
  return Buffer.concat([bytes, padding])
}

/**
 * Returns how many bytes the record takes when it is unpacked. Repetitive events pack to a thousandth of
 * that, so a claim is bounded by this number. Returns the packed size for a record that cannot be read.
 */
export function unpackedBytes(bytes: Uint8Array): number {
  if (bytes[0] !== ZSTD || bytes.length < 1 + LENGTH_BYTES) return bytes.length
  return Buffer.from(bytes.buffer, bytes.byteOffset + 1, LENGTH_BYTES).readUInt32LE()
}

/** Reads what packText has packed. Throws an Error that says what is wrong with the bytes. */
export function unpackText(bytes: Uint8Array): string {
  return unpackBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).toString('utf8')
}

/**
 * Reads a record. Throws UnknownKindError for one of a newer version, else an Error that says what is wrong
 * with the bytes; the lake consumer sets both aside (core/lake/consume/set-aside.ts).
 */
export function unpackRecord(bytes: Uint8Array): StreamRecord {
  const record = JSON.parse(unpackText(bytes)) as StreamRecord | undefined
  if (typeof record?.kind !== 'string') throw new Error('the record has no kind')
  if (!KINDS.includes(record.kind)) throw new UnknownKindError(record.kind)
  if (record.kind === 'events' && !Array.isArray(record.events)) throw new Error('the record has no events')
  return record
}

/** A record whose events are still JSON text: an array of RecordedEvent. */
export type UnparsedRecord =
  | BotRecord
  | IdentifyRecord
  | (Omit<EventsRecord, 'events'> & { eventsJson: string })

const EVENTS_FIELD = ',"events":'
/** What comes after the last event, as writeRecord writes it. */
const TAILS = ['}', ',"credentialed":true}']

/**
 * Reads a record like `unpackRecord`, but does not parse its events: to parse and write them again takes most
 * of the time of a reader that only passes them on. What another version wrote in another order is parsed.
 */
export function unpackUnparsed(bytes: Uint8Array): UnparsedRecord {
  const text = unpackText(bytes).trimEnd()
  // Quotes inside a text have a backslash before them. So the first place with these bytes is the field of
  // the record.
  const at = text.indexOf(EVENTS_FIELD)
  const tail = TAILS.find(each => text.endsWith(`]${each}`))
  if (at !== -1 && tail !== undefined && text.startsWith('[', at + EVENTS_FIELD.length)) {
    const head = JSON.parse(text.slice(0, at) + tail)
    const eventsJson = text.slice(at + EVENTS_FIELD.length, -tail.length)
    if (head.kind === 'events' && typeof head.project_id === 'string') return { ...head, eventsJson }
  }
  const record = unpackRecord(bytes)
  if (record.kind !== 'events') return record
  const { events, ...head } = record
  return { ...head, eventsJson: JSON.stringify(events) }
}

function unpackBytes(bytes: Buffer): Buffer {
  switch (bytes[0]) {
    case PLAIN:
      return bytes.subarray(1)
    case ZSTD:
      return unpackSized(bytes)
    case DAMAGED:
      throw new Error('the checksum was wrong when the log was read')
    default:
      throw new Error(`unknown packing ${bytes[0] ?? '(empty)'}`)
  }
}

function unpackSized(bytes: Buffer): Buffer {
  if (bytes.length < 1 + LENGTH_BYTES) throw new Error('the length is cut off')
  const length = bytes.readUInt32LE(1)
  if (length > MAX_UNPACKED_BYTES) throw new Error(`the length ${length} is over ${MAX_UNPACKED_BYTES}`)
  const text = decompress(bytes.subarray(1 + LENGTH_BYTES), length)
  if (text.length !== length) throw new Error(`the text has ${text.length} bytes, not ${length}`)
  return text
}

/** Throws when the frame cannot be read or unpacks to more than `maxBytes`. */
function decompress(frame: Uint8Array, maxBytes: number): Buffer {
  return zstdDecompressSync(frame, { maxOutputLength: maxBytes })
}
