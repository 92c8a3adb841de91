import type { DuckDBResultReader, DuckDBValue } from '@duckdb/node-api'
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js'
import type { Row } from '#core/ports'

/**
 * The text decoder of @duckdb/node-api 1.5.5 drops a U+FEFF at the start of a text, because it takes it for a
 * byte order mark. The text would differ from what is stored and from what Trino returns, so this decoder
 * keeps it.
 */
const exactDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
textDecoder.decode = exactDecoder.decode.bind(exactDecoder)

/**
 * The rows of a result by column name. Throws on a type that the port does not have, and names the column.
 */
export function toRows(result: DuckDBResultReader): Row[] {
  const names = result.columnNames()
  return result.getRows().map(values => toRow(names, i => values[i] ?? null))
}

/** Rows that are fetched at once. DuckDB has them in chunks of 2,048. */
const STEP = 2_048

/** The same, row by row: `onRow` may throw, and then no more of them are fetched and converted. */
export async function readRows(result: DuckDBResultReader, onRow: (row: Row) => void): Promise<Row[]> {
  const names = result.columnNames()
  const rows: Row[] = []
  while (!result.done) {
    await result.readUntil(rows.length + STEP)
    while (rows.length < result.currentRowCount) {
      const row = toRow(names, i => result.value(i, rows.length))
      onRow(row)
      rows.push(row)
    }
  }
  return rows
}

function toRow(names: readonly string[], valueAt: (column: number) => DuckDBValue): Row {
  const row: Row = {}
  names.forEach((name, i) => {
    row[name] = toValue(name, valueAt(i))
  })
  return row
}

function toValue(name: string, value: DuckDBValue): Row[string] {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value
    case 'bigint':
      if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) {
        throw new Error(`Column ${name} has an integer of more than 53 bits. Return it as text.`)
      }
      return Number(value)
    default:
      if (value === null) return null
      throw new Error(`Column ${name} has a type that statements must not return. Cast it.`)
  }
}
