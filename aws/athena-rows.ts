import type { ColumnInfo, Datum } from '@aws-sdk/client-athena'
import type { Row } from '#core/ports'
import { valueOfText } from '#core/sql/text-value'

/**
 * Converts one row of a result page, where every value is text. A datum without a value is null; a datum with
 * an empty value is empty text. Throws on a type that the port does not know, and names its column.
 */
export function toRow(columns: readonly ColumnInfo[], data: readonly Datum[]): Row {
  const row: Row = {}
  columns.forEach(({ Name = '', Type = '' }, i) => {
    row[Name] = valueOfText(Name, Type, data[i]?.VarCharValue)
  })
  return row
}
