import type { Refusal } from '#core/identity/who-may-link'
import type { JsonObject } from '#core/json-object'
import { packBytes, packText, unpackBytes, unpackText } from './packing.ts'

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
  /** True if the request had a credential of the account. Absent otherwise. */
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
/** Wide properties are UTF-8 (wide-body.ts). */
export type WrittenEvent = Omit<RecordedEvent, 'properties'> & { propertiesJson: string | Uint8Array | null }

/** Packs a record for the stream. */
export function packRecord(record: StreamRecord): Uint8Array {
  if (record.kind !== 'events') return packText(JSON.stringify(record))
  const events = record.events.map(event => ({ ...event, propertiesJson: JSON.stringify(event.properties) }))
  return packWrittenRecord({ ...record, events })
}

/** The same for a record whose properties are JSON text. */
export function packWrittenRecord(record: WrittenEventsRecord): Uint8Array {
  const text = writeRecord(record)
  const wide = record.events.flatMap(({ propertiesJson }) =>
    isBytes(propertiesJson) ? [propertiesJson] : [],
  )
  if (wide.length === 0) return packText(text)
  const parts = text.split(PLACE).flatMap((part, i) => [Buffer.from(part), wide[i] ?? NO_BYTES])
  return packBytes(Buffer.concat(parts))
}

/** Stands for properties that are bytes. JSON has no such character: it is always written with an escape. */
const PLACE = '\u0000'
const NO_BYTES = new Uint8Array(0)

function isBytes(json: string | Uint8Array | null): json is Uint8Array {
  return json instanceof Uint8Array
}

const writeEvent = objectWriter<RecordedEvent, WrittenEvent>({
  event: ({ event }) => JSON.stringify(event),
  properties: ({ propertiesJson }) => (isBytes(propertiesJson) ? PLACE : String(propertiesJson)),
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

/** A record whose events are still JSON text in UTF-8: an array of RecordedEvent. */
export type UnparsedRecord =
  | BotRecord
  | IdentifyRecord
  | (Omit<EventsRecord, 'events'> & { eventsJson: Buffer })

const EVENTS_FIELD = Buffer.from(',"events":[')
/** What comes after the last event, as writeRecord writes it. */
const TAILS = ['}', ',"credentialed":true}'].map(tail => ({ tail, bytes: Buffer.from(`]${tail}`) }))
const SPACE = 0x20

/**
 * Reads a record like `unpackRecord`, but does not parse its events: to parse and write them again takes most
 * of the time of a reader that only passes them on. What another version wrote in another order is parsed.
 */
export function unpackUnparsed(bytes: Uint8Array): UnparsedRecord {
  const text = withoutPadding(unpackBytes(bytes))
  // Quotes inside a text have a backslash before them. So the first place with these bytes is the field of
  // the record.
  const at = text.indexOf(EVENTS_FIELD)
  const end = TAILS.find(each => text.subarray(-each.bytes.length).equals(each.bytes))
  if (at !== -1 && end !== undefined) {
    const head = JSON.parse(text.toString('utf8', 0, at) + end.tail)
    const eventsJson = text.subarray(at + EVENTS_FIELD.length - 1, text.length - end.tail.length)
    if (head.kind === 'events' && typeof head.project_id === 'string') return { ...head, eventsJson }
  }
  const record = unpackRecord(bytes)
  if (record.kind !== 'events') return record
  const { events, ...head } = record
  return { ...head, eventsJson: Buffer.from(JSON.stringify(events)) }
}

function withoutPadding(text: Buffer): Buffer {
  let end = text.length
  while (text[end - 1] === SPACE) end -= 1
  return text.subarray(0, end)
}
