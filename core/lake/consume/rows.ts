import { hash } from 'node:crypto'
import QuickLRU from 'quick-lru'
import { arrivalLag } from '#core/ingest/ids'
import { isEmptyEvent, type StreamRecord } from '#core/ingest/record'
import { type ColumnOf, type PropertyColumnName, propertyColumns } from '#schemas/columns'

/** One row of events_hot by column name. */
export type HotRow = Record<ColumnOf<'events_hot'>, string | number | bigint | null>

type EventsRecord = Extract<StreamRecord, { kind: 'events' }>

/** All columns that hold a property, as null. */
const NO_PROPERTIES = Object.fromEntries(propertyColumns.map(({ name }) => [name, null])) as Record<
  PropertyColumnName,
  null
>

/** The rows of one record, without erased events. Its events have consecutive `seq`, so (timestamp, lag_s, seq) orders events like (timestamp, id). */
export function toHotRows(record: EventsRecord): HotRow[] {
  return record.events.flatMap((event, i) => {
    if (isEmptyEvent(event)) return []
    // Every row gets the same keys in the same order. V8 then reads the rows fast, column by column.
    const row: HotRow = {
      ...NO_PROPERTIES,
      bucket: record.bucket,
      project_id: record.project_id,
      timestamp: event.timestamp,
      lag_s: arrivalLag(event.timestamp, record.received_at),
      seq: record.seq + i,
      event: event.event,
      user_id: event.user_id,
      session_id: event.session_id,
      country: record.country,
      event_id: event.event_id,
      properties: null,
      user_key: shortKey(event.user_id),
      session_key: shortKey(event.session_id),
      event_key: eventKey(record.project_id, event.event_id, record.credentialed),
    }
    splitProperties(event.properties, row)
    return row
  })
}

/**
 * The first 53 bits, big-endian, of the SHA-256 of a text in UTF-8; null for null. A double holds 53 bits, so every
 * reader shows the key exactly. 64 bits would cost 11 more bits that do not compress. Among a million users the
 * probability that any two share a key is 6 in 10^5 (birthday bound), so we count distinct keys as distinct users.
 */
export function shortKey(text: string | null): number | null {
  if (text === null) return null
  let key = recentKeys.get(text)
  if (key === undefined) {
    const digest = hash('sha256', text, 'buffer')
    key = digest.readUInt32BE(0) * 2 ** 21 + (digest.readUInt32BE(4) >>> 11)
    recentKeys.set(text, key)
  }
  return key
}

/**
 * The first 62 bits, big-endian, of the SHA-256 of the project, a space and the event_id, then one bit: whether the event came with a
 * credential. Null without an event_id. Among ten million events of a project and a day, any two share a key with a probability of 1 in
 * 10^5 (birthday bound). With 53 bits it would be 6 in 10^3, and one of the two events would be lost.
 */
export function eventKey(projectId: string, eventId: string | null, isCredentialed = false): bigint | null {
  if (eventId === null) return null
  const bits = hash('sha256', `${projectId} ${eventId}`, 'buffer').readBigUInt64BE(0)
  return ((bits >> 2n) << 1n) | (isCredentialed ? 1n : 0n)
}

/** The events of one user arrive close together, and hashing takes a third of the time of a row. */
const recentKeys = new QuickLRU<string, number>({ maxSize: 20_000 })

/**
 * Puts each property into its column if the value has the column's type, and all others into `properties` as JSON. Without a property for
 * a column there is nothing to copy: for events of hundreds of keys the copy takes as long as writing the JSON.
 */
function splitProperties(properties: Record<string, unknown> | null, row: HotRow): void {
  if (properties === null) return
  const keys = Object.keys(properties)
  if (!keys.some(key => hasColumn(key, properties[key]))) {
    row.properties = JSON.stringify(properties)
    return
  }
  let rest: Record<string, unknown> | undefined
  for (const key of keys) {
    const value = properties[key]
    if (hasColumn(key, value)) {
      row[key] = value as string | number
    } else {
      rest ??= Object.create(null) as Record<string, unknown>
      rest[key] = value
    }
  }
  row.properties = rest === undefined ? '{}' : JSON.stringify(rest)
}

function hasColumn(key: string, value: unknown): key is PropertyColumnName {
  return typeof value === 'string' ? isTextColumn(key) : isStorableInteger(value) && isIntegerColumn(key)
}

const textColumns = columnsOfType('string')
const integerColumns = columnsOfType('int64')

function columnsOfType(type: 'string' | 'int64'): ReadonlySet<string> {
  return new Set(propertyColumns.filter(column => column.type === type).map(({ name }) => name))
}

function isTextColumn(key: string): key is PropertyColumnName {
  return textColumns.has(key)
}

function isIntegerColumn(key: string): key is PropertyColumnName {
  return integerColumns.has(key)
}

/** An integer column would read -0 back as 0. */
function isStorableInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}
