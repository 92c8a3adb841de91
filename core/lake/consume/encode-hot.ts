import { constants, zstdCompressSync } from 'node:zlib'
import type { ColumnChunk, Encoding, RowGroup } from 'hyparquet'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import { compareText } from '#core/text/compare-text'
import { type Column, tables } from '#schemas/columns'
import type { HotColumn, HotColumns, IntegerColumn, TextColumn } from './hot-columns.ts'
import { encodeHotUsers, hotUserNumber } from './hot-users.ts'
import { shortKey } from './id-keys.ts'
import { bitsOf, packNumbers } from './packed-numbers.ts'
import { COLUMNS_WITH_STATISTICS, ROW_GROUP_ROWS, schemaOf } from './parquet.ts'

/** The page of a column, not compressed. `nulls` is the number of rows without a value. */
type Page = {
  levels: Uint8Array
  nulls: number
  dictionary: { bytes: Uint8Array; count: number } | null
  encoding: Encoding
  bytes: Uint8Array
  /** The lowest and the highest value. */
  bounds: [string, string] | [bigint, bigint] | null
}

/** Below this size a page is not compressed: to begin takes 30 µs. */
const COMPRESS_FROM_BYTES = 256
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const MAGIC = 0x31524150

/**
 * Encodes a hot file. The rows are sorted by bucket, project and time, so a read of one project finds them by
 * the statistics of the row groups. The same rows always give the same bytes, in whatever order they were
 * added. Values go from the columns straight into the bytes of a page: hyparquet-writer makes an array of
 * bytes for each text (docs/decisions/2026-11-23-backlog.md).
 */
export function encodeHot(hot: HotColumns): Uint8Array {
  const { columns } = tables.events_hot
  const values = hot.columns()
  const order = sortedRows(values, hot.rowCount())
  const writer = new ByteWriter(2 ** 16)
  writer.appendUint32(MAGIC)
  const groups: RowGroup[] = []
  for (let from = 0; from < order.length; from += ROW_GROUP_ROWS) {
    const rows = order.subarray(from, from + ROW_GROUP_ROWS)
    const chunks = columns.map(column =>
      writeColumn(writer, column, toPage(values.get(column.name), rows, column), rows.length),
    )
    const sizeOf = (field: 'total_uncompressed_size' | 'total_compressed_size') =>
      chunks.reduce((sum, { meta_data }) => sum + (meta_data?.[field] ?? 0n), 0n)
    groups.push({
      columns: chunks,
      total_byte_size: sizeOf('total_uncompressed_size'),
      total_compressed_size: sizeOf('total_compressed_size'),
      num_rows: BigInt(rows.length),
    })
  }
  writer.appendBytes(encodeHotUsers(usersOf(values, hot.rowCount())))
  const schema = schemaOf(columns)
  const num_rows = BigInt(order.length)
  const metadata = {
    version: 2,
    created_by: 'footfall',
    schema,
    num_rows,
    row_groups: groups,
    metadata_length: 0,
  }
  writeMetadata(writer, metadata)
  writer.appendUint32(MAGIC)
  return writer.getBytes()
}

/** Whose events the rows are (hot-users.ts). */
function usersOf(columns: ReadonlyMap<string, HotColumn>, count: number): Set<number> {
  const { texts, numbers } = columns.get('project_id') as TextColumn
  const projectKeys = texts.map(text => shortKey(String(text)))
  const users = (columns.get('user_key') as IntegerColumn).values
  const found = new Set(projectKeys.map(key => hotUserNumber(key, null)))
  for (let row = 0; row < count; row++) {
    const userKey = users[row] as number
    if (!Number.isNaN(userKey))
      found.add(hotUserNumber(projectKeys[numbers[row] as number] as number, userKey))
  }
  return found
}

/** The numbers of the rows, in their order in the file. */
function sortedRows(columns: ReadonlyMap<string, HotColumn>, count: number): Uint32Array {
  const integers = (name: string) => (columns.get(name) as IntegerColumn).values
  const [bucket, timestamp, lag, seq] = ['bucket', 'timestamp', 'lag_s', 'seq'].map(integers) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  const { texts, numbers } = columns.get('project_id') as TextColumn
  const rank = ranksOf(texts.map(String))
  const compare = (a: number, b: number): number =>
    (bucket[a] as number) - (bucket[b] as number) ||
    (rank[numbers[a] as number] as number) - (rank[numbers[b] as number] as number) ||
    (timestamp[a] as number) - (timestamp[b] as number) ||
    (lag[a] as number) - (lag[b] as number) ||
    (seq[a] as number) - (seq[b] as number)
  return Uint32Array.from({ length: count }, (_, i) => i).sort(compare)
}

/** For each text its place in ascending order. */
function ranksOf(texts: readonly string[]): Int32Array {
  const sorted = texts.map((_, number) => number)
  sorted.sort((a, b) => compareText(texts[a] as string, texts[b] as string))
  const ranks = new Int32Array(texts.length)
  for (const [rank, number] of sorted.entries()) ranks[number] = rank
  return ranks
}

/** The page of these rows of a column; all of them are null without a column. */
function toPage(column: HotColumn | undefined, rows: Uint32Array, { name }: Column): Page {
  const hasBounds = COLUMNS_WITH_STATISTICS.has(name)
  if (column === undefined)
    return { ...presence(new Int32Array(rows.length)), ...PLAIN, bytes: NO_BYTES, bounds: null }
  if ('texts' in column) return textPage(column, rows, hasBounds)
  return longPage('longs' in column ? column.longs : column.values, rows, hasBounds)
}

const NO_BYTES = new Uint8Array(0)
const PLAIN = { dictionary: null, encoding: 'PLAIN' as const }

/** The levels of a column that says of each row whether it has a value: 1, or 0. */
function presence(isThere: Int32Array): { levels: Uint8Array; nulls: number } {
  let nulls = 0
  for (const there of isThere) nulls += 1 - there
  return { levels: packNumbers(isThere, 1), nulls }
}

/** With a dictionary, if each text is there twice on average. Its texts are in the order of the rows. */
function textPage({ texts, numbers }: TextColumn, rows: Uint32Array, hasBounds: boolean): Page {
  const isThere = new Int32Array(rows.length)
  const places = new Int32Array(texts.length).fill(-1)
  const found = new Int32Array(rows.length)
  const indexes = new Int32Array(rows.length)
  const distinct: (string | Buffer)[] = []
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const number = numbers[rows[i] as number] as number
    if (number === -1) continue
    isThere[i] = 1
    if (places[number] === -1) places[number] = distinct.push(texts[number] as string | Buffer) - 1
    found[count] = number
    indexes[count] = places[number] as number
    count += 1
  }
  const bounds = hasBounds ? textBounds(distinct.map(String)) : null
  if (distinct.length * 2 > count) {
    const written = Array.from(found.subarray(0, count), number => texts[number] as string | Buffer)
    return { ...presence(isThere), ...PLAIN, bytes: plainTexts(written), bounds }
  }
  const bits = bitsOf(Math.max(0, distinct.length - 1))
  const packed = packNumbers(indexes.subarray(0, count), bits)
  const bytes = new Uint8Array(1 + packed.length)
  bytes[0] = bits
  bytes.set(packed, 1)
  const dictionary = { bytes: plainTexts(distinct), count: distinct.length }
  return { ...presence(isThere), dictionary, encoding: 'RLE_DICTIONARY', bytes, bounds }
}

function textBounds(texts: readonly string[]): [string, string] | null {
  const [first] = texts
  if (first === undefined) return null
  return texts.reduce<[string, string]>(
    ([low, high], text) => [text < low ? text : low, text > high ? text : high],
    [first, first],
  )
}

const LENGTH_BYTES = 4
/** A code unit takes at most three bytes of UTF-8. */
const MAX_UNIT_BYTES = 3

/** Each text as its length in four bytes, little-endian, and its UTF-8. */
function plainTexts(texts: readonly (string | Buffer)[]): Uint8Array {
  let most = 0
  for (const text of texts)
    most += LENGTH_BYTES + text.length * (typeof text === 'string' ? MAX_UNIT_BYTES : 1)
  const bytes = Buffer.allocUnsafe(most)
  let at = 0
  for (const text of texts) {
    const length =
      typeof text === 'string' ? bytes.write(text, at + LENGTH_BYTES) : text.copy(bytes, at + LENGTH_BYTES)
    bytes.writeUInt32LE(length, at)
    at += LENGTH_BYTES + length
  }
  return bytes.subarray(0, at)
}

/** Integers are times and keys here. Nearly all of them differ, so a dictionary would not help. */
function longPage(values: Float64Array | BigInt64Array, rows: Uint32Array, hasBounds: boolean): Page {
  const isThere = new Int32Array(rows.length)
  const longs = new BigInt64Array(rows.length)
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const value = values[rows[i] as number] as number | bigint
    if (typeof value === 'bigint' ? value === -1n : Number.isNaN(value)) continue
    isThere[i] = 1
    longs[count] = BigInt(value)
    count += 1
  }
  const stored = longs.subarray(0, count)
  const bytes = new Uint8Array(stored.buffer, 0, stored.byteLength)
  return { ...presence(isThere), ...PLAIN, bytes, bounds: hasBounds ? longBounds(stored) : null }
}

function longBounds(values: BigInt64Array): [bigint, bigint] | null {
  const [first] = values
  if (first === undefined) return null
  let [low, high] = [first, first]
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return [low, high]
}

/** Writes the pages of a column of one row group. */
function writeColumn(writer: ByteWriter, { name, type }: Column, page: Page, rowCount: number): ColumnChunk {
  const { levels, nulls, dictionary, encoding, bytes, bounds } = page
  const isCompressed = bytes.length + (dictionary?.bytes.length ?? 0) >= COMPRESS_FROM_BYTES
  const pack = (plain: Uint8Array) => (isCompressed ? zstdCompressSync(plain, ZSTD) : plain)
  const start = writer.offset
  let saved = 0

  function write(plain: Uint8Array, before: Uint8Array, header: object): void {
    const packed = pack(plain)
    saved += plain.length - packed.length
    writePageHeader(writer, {
      uncompressed_page_size: before.length + plain.length,
      compressed_page_size: before.length + packed.length,
      ...header,
    } as Parameters<typeof writePageHeader>[1])
    writer.appendBytes(before)
    writer.appendBytes(packed)
  }

  if (dictionary !== null) {
    const dictionary_page_header = { num_values: dictionary.count, encoding: 'PLAIN' }
    write(dictionary.bytes, NO_BYTES, { type: 'DICTIONARY_PAGE', dictionary_page_header })
  }
  const dataStart = writer.offset
  write(bytes, levels, {
    type: 'DATA_PAGE_V2',
    data_page_header_v2: {
      num_values: rowCount,
      num_nulls: nulls,
      num_rows: rowCount,
      encoding,
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: isCompressed,
    },
  })
  const size = writer.offset - start
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: type === 'string' ? 'BYTE_ARRAY' : 'INT64',
      encodings: dictionary === null ? [encoding] : ['PLAIN', encoding],
      path_in_schema: [name],
      codec: isCompressed ? 'ZSTD' : 'UNCOMPRESSED',
      num_values: BigInt(rowCount),
      total_uncompressed_size: BigInt(size + saved),
      total_compressed_size: BigInt(size),
      data_page_offset: BigInt(dataStart),
      ...(dictionary !== null && { dictionary_page_offset: BigInt(start) }),
      ...(bounds !== null && {
        statistics: { null_count: BigInt(nulls), min_value: bounds[0], max_value: bounds[1] },
      }),
    },
  }
}
