import { events, type LakeRead } from '#core/lake/relations'
import type { SqlQuery } from '#core/ports'
import { integer, join, name, sql } from '#core/sql'
import { propertyColumns } from '#schemas/columns'

/**
 * Which property keys the newest `sample` events have: rows (event, property_key, sample_size), each pair of event and key
 * once. A row with a null key stands for an event name, so that sample_size is known also without properties.
 */
export function propertyKeysSql(read: LakeRead, sample: number): SqlQuery {
  const columns = propertyColumns.map(column => column.name)
  const fields = ['event', 'timestamp', 'lag_s', 'seq', 'properties', ...columns] as const
  const columnKeys = propertyColumns.map(
    ({ name: column, property }) =>
      sql`CASE WHEN ${name(column)} IS NOT NULL THEN ${{ text: `'${property}'`, params: [] }} END`,
  )
  return sql`SELECT event, property_key, max(sample_size) AS sample_size
    FROM (SELECT event, sample_size,
        coalesce(map_keys(CAST(json_parse(properties) AS map(varchar, json))), ARRAY[CAST(NULL AS varchar)])
          || ARRAY[${join(columnKeys, ', ')}, CAST(NULL AS varchar)] AS property_keys
      FROM (SELECT *, count(*) OVER () AS sample_size
        FROM (SELECT ${join(fields.map(name), ', ')} FROM ${events(read, fields)} AS each_event
          ORDER BY timestamp DESC, lag_s DESC, seq DESC LIMIT ${integer(sample)}) AS newest_event) AS sample_event) AS keyed_event
    CROSS JOIN UNNEST(property_keys) AS key_of_event(property_key)
    GROUP BY event, property_key`
}
