import type { SqlQuery } from '#core/ports'
import { name, sql } from '#core/sql'
import { type EventColumnName, propertyColumns } from '#schemas/columns'

/** A property in SQL. Its value is in its own column if it has one of the column's type, else in the JSON of `properties`. */
export type PropertyValue = {
  /** The fields of `events` that the expressions read. */
  fields: EventColumnName[]
  /** The value as text: text, number or boolean; null for objects, arrays, null and absent values. */
  scalar: SqlQuery
  /** The value as text, objects and arrays as compact JSON; null for null and absent values. */
  text: SqlQuery
  /** Whether the value is text, not a number or boolean. */
  isText: SqlQuery
}

/** `key`: a property key that the contract allows in queries, `[A-Za-z0-9_]{1,128}`. Throws on other keys. */
export function propertyValue(key: string): PropertyValue {
  if (!/^\w{1,128}$/.test(key)) throw new Error(`not a property key of queries: ${key}`)
  // The pattern allows no character that would end the text or the path.
  const path: SqlQuery = { text: `'$.${key}'`, params: [] }
  const jsonScalar = sql`json_extract_scalar(properties, ${path})`
  const json = sql`json_format(json_extract(properties, ${path}))`
  const jsonText = sql`coalesce(${jsonScalar}, nullif(${json}, 'null'))`
  const isJsonText = sql`starts_with(${json}, '"')`
  const column = propertyColumns.find(({ property }) => property === key)
  if (column === undefined) {
    return { fields: ['properties'], scalar: jsonScalar, text: jsonText, isText: isJsonText }
  }
  const value = column.type === 'string' ? name(column.name) : sql`CAST(${name(column.name)} AS varchar)`
  const isColumnText = column.type === 'string' ? sql`true` : sql`false`
  return {
    fields: ['properties', column.name],
    scalar: sql`coalesce(${value}, ${jsonScalar})`,
    text: sql`coalesce(${value}, ${jsonText})`,
    isText: sql`CASE WHEN ${name(column.name)} IS NOT NULL THEN ${isColumnText} ELSE ${isJsonText} END`,
  }
}
