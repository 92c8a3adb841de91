import type { Row } from '#core/ports'

/**
 * Trino's names of the types that statements return. A decimal would lose digits; other types have no JSON
 * value.
 */
const TYPES: Record<string, 'integer' | 'fraction' | 'text' | 'boolean'> = {
  tinyint: 'integer',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  // DuckDB's sums of integers.
  hugeint: 'integer',
  real: 'fraction',
  float: 'fraction',
  double: 'fraction',
  varchar: 'text',
  char: 'text',
  boolean: 'boolean',
  // A column that holds only NULL.
  unknown: 'text',
  '"null"': 'text',
}

/**
 * Converts a value that an engine has written as text. Undefined is null, and empty text stays empty text.
 * `name`: of the column. Throws on a type that the port does not know, and names the column.
 */
export function valueOfText(name: string, type: string, text: string | undefined): Row[string] {
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
