import { hash } from 'node:crypto'
import QuickLRU from 'quick-lru'
import type { StreamRecord } from '#core/ingest/record'
import { propertyColumns } from '#schemas/columns'

/** One row of events_hot by column name; integers as numbers, the 64-bit keys as bigint. */
export type HotRow = Record<string, string | number | bigint | null>

type EventsRecord = Extract<StreamRecord, { kind: 'events' }>

/** The rows of one record. Its events follow each other in seq, so that (timestamp, lag_ms, seq) is (timestamp, id). */
export function hotRows(record: EventsRecord): HotRow[] {
  return record.events.map((event, i) => {
    const row: HotRow = {
      bucket: record.bucket,
      project_id: record.project_id,
      timestamp: event.timestamp,
      lag_ms: record.received_at - event.timestamp,
      seq: record.seq + i,
      event: event.event,
      user_id: event.user_id,
      session_id: event.session_id,
      country: record.country,
      event_id: event.event_id,
    }
    splitProperties(event.properties, row)
    row.user_key = key64(event.user_id)
    row.session_key = key64(event.session_id)
    return row
  })
}

/**
 * The first 64 bits, big-endian and signed, of the SHA-256 of a text's UTF-8; null for null. Two of a million
 * visitors share one with a probability of 3 in 10^8, so distinct keys are distinct visitors.
 */
export function key64(text: string | null): bigint | null {
  if (text === null) return null
  let key = recentKeys.get(text)
  if (key === undefined) {
    key = hash('sha256', text, 'buffer').readBigInt64BE(0)
    recentKeys.set(text, key)
  }
  return key
}

/** A visitor's events come close together, and the hash is a third of a row's cost. */
const recentKeys = new QuickLRU<string, bigint>({ maxSize: 20_000 })

/** Puts each property into its column where the value has the column's type, and the others into `properties`. */
function splitProperties(properties: Record<string, unknown> | null, row: HotRow): void {
  for (const column of propertyColumns) row[column.name] = null
  if (properties === null) {
    row.properties = null
    return
  }
  const rest: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(properties)) {
    if (fitsColumn(key, value)) row[key] = value
    else rest[key] = value
  }
  row.properties = JSON.stringify(rest)
}

const textColumns = new Set(
  propertyColumns.filter(column => column.type === 'string').map(column => column.name),
)
const wholeColumns = new Set(
  propertyColumns.filter(column => column.type === 'int64').map(column => column.name),
)

function fitsColumn(key: string, value: unknown): value is string | number {
  if (typeof value === 'string') return textColumns.has(key)
  // -0 would come back as 0.
  return wholeColumns.has(key) && Number.isSafeInteger(value) && !Object.is(value, -0)
}
