import type { SqlQuery } from '#core/ports'
import { name, sql } from '#core/sql/sql'
import { bareKey, textFieldOf } from '#schemas/property-names'
import { type PropertyValue, propertyValue } from './property-value.ts'

/**
 * The value of a property as a text that groups events; null for events without a value. For a property
 * without a column it is the value in quotes, because JSON has most texts so. DuckDB then parses the JSON of
 * an event once, and two or three times for the value.
 */
export type ValueKey = Pick<PropertyValue, 'fields' | 'mayHaveValue' | 'json'> & {
  /**
   * The value key of an event. For a property without a column, an expression over `value_json`, which is the
   * column `json`.
   */
  sql: SqlQuery
  /** The value, as an expression over a value key. */
  value(key: SqlQuery): SqlQuery
  /** The value key of a value. */
  ofValue(value: string): string
}

/** `named`: a field of the event or a property, in the spelling of schemas/property-names.ts. */
export function valueKey(named: string): ValueKey {
  const ofColumn = { value: (key: SqlQuery) => key, ofValue: (value: string) => value }
  const field = textFieldOf(named)
  if (field !== undefined) {
    return { ...ofColumn, fields: [field], mayHaveValue: sql`${name(field)} IS NOT NULL`, sql: name(field) }
  }
  const { fields, mayHaveValue, text, scalar, json } = propertyValue(bareKey(named))
  if (json === undefined) return { ...ofColumn, fields, mayHaveValue, sql: text }
  return {
    fields,
    mayHaveValue,
    json,
    sql: inQuotes(scalar),
    value: key => sql`substr(${key}, 2, length(${key}) - 2)`,
    ofValue: value => `"${value}"`,
  }
}

/**
 * The value in quotes. The JSON text is that already if it is a text without escaped characters. Texts with
 * such characters and other numbers than whole ones come from `scalar`, the value in the JSON of the event:
 * Trino writes these numbers in another way than JavaScript.
 */
function inQuotes(scalar: SqlQuery): SqlQuery {
  return sql`CASE WHEN value_json IS NULL OR starts_with(value_json, '"') AND strpos(value_json, '\\') = 0 THEN value_json
          WHEN regexp_like(value_json, '^-{0,1}[0-9]+$') THEN '"' || value_json || '"'
          ELSE '"' || coalesce(${scalar}, nullif(value_json, 'null')) || '"' END`
}
