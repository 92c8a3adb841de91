import { hash } from 'node:crypto'
import QuickLRU from 'quick-lru'
import { arrivalLag } from '#core/ingest/ids'
import type { StreamRecord } from '#core/ingest/record'
import { propertyColumns, tables } from '#schemas/columns'

/** One row of events_hot by column name. */
export type HotRow = Record<string, string | number | null>

type EventsRecord = Extract<StreamRecord, { kind: 'events' }>

/** Every column, all null. Copies of one object share one shape, by which reading them column by column is fast. */
const EMPTY_ROW: HotRow = Object.fromEntries(tables.events_hot.columns.map(column => [column.name, null]))

/** The rows of one record. Its events follow each other in seq, so that (timestamp, lag_s, seq) is (timestamp, id). */
export function toHotRows(record: EventsRecord): HotRow[] {
  return record.events.map((event, i) => {
    const row = { ...EMPTY_ROW }
    row.bucket = record.bucket
    row.project_id = record.project_id
    row.timestamp = event.timestamp
    row.lag_s = arrivalLag(event.timestamp, record.received_at)
    row.seq = record.seq + i
    row.event = event.event
    row.user_id = event.user_id
    row.session_id = event.session_id
    row.country = record.country
    row.event_id = event.event_id
    row.user_key = shortKey(event.user_id)
    row.session_key = shortKey(event.session_id)
    splitProperties(event.properties, row)
    return row
  })
}

/**
 * The first 53 bits, big-endian, of the SHA-256 of a text's UTF-8; null for null. That is as much as a double holds, so
 * that every reader shows it as it is, and 11 bits less than an int64, which do not compress. Any two of a million
 * visitors share one with a probability of 6 in 10^5 (birthday bound), so distinct keys are distinct visitors.
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

/** A visitor's events come close together, and the hash is a third of a row's cost. */
const recentKeys = new QuickLRU<string, number>({ maxSize: 20_000 })

/** Puts each property into its column where the value has the column's type, and the others into `properties`. */
function splitProperties(properties: Record<string, unknown> | null, row: HotRow): void {
  if (properties === null) return
  let rest: Record<string, unknown> | undefined
  for (const key of Object.keys(properties)) {
    const value = properties[key]
    if (fitsColumn(key, value)) {
      row[key] = value
    } else {
      rest ??= Object.create(null) as Record<string, unknown>
      rest[key] = value
    }
  }
  row.properties = rest === undefined ? '{}' : JSON.stringify(rest)
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
