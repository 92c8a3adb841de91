import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** Page size of the log. It is fixed, because the header that names it may be damaged. */
export const PAGE_BYTES = 4096

export type SalvagedRecord = { sequence: number; appendedAt: number; checksum: number; data: Uint8Array }

/*
 * The file format: https://sqlite.org/fileformat2.html, sections 1.6 (b-tree pages), 2.1 (records) and 4.1
 * (WAL).
 */
const LEAF_TABLE = 0x0d
export const WAL_HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24
/** The first page begins with the file's header of 100 bytes. */
const FILE_HEADER_BYTES = 100

/**
 * Finds the log's records in the raw leaf pages of the file and of its write-ahead log, without the b-tree
 * above them. A row has a checksum, and changes only when events in it are erased. So a copy of a row on an
 * unused page is as good as any other copy, and a row that is not whole is left out. A record may be returned
 * twice.
 */
export function* salvageRecords(path: string): Generator<SalvagedRecord> {
  const file = openPages(path)
  const wal = openPages(`${path}-wal`)
  try {
    const frames = framesByPage(wal, wal.read(0).toString('hex', 16, 24))
    const readFile = (page: number) => file.read((page - 1) * PAGE_BYTES)
    const readNewest = (page: number) => {
      const frame = frames.get(page)
      return frame === undefined ? readFile(page) : wal.read(frame)
    }
    for (let page = 1; page <= Math.ceil(file.size / PAGE_BYTES); page++) {
      yield* recordsOf(readFile(page), page === 1, [readNewest, readFile])
    }
    for (const frame of allFrames(wal.size)) {
      yield* recordsOf(wal.read(frame), false, [readNewest, readFile])
    }
  } finally {
    file.close()
    wal.close()
  }
}

/** Reads a page by its number. Missing bytes are zeros. */
type PageReader = (page: number) => Buffer

/**
 * Finds the records in the leaf pages of some frames of the write-ahead log, whose frames have this salt.
 * Each list of frame numbers, from 0, gives a list of records.
 */
export function salvageFrames(
  path: string,
  salt: string,
  lists: readonly (readonly number[])[],
): SalvagedRecord[][] {
  if (lists.length === 0) return []
  const wal = openPages(`${path}-wal`)
  try {
    const newestFrames = framesByPage(wal, salt)
    const readNewest = (page: number) => wal.read(newestFrames.get(page) ?? Number.NaN)
    const recordsIn = (frame: number) => [
      ...recordsOf(wal.read(frameOffset(frame) + FRAME_HEADER_BYTES), false, [readNewest]),
    ]
    return lists.map(frames => frames.flatMap(recordsIn))
  } finally {
    wal.close()
  }
}

/** Offset of a frame, with its header, in the write-ahead log. */
export function frameOffset(frame: number): number {
  return WAL_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + PAGE_BYTES)
}

function openPages(path: string) {
  if (!existsSync(path)) return { size: 0, read: () => Buffer.alloc(PAGE_BYTES), close: () => {} }
  const fd = openSync(path, 'r')
  return {
    size: fstatSync(fd).size,
    read(offset: number): Buffer {
      const page = Buffer.alloc(PAGE_BYTES)
      if (offset >= 0) readSync(fd, page, 0, PAGE_BYTES, offset)
      return page
    },
    close: () => closeSync(fd),
  }
}

/** Offsets of all pages in the write-ahead log. Pages with an older salt also hold good rows. */
function* allFrames(size: number): Generator<number> {
  for (let at = WAL_HEADER_BYTES; at < size; at += FRAME_HEADER_BYTES + PAGE_BYTES)
    yield at + FRAME_HEADER_BYTES
}

/** Offset of the last copy of each page in the write-ahead log. Only pages with this salt are valid. */
function framesByPage(wal: ReturnType<typeof openPages>, salt: string): Map<number, number> {
  const frames = new Map<number, number>()
  for (const page of allFrames(wal.size)) {
    const header = wal.read(page - FRAME_HEADER_BYTES).subarray(0, FRAME_HEADER_BYTES)
    if (header.toString('hex', 8, 16) === salt) frames.set(header.readUInt32BE(0), page)
  }
  return frames
}

function* recordsOf(
  page: Buffer,
  isFirst: boolean,
  readers: readonly PageReader[],
): Generator<SalvagedRecord> {
  const start = isFirst ? FILE_HEADER_BYTES : 0
  if (page[start] !== LEAF_TABLE) return
  const cells = page.readUInt16BE(start + 3)
  for (let i = 0; i < cells; i++) {
    const pointer = start + 8 + i * 2
    if (pointer + 2 > PAGE_BYTES) return
    const record = recordAt(page, page.readUInt16BE(pointer), readers)
    if (record !== null) yield record
  }
}

function recordAt(page: Buffer, offset: number, readers: readonly PageReader[]): SalvagedRecord | null {
  for (const read of readers) {
    try {
      const record = parseCell(page, offset, read)
      if (record !== null && crc32(record.data, record.sequence % 2 ** 32) === record.checksum) return record
    } catch (error) {
      // A damaged number that points beyond the page throws RangeError. It counts as no record, like a wrong
      // checksum.
      if (!(error instanceof RangeError)) throw error
    }
  }
  return null
}

/**
 * Parses a cell of a table leaf: length of the payload, rowid (our sequence), payload, first overflow page.
 */
function parseCell(page: Buffer, offset: number, read: PageReader): SalvagedRecord | null {
  const [length, afterLength] = readVarint(page, offset)
  const [sequence, start] = readVarint(page, afterLength)
  const payload = readPayload(page, start, length, read)
  if (payload === null) return null
  const [headerEnd, typesAt] = readVarint(payload, 0)
  const types: number[] = []
  for (let at = typesAt; at < headerEnd; ) {
    const [type, next] = readVarint(payload, at)
    types.push(type)
    at = next
  }
  // Columns: sequence (NULL, because it is the rowid), appended_at, checksum, data.
  const [rowid, timeType, checksumType, dataType] = types
  if (types.length !== 4 || rowid !== 0 || dataType === undefined || dataType < 12 || dataType % 2 === 1) {
    return null
  }
  const [appendedAt, afterTime] = readInteger(payload, headerEnd, timeType!)
  const [checksum, dataAt] = readInteger(payload, afterTime, checksumType!)
  const data = payload.subarray(dataAt, dataAt + (dataType - 12) / 2)
  return dataAt + data.length === length ? { sequence, appendedAt, checksum, data } : null
}

/** Reads a payload from its leaf page and, if it is long, from its chain of overflow pages (section 1.6). */
function readPayload(page: Buffer, start: number, length: number, read: PageReader): Buffer | null {
  const maxLocal = PAGE_BYTES - 35
  if (length <= maxLocal) {
    const payload = page.subarray(start, start + length)
    return payload.length === length ? payload : null
  }
  if (length > MAX_PAYLOAD_BYTES) return null
  const minLocal = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23
  const surplus = minLocal + ((length - minLocal) % (PAGE_BYTES - 4))
  const local = surplus <= maxLocal ? surplus : minLocal
  const parts = [page.subarray(start, start + local)]
  let missing = length - local
  let next = page.readUInt32BE(start + local)
  while (missing > 0 && next !== 0) {
    const overflow = read(next)
    parts.push(overflow.subarray(4, 4 + Math.min(missing, PAGE_BYTES - 4)))
    missing -= PAGE_BYTES - 4
    next = overflow.readUInt32BE(0)
  }
  return missing > 0 ? null : Buffer.concat(parts)
}

/** Larger than any record of ingestion. A larger number is damage. */
const MAX_PAYLOAD_BYTES = 4_000_000

/**
 * Reads SQLite's big-endian integer of variable length, up to 53 bits, and returns it with the offset after
 * it.
 */
function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0
  for (let i = 0; i < 8; i++) {
    const byte = bytes.readUInt8(at + i)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + i + 1]
  }
  throw new RangeError('The integer has more than 53 bits.')
}

/** Reads an integer of serial type 1 to 6, 8 or 9 (section 2.1), and returns it with the offset after it. */
function readInteger(bytes: Buffer, at: number, type: number): [value: number, next: number] {
  if (type === 8 || type === 9) return [type - 8, at]
  const size = [0, 1, 2, 3, 4, 6, 8][type]
  if (size === undefined || size === 0) throw new RangeError('The serial type is not an integer.')
  return [size === 8 ? Number(bytes.readBigInt64BE(at)) : bytes.readIntBE(at, size), at + size]
}
