import { crc32 } from 'node:zlib'
import { shortKey } from './id-keys.ts'

/**
 * Whose events a hot file may have, without its rows: so an erasure skips the files of other persons. For
 * each project, and each user of a project, the file has 32 bits of their keys. They stand between the row
 * groups and the footer, where other writers put Bloom filters, so no reader of Parquet looks at them. From
 * the end of the file:
 *
 *     numbers, ascending (4 bytes each) | how many (4) | their CRC-32 (4) | FFU1 (4) | footer | its length (4) | PAR1 (4)
 *
 * All integers are little-endian. Files of versions before 2026-11-29 have none. Two users share a number
 * with a probability of 1 in 4 billion: an erasure of 5,000 ids reads one in a hundred files of 10,000 users
 * for nothing. A Bloom filter of a third of the size would send it to every file.
 */

/** FFU1: the last character counts the forms. */
const MAGIC = 0x31554646
/** The length of the footer, and PAR1. */
const PARQUET_END_BYTES = 8
/** How many numbers there are, their CRC, and MAGIC. */
const HEAD_BYTES = 12
const NUMBER_BYTES = 4

/** The number of a user of a project; of the project with null. Keys are hashes already. */
export function hotUserNumber(projectKey: number, userKey: number | null): number {
  return (projectKey ^ (userKey ?? 0)) >>> 0
}

/** The number of each row. */
export function hotUserNumbers(
  rows: readonly { project_id: string; user_key: number | null }[],
): Set<number> {
  return new Set(rows.map(({ project_id, user_key }) => hotUserNumber(shortKey(project_id), user_key)))
}

/** The bytes that a hot file has before its footer. */
export function encodeHotUsers(numbers: ReadonlySet<number>): Uint8Array {
  const ascending = Uint32Array.from(numbers).sort()
  const size = ascending.length * NUMBER_BYTES
  const bytes = Buffer.allocUnsafe(size + HEAD_BYTES)
  let at = 0
  for (const number of ascending) at = bytes.writeUInt32LE(number, at)
  for (const number of [ascending.length, crc32(bytes.subarray(0, size)), MAGIC])
    at = bytes.writeUInt32LE(number, at)
  return bytes
}

/** A Parquet file without these bytes, with them. */
export function insertHotUsers(file: Uint8Array, numbers: ReadonlySet<number>): Uint8Array {
  const end = file.length - PARQUET_END_BYTES
  const footer = end - viewOf(file).getUint32(end, true)
  return Buffer.concat([file.subarray(0, footer), encodeHotUsers(numbers), file.subarray(footer)])
}

/**
 * Whether the file may have one of these numbers, by its last bytes. A number: so many bytes of its end are
 * needed to say it. True for a file of an older version, and where these bytes are damaged.
 */
export function mayHaveHotUsers(end: Uint8Array, searched: ReadonlySet<number>): boolean | number {
  if (end.length < PARQUET_END_BYTES) return true
  const view = viewOf(end)
  const behind = HEAD_BYTES + PARQUET_END_BYTES + view.getUint32(end.length - PARQUET_END_BYTES, true)
  if (behind > end.length) return behind
  const head = end.length - behind
  const [count, crc, magic] = [0, 4, 8].map(at => view.getUint32(head + at, true)) as [number, number, number]
  if (magic !== MAGIC) return true
  const needed = behind + count * NUMBER_BYTES
  if (needed > end.length) return needed
  const first = end.length - needed
  if (crc32(end.subarray(first, head)) !== crc) return true
  for (let at = first; at < head; at += NUMBER_BYTES) if (searched.has(view.getUint32(at, true))) return true
  return false
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
