import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** One accepted event inside a record. `properties` holds no e-mail keys any more. */
export type RecordedEvent = {
  event: string
  properties: Record<string, unknown> | null
  user_id: string | null
  session_id: string | null
  /** Unix ms. */
  timestamp: number
  event_id: string | null
}

type RecordHead = {
  project_id: string
  account_id: string
  /** Arrival, Unix ms. */
  received_at: number
}

/**
 * What one request puts on the stream, for one project. `seq` is the first event's (schemas/columns.ts); the others
 * follow it by ones.
 */
export type StreamRecord =
  | (RecordHead & {
      kind: 'events'
      bucket: number
      seq: number
      country: string | null
      events: RecordedEvent[]
    })
  | (RecordHead & { kind: 'bots'; category: string; actor: string; dropped: number })

/** Below this size compression saves nothing: Kinesis bills whole kilobytes, and a log page is 4 kB. */
const COMPRESS_FROM_BYTES = 1024
/** First byte of a record: how the rest is packed. */
const PLAIN = 0x01
const ZSTD = 0x02
/** Stands before the bytes of a record whose checksum was wrong when the log was read; nothing is packed so. */
export const DAMAGED = 0x00

/** Packs the JSON text of a record: one byte that names the packing, then the text or its zstd frame. */
export function packJson(json: string): Uint8Array {
  const text = Buffer.from(json, 'utf8')
  if (text.length < COMPRESS_FROM_BYTES) return Buffer.concat([Buffer.of(PLAIN), text])
  return Buffer.concat([Buffer.of(ZSTD), zstdCompressSync(text)])
}

/** Packs a record. core/ingest/accept.ts writes the same JSON by pieces, as it has the properties' text at hand. */
export function packRecord(record: StreamRecord): Uint8Array {
  return packJson(JSON.stringify(record))
}

/** Far more than a record of ours unpacks to (a request has 1 MiB): beyond it one was not packed here. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024

/**
 * What the record takes when it is unpacked, in bytes, by what its head says (RFC 8878, 3.1.1.1): repetitive events
 * pack to a thousandth. Its packed size where the head cannot be read.
 */
export function unpackedBytes(bytes: Uint8Array): number {
  const descriptor = bytes[5] ?? 0
  if (bytes[0] !== ZSTD || bytes.length < 20) return bytes.length
  const windowBytes = (descriptor & 0x20) === 0 ? 1 : 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0x3] as number
  const size = Buffer.from(bytes.buffer, bytes.byteOffset + 6 + windowBytes + dictionaryBytes, 8)
  switch (descriptor >> 6) {
    case 0:
      return windowBytes === 0 ? size.readUInt8(0) : bytes.length
    case 1:
      return size.readUInt16LE(0) + 256
    case 2:
      return size.readUInt32LE(0)
    default:
      return Number(size.readBigUInt64LE(0))
  }
}

/** Reads a record back. Throws an Error that says what is wrong with the bytes; the lake consumer quarantines them. */
export function unpackRecord(bytes: Uint8Array): StreamRecord {
  const packing = bytes[0]
  if (packing === DAMAGED) throw new Error('its checksum was wrong when the log was read')
  if (packing !== PLAIN && packing !== ZSTD) throw new Error(`unknown packing ${packing ?? '(empty)'}`)
  const body = bytes.subarray(1)
  const record = JSON.parse(
    (packing === ZSTD
      ? zstdDecompressSync(body, { maxOutputLength: MAX_UNPACKED_BYTES })
      : Buffer.from(body.buffer, body.byteOffset, body.length)
    ).toString('utf8'),
  )
  if (record?.kind === 'events' && Array.isArray(record.events)) return record
  if (record?.kind === 'bots') return record
  throw new Error(`unknown kind ${String(record?.kind)}`)
}
