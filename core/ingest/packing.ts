import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

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
 * Levels of zstd. The fast one takes less time than the default, and fewer bytes: a third less for events of
 * 800 properties.
 */
const FAST = 1
const SMALL = 19
/** The first buffer for compressed bytes has this share of the text. */
const BUFFER_SHARE = 1 / 2
const MIN_BUFFER_BYTES = 4_096
/**
 * Put before the bytes of a record whose checksum was wrong when the log was read. No record is packed like
 * this.
 */
export const DAMAGED = 0x00

/** Packs the JSON text of a record, or the text of a live chunk. */
export function packText(text: string): Uint8Array {
  return packBytes(Buffer.from(text, 'utf8'))
}

/** Packs a text that is UTF-8 already. */
export function packBytes(bytes: Uint8Array, level: typeof FAST | typeof SMALL = FAST): Uint8Array {
  if (bytes.length < COMPRESS_FROM_BYTES) return Buffer.concat([Buffer.of(PLAIN), bytes])
  const head = Buffer.alloc(1 + LENGTH_BYTES)
  head.writeUInt8(ZSTD)
  head.writeUInt32LE(bytes.length, 1)
  const chunkSize = Math.max(MIN_BUFFER_BYTES, Math.ceil(bytes.length * BUFFER_SHARE))
  const params = { [constants.ZSTD_c_compressionLevel]: level }
  return Buffer.concat([head, zstdCompressSync(bytes, { chunkSize, params })])
}

/** Packs a text into at most so many bytes if that is possible. */
export function packTextWithin(text: string, maxBytes: number): Uint8Array {
  const packed = packText(text)
  return packed.length <= maxBytes ? packed : packBytes(Buffer.from(text, 'utf8'), SMALL)
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
  return unpackBytes(bytes).toString('utf8')
}

/** The same as UTF-8. */
export function unpackBytes(packed: Uint8Array): Buffer {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length)
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

/** Throws when the frame cannot be read or unpacks to another length. */
function unpackSized(bytes: Buffer): Buffer {
  if (bytes.length < 1 + LENGTH_BYTES) throw new Error('the length is cut off')
  const length = bytes.readUInt32LE(1)
  if (length > MAX_UNPACKED_BYTES) throw new Error(`the length ${length} is over ${MAX_UNPACKED_BYTES}`)
  // A buffer that gets full is followed by another one, so it has a byte more than the text.
  const chunkSize = Math.max(MIN_BUFFER_BYTES, length + 1)
  const text = zstdDecompressSync(bytes.subarray(1 + LENGTH_BYTES), { maxOutputLength: length, chunkSize })
  if (text.length !== length) throw new Error(`the text has ${text.length} bytes, not ${length}`)
  return text
}
