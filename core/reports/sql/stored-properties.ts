import type { Row } from '#core/ports'
import { propertyColumns } from '#schemas/columns'

/**
 * The properties of an event as they were sent: the reverse of addProperties in
 * core/lake/consume/hot-columns.ts.
 * `row` holds all propertyColumns and `properties`. Returns null if the sender sent no properties, which
 * differs from {}.
 */
export function readProperties(row: Row): Record<string, unknown> | null {
  if (row.properties === null || row.properties === undefined) return null
  const columns = propertyColumns.flatMap(({ name, property }) => {
    const value = row[name]
    return property === undefined || value === null || value === undefined ? [] : [[property, value] as const]
  })
  return { ...Object.fromEntries(columns), ...JSON.parse(String(row.properties)) }
}
