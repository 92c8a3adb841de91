import type { JsonObject } from '#core/text/json-object'
import type { BotPurpose } from '#schemas/bot-traffic'
import { packBytes, packText, unpackBytes, unpackText } from './packing.ts'
import type { Refusal } from './who-may-link.ts'

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

/** Requests of one bot, which are only counted. */
export type BotRequests = {
  category: string
  actor: string
  /** Of a crawler. */
  purpose?: BotPurpose
  dropped: number
  /** Absent: one request. */
  requests?: number
  /** The rules that recognised the bot; absent in made-up traffic. */
  rules_version?: string
}

/** Requests of the bots of a project within a second (bot-counts.ts); `received_at` is that of the newest. */
export type BotRecord = RecordHead & BotRequests & { kind: 'bots'; more?: readonly BotRequests[] }

/** One identify request. Its e-mail address is already a keyed hash (core/ingest/email-hash.ts). */
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

/**
 * A RecordedEvent as JSON text. Wide properties (wide-body.ts) are UTF-8 between the texts before and after
 * them.
 */
export type EventJson = string | readonly [before: string, properties: Uint8Array, after: string]

/** Writes an event with its fields in the order that core/lake/consume/raw-events.ts reads. */
export function eventJson({
  event,
  properties,
  user_id,
  session_id,
  timestamp,
  event_id,
}: Omit<RecordedEvent, 'properties'> & { properties: unknown }): string {
  return JSON.stringify({ event, properties, user_id, session_id, timestamp, event_id })
}

/** Packs a record for the stream. */
export function packRecord(record: StreamRecord): Uint8Array {
  return record.kind === 'events'
    ? packWrittenRecord({ ...record, events: record.events.map(eventJson) })
    : packText(JSON.stringify(record))
}

/** Packs a record whose events are JSON text. */
export function packWrittenRecord({
  events,
  credentialed,
  ...head
}: Omit<EventsRecord, 'events'> & { events: readonly EventJson[] }): Uint8Array {
  // The events are the last field, so that `unpackUnparsed` finds their end.
  const start = `${JSON.stringify(head).slice(0, -1)},"events":[`
  const end = `]${credentialed === true ? CREDENTIALED_TAIL : TAIL}`
  if (events.every(isText)) return packText(`${start}${events.join(',')}${end}`)
  const parts = events.flatMap((json, i) => [i === 0 ? start : ',', ...(isText(json) ? [json] : json)])
  return packBytes(Buffer.concat([...parts, end].map(part => (isText(part) ? Buffer.from(part) : part))))
}

function isText(part: EventJson | Uint8Array): part is string {
  return typeof part === 'string'
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
/** What comes after the events. */
const TAIL = '}'
const CREDENTIALED_TAIL = ',"credentialed":true}'
const TAILS = [TAIL, CREDENTIALED_TAIL].map(tail => ({ tail, bytes: Buffer.from(`]${tail}`) }))
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
