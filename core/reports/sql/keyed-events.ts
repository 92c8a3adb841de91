import type { EventField, LakeRead } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import { join, sql } from '#core/sql/sql'
import type { ValueKey } from './value-key.ts'

/**
 * `event`: only the events of this name. `mayHaveValue`: only the events that may have a value; the value key
 * of the others is null.
 */
type Only = { event: string | undefined; mayHaveValue: boolean }

/** The events with their value keys: (value_key, fields). */
export function keyedEvents(
  read: LakeRead,
  { fields: keyFields, mayHaveValue, json, sql: key }: ValueKey,
  fields: readonly 'user_id'[],
  only: Only,
): SqlQuery {
  const conditions = [
    ...(only.event === undefined ? [] : [sql`event = ${only.event}`]),
    ...(only.mayHaveValue && mayHaveValue !== undefined ? [mayHaveValue] : []),
  ]
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${join(conditions, ' AND ')}`
  const eventFields: EventField[] = only.event === undefined ? [] : ['event']
  const relation = events(read, [...new Set([...keyFields, ...eventFields, ...fields])])
  const userId = fields.length === 0 ? sql`` : sql`, user_id`
  if (json === undefined) {
    return sql`(SELECT ${key} AS value_key${userId} FROM ${relation} AS each_event ${where})`
  }
  const mustSearch = !only.mayHaveValue && mayHaveValue !== undefined
  const valueJson = mustSearch ? sql`CASE WHEN ${mayHaveValue} THEN ${json} END` : json
  // value_json has a SELECT of its own, because DuckDB parses the JSON once for each place of the expression.
  return sql`(SELECT ${key} AS value_key${userId}
      FROM (SELECT properties, ${valueJson} AS value_json${userId} FROM ${relation} AS each_event ${where}) AS json_event)`
}
