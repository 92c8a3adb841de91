import type { Row } from '#core/ports'
import { propertyColumns } from '#schemas/columns'

/**
 * The properties of an event as they were sent, from a row of propertyColumns and `properties`: what core/lake/rows.ts
 * took apart. Null when the event had none, which is not the same as {}.
 */
export function readProperties(row: Row): Record<string, unknown> | null {
  if (row.properties === null || row.properties === undefined) return null
  const columns = propertyColumns.flatMap(({ name, property }) => {
    const value = row[name]
    return property === undefined || value === null || value === undefined ? [] : [[property, value] as const]
  })
  return { ...Object.fromEntries(columns), ...JSON.parse(String(row.properties)) }
}
