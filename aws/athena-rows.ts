import type { ColumnInfo, Datum } from '@aws-sdk/client-athena'
import type { Row } from '#core/ports'

/**
 * Athena's names of the types that statements return. A decimal would lose digits; other types have no JSON
 * value.
 */
const TYPES: Record<string, 'integer' | 'fraction' | 'text' | 'boolean'> = {
  tinyint: 'integer',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  real: 'fraction',
  float: 'fraction',
  double: 'fraction',
  varchar: 'text',
  char: 'text',
  boolean: 'boolean',
  // A column that holds only NULL.
  unknown: 'text',
}

/**
 * Converts one row of a result page, where every value is text. A datum without a value is null; a datum with
 * an empty value is empty text. Throws on a type that the port does not know, and names its column.
 */
export function toRow(columns: readonly ColumnInfo[], data: readonly Datum[]): Row {
  const row: Row = {}
  columns.forEach(({ Name = '', Type = '' }, i) => {
    row[Name] = toValue(Name, Type, data[i]?.VarCharValue)
  })
  return row
}

function toValue(name: string, type: string, text: string | undefined): Row[string] {
  const kind = TYPES[type]
  if (kind === undefined) throw new Error(`${name} is of a type that statements do not return; cast it`)
  if (text === undefined) return null
  if (kind === 'text') return text
  if (kind === 'boolean') return text === 'true'
  const value = Number(text)
  if (kind === 'integer' && !Number.isSafeInteger(value)) {
    throw new Error(`${name} is a whole number beyond 53 bits; return it as text`)
  }
  return value
}
