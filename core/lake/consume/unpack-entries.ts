import { unpackUnparsed } from '#core/ingest/record'
import type { StreamEntry } from '#core/ports'
import { type CountedRecord, countRecords } from './counts.ts'
import { encodeHot } from './encode-hot.ts'
import { createHotColumns, type HotColumns } from './hot-columns.ts'
import { encodeIdentity, toIdentityRows } from './identity-row.ts'
import { toUnreadableRecord, type UnreadableRecord } from './unreadable-record.ts'

export type UnpackedEntries = ReturnType<typeof unpackEntries>
type Encode = (rows: HotColumns) => Uint8Array

/**
 * Unpacks entries. A record that cannot be read is returned with the reason and does not stop the others. If
 * the response to an append gets lost, its producer appends the record again; only the first of the two is
 * used. If they are in different claims (on AWS claims are a minute apart), both are stored.
 */
export function unpackEntries(entries: readonly StreamEntry[]) {
  const records: CountedRecord[] = []
  const rows = createHotColumns()
  const projectsWithEventIds = new Set<string>()
  const unreadableRecords: UnreadableRecord[] = []
  const recordIds = new Set<string>()
  for (const entry of entries) {
    try {
      const record = unpackUnparsed(entry.data)
      if (record.kind !== 'events') {
        records.push(record)
        continue
      }
      const recordId = `${record.project_id} ${record.received_at} ${record.seq}`
      if (recordIds.has(recordId)) continue
      recordIds.add(recordId)
      const { events, times, hasEventIds } = rows.addUnparsed(record)
      if (hasEventIds) projectsWithEventIds.add(record.project_id)
      const { eventsJson: _, ...head } = record
      records.push({ ...head, events: { length: events, times } })
    } catch (error) {
      unreadableRecords.push(toUnreadableRecord(entry, error))
    }
  }
  return { records, rows, projectsWithEventIds, unreadableRecords }
}

/** What the records of a claim become. */
export type EncodedEntries = Omit<UnpackedEntries, 'rows'> &
  ReturnType<typeof countRecords> & {
    hot: Uint8Array
    /** Null: the claim has no identify requests. */
    identity: Uint8Array | null
  }

/**
 * Unpacks entries and encodes their files. A record that can be read but not be encoded is returned as one
 * that cannot be read: else the claim would fail again and again, with all others of its shard behind it.
 */
export function encodeEntries(entries: readonly StreamEntry[], encode: Encode = encodeHot): EncodedEntries {
  try {
    return encodeAll(entries, encode)
  } catch (error) {
    // To encode each alone takes long, and happens only then.
    const failed = new Map(entries.flatMap(entry => failureOf(entry, encode)))
    if (failed.size === 0) throw error
    const encoded = encodeAll(
      entries.filter(entry => !failed.has(entry)),
      encode,
    )
    return { ...encoded, unreadableRecords: [...encoded.unreadableRecords, ...failed.values()] }
  }
}

/** Whether a record can be stored: takeBackSetAside would bring it back for ever otherwise. */
export function canStore(data: Uint8Array): boolean {
  const entry = { sequence: '0', data }
  try {
    return encodeAll([entry], encodeHot).unreadableRecords.length === 0
  } catch {
    return false
  }
}

function failureOf(entry: StreamEntry, encode: Encode): [StreamEntry, UnreadableRecord][] {
  try {
    encodeAll([entry], encode)
    return []
  } catch (error) {
    return [[entry, toUnreadableRecord(entry, error)]]
  }
}

function encodeAll(entries: readonly StreamEntry[], encode: Encode): EncodedEntries {
  const { rows, ...unpacked } = unpackEntries(entries)
  const identityRows = toIdentityRows(unpacked.records)
  const counts = countRecords(unpacked.records)
  const identity = identityRows.length === 0 ? null : encodeIdentity(identityRows)
  return { ...unpacked, ...counts, hot: encode(rows), identity }
}
