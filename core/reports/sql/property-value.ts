import type { SqlQuery } from '#core/ports'
import { name, sql } from '#core/sql/sql'
import { type EventColumnName, propertyColumns } from '#schemas/columns'
import type { FilterField } from './filters.ts'
import { jsonPath } from './json-path.ts'

/**
 * A property in SQL. Its value is in its own column if it has one of the column's type, else in the JSON of
 * `properties`.
 */
export type PropertyValue = {
  /** The fields of `events` that the expressions read. */
  fields: EventColumnName[]
  /** The value as text: text, number or boolean; null for objects, arrays, null and absent values. */
  scalar: SqlQuery
  /** The value as filters compare it. */
  filterField: FilterField
  /** The value as text, objects and arrays as compact JSON; null for null and absent values. */
  text: SqlQuery
  /** A cheap condition that holds for every event with a value. */
  mayHaveValue?: SqlQuery | undefined
  /** The value as JSON text; null for absent values. Only for a property without a column. */
  json?: SqlQuery
}

/**
 * Longer keys are not searched, because a statement of many filters with long keys would be too long for
 * Athena.
 */
const MAX_SEARCHED_KEY = 64

/**
 * `key`: any key of a property.
 *
 * A statement parses JSON only if the text of the key occurs in it. Most events lack most keys, and the
 * search takes a quarter of the time of parsing (docs/decisions/2026-11-22-how-reports-read-the-lake.md).
 * JSON.stringify has written the JSON, so it writes the key as it stands there.
 */
export function propertyValue(key: string): PropertyValue {
  const { json, isNamed, scalar, text, filterField } = jsonValue(sql`properties`, key)
  const isJsonText = filterField.isText
  const column = propertyColumns.find(({ property }) => property === key)
  if (column === undefined)
    return { fields: ['properties'], scalar, text, filterField, mayHaveValue: isNamed, json }
  const value = column.type === 'string' ? name(column.name) : sql`CAST(${name(column.name)} AS varchar)`
  const isColumnText = column.type === 'string' ? sql`true` : sql`false`
  const isText = sql`CASE WHEN ${name(column.name)} IS NOT NULL THEN ${isColumnText} ELSE ${isJsonText} END`
  const scalarOfBoth = sql`coalesce(${value}, ${scalar})`
  return {
    fields: ['properties', column.name],
    scalar: scalarOfBoth,
    text: sql`coalesce(${value}, ${text})`,
    filterField: { scalar: scalarOfBoth, isText, present: sql`coalesce(${value}, ${text})` },
    ...(isNamed !== undefined && { mayHaveValue: sql`(${name(column.name)} IS NOT NULL OR ${isNamed})` }),
  }
}

/**
 * The value of a key in a column of JSON that JSON.stringify has written, as PropertyValue has it. `isNamed`:
 * a cheap condition that holds wherever there is a value.
 */
export function jsonValue(column: SqlQuery, key: string) {
  const path = jsonPath(key)
  const jsonScalar = sql`json_extract_scalar(${column}, ${path})`
  const json = sql`json_format(json_extract(${column}, ${path}))`
  const isNamed =
    key.length > MAX_SEARCHED_KEY ? undefined : sql`strpos(${column}, ${JSON.stringify(key)}) > 0`
  const ifNamed = (value: SqlQuery) =>
    isNamed === undefined ? value : sql`CASE WHEN ${isNamed} THEN ${value} END`
  const scalar = ifNamed(jsonScalar)
  const text = ifNamed(sql`coalesce(${jsonScalar}, nullif(${json}, 'null'))`)
  const isText = sql`starts_with(${json}, '"')`
  const filterField: FilterField = { scalar: jsonScalar, isText, isNamed, present: text }
  return { json, isNamed, scalar, text, filterField }
}
