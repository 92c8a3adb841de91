import { unpackedBytes } from '#core/ingest/packing'
import { type EventsRecord, unpackRecord } from '#core/ingest/record'
import type { EventEraser } from '#core/lake/erase/event-eraser'

/**
 * A chunk that has one record of the stream, in the bytes that ingestion has packed. To pack a large record
 * again takes more time than all else that the live consumer does with it: 29 µs an event of 800 properties.
 * The form: RECORD, the length of the sequence in one byte, the sequence, the packed record.
 */

/** No packed text begins with this byte (core/ingest/packing.ts). */
const RECORD = 0x10
const HEAD_BYTES = 2
/** Smaller records take less space when they are packed together. */
const MIN_UNPACKED_BYTES = 100_000
/** DynamoDB takes items of 409,600 bytes. The rest is for the keys. */
const MAX_BYTES = 400_000

/** The chunk of a record; null if the record is too small or too large to be passed on as it is. */
export function passOn(sequence: string, packed: Uint8Array): Uint8Array | null {
  if (packed.length > MAX_BYTES || unpackedBytes(packed) < MIN_UNPACKED_BYTES) return null
  const text = Buffer.from(sequence)
  return Buffer.concat([Buffer.of(RECORD, text.length), text, packed])
}

/** Whether passOn has made the chunk. */
export function isPassedOn(chunk: Uint8Array): boolean {
  return chunk[0] === RECORD
}

/** The record of a chunk that passOn has made, its sequence and its bytes; null for any other chunk. */
export function readPassedOn(
  chunk: Uint8Array,
): { sequence: string; record: EventsRecord; bytes: number } | null {
  if (!isPassedOn(chunk)) return null
  const { sequence, packed } = split(chunk)
  const record = unpackRecord(packed)
  if (record.kind !== 'events') throw new Error('the record has no events')
  return { sequence, record, bytes: unpackedBytes(packed) }
}

/** Returns the chunk without the erased events; null if it has none. */
export function eraseFromPassedOn(chunk: Uint8Array, { eraseFromRecord }: EventEraser): Uint8Array | null {
  const { sequence, packed } = split(chunk)
  const rest = eraseFromRecord(packed)
  return rest === null ? null : Buffer.concat([chunk.subarray(0, HEAD_BYTES + sequence.length), rest])
}

function split(chunk: Uint8Array): { sequence: string; packed: Uint8Array } {
  const end = HEAD_BYTES + (chunk[1] ?? 0)
  return { sequence: Buffer.from(chunk.subarray(HEAD_BYTES, end)).toString(), packed: chunk.subarray(end) }
}
