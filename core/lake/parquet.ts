import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import { type Column, tables } from '#schemas/columns'
import type { HotRow } from './rows.ts'

/** Rows of a row group: enough for a good dictionary, few enough that a reader skips what it does not need. */
const ROW_GROUP_ROWS = 50_000

/**
 * The hot file of the rows: sorted by bucket, project, time, so that a read of one project finds them by the row
 * groups' bounds; snappy, as it is read within minutes and rewritten. The bytes follow from the rows alone.
 */
export function encodeHot(rows: readonly HotRow[]): Uint8Array {
  const sorted = rows.toSorted(byPlace)
  const columns = tables.events_hot.columns
  const buffer = parquetWriteBuffer({
    columnData: columns.map(column => source(column, sorted)),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(column => ({
        name: column.name,
        repetition_type: 'OPTIONAL' as const,
        ...storedAs[column.type],
      })),
    ],
    codec: 'SNAPPY',
    rowGroupSize: ROW_GROUP_ROWS,
    createdBy: 'footfall',
  })
  return new Uint8Array(buffer)
}

/** How Parquet stores each type; timestamps are not UTC-adjusted, as Hive's and Athena's `timestamp` wants it. */
const storedAs = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int64: { type: 'INT64' },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } },
} as const

/** What a read skips row groups by; bounds of the other columns would be made for nobody. */
const PRUNED_BY = new Set(['bucket', 'project_id', 'timestamp'])

function source(column: Column, rows: readonly HotRow[]): ColumnSource {
  const { name } = column
  const value =
    column.type === 'string' ? (row: HotRow) => row[name] ?? null : (row: HotRow) => int64(row[name] ?? null)
  return {
    name,
    data: rows.map<string | number | bigint | null>(value),
    statistics: PRUNED_BY.has(name),
    // Whole numbers here are times and keys, nearly all different: a dictionary would be tried in vain.
    ...(column.type !== 'string' && { encoding: 'PLAIN' as const }),
  }
}

function int64(value: string | number | null): bigint | null {
  return value === null ? null : BigInt(value)
}

function byPlace(a: HotRow, b: HotRow): number {
  return (
    Number(a.bucket) - Number(b.bucket) ||
    compare(String(a.project_id), String(b.project_id)) ||
    Number(a.timestamp) - Number(b.timestamp) ||
    Number(a.lag_s) - Number(b.lag_s) ||
    Number(a.seq) - Number(b.seq)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
