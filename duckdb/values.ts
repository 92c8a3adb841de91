import type { DuckDBResultReader, DuckDBValue } from '@duckdb/node-api'
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js'
import type { Row } from '#core/ports'

/**
 * The binding's own decoder, which reads all text of all results, takes a U+FEFF at the start for a byte order mark and
 * drops it (1.5.5): the text would no longer equal what is stored, nor what Trino answers.
 */
const exactDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
textDecoder.decode = exactDecoder.decode.bind(exactDecoder)

/** The rows of a result by column name. Throws on a value that the port does not know, naming its column. */
export function toRows(result: DuckDBResultReader): Row[] {
  const names = result.columnNames()
  return result.getRows().map(values => {
    const row: Row = {}
    names.forEach((name, i) => {
      row[name] = toValue(name, values[i] ?? null)
    })
    return row
  })
}

function toValue(name: string, value: DuckDBValue): Row[string] {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value
    case 'bigint':
      if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) {
        throw new Error(`${name} is a whole number beyond 53 bits; return it as text`)
      }
      return Number(value)
    default:
      if (value === null) return null
      throw new Error(`${name} is of a type that statements do not return; cast it`)
  }
}
